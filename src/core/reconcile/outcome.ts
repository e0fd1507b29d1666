/** The end of a pass without a failure. Failure is thrown, waiting is returned. */
export type Outcome = Settled | Waiting;

/** The world matches the spec. */
export interface Settled {
  readonly kind: 'settled';
  /** CamelCase reason and sentence of Ready=True. */
  readonly reason: string;
  readonly message: string;
  /** Look again after this time even without a change; absent: only when something changes. */
  readonly requeueAfterMs?: number;
}

/** A dependency is not ready yet. */
export interface Waiting {
  readonly kind: 'waiting';
  readonly reason: string;
  readonly message: string;
  readonly requeueAfterMs: number;
  /** An event of this pass reports it already. */
  readonly isReported?: boolean;
}

/** The steps are planned and not executed. */
export interface Planned {
  readonly kind: 'planned';
  /** The plan in one sentence; the core adds how to have it executed. */
  readonly message: string;
  /** The part of the spec that cannot be planned; it is in the message too. */
  readonly problem?: string;
}

export function settled(reason: string, message: string): Settled {
  return { kind: 'settled', reason, message };
}

export function waiting(reason: string, message: string, requeueAfterMs: number): Waiting {
  return { kind: 'waiting', reason, message, requeueAfterMs };
}
