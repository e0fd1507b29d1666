/** A row of a table of reasons: what Ready, Reconciling or Stalled means, and what to do about it. */
export interface ReasonEntry {
  /** `nobody`: there is nothing to heal. */
  readonly healedBy: 'person' | 'time' | 'nobody';
  /** One sentence without its full stop: what has happened. */
  readonly cause: string;
  /** The next action, imperative, in lower case without its full stop; `<name>` is filled in. */
  readonly next: string;
}

/** Of every kind: the engine's own, as `ReasonEntry` has them. */
export const coreReasons = {
  DeadlineExceeded: {
    healedBy: 'time',
    cause: 'The pass took longer than its time limit',
    next: 'wait, the pass is repeated',
  },
  InternalError: {
    healedBy: 'time',
    cause: 'A bug in albridge',
    next: "report it with the operator's log lines of this object",
  },
  LeadershipLost: {
    healedBy: 'time',
    cause: 'This replica lost the lease, so it no longer writes; appears in the log only',
    next: 'wait for the replica that holds the lease',
  },
} as const;

/** Why the process ended with 78 before it began, next to a setting that cannot be read. */
export const startReasons = {
  AddressUnusable: {
    cause: 'The operator cannot listen at ALBRIDGE_METRICS_ADDRESS or ALBRIDGE_HEALTH_ADDRESS',
    next: 'set another address or port',
  },
  LogFormatUnusable: {
    cause: 'LOG_FORMAT=pretty needs pino-pretty, which only a development install has',
    next: 'set LOG_FORMAT=json',
  },
} as const;
