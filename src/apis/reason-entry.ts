/** A row of a table of reasons: what Ready, Reconciling or Stalled means, and what to do about it. */
export interface ReasonEntry {
  /** `nobody`: there is nothing to heal. */
  readonly healedBy: 'person' | 'time' | 'nobody';
  /** One sentence without its full stop: what has happened. */
  readonly cause: string;
  /** The next action, imperative, in lower case without its full stop; `<name>` is filled in. */
  readonly next: string;
}
