/** What a pass ended in when nothing failed. Failure is thrown, waiting is returned. */
export type Outcome = Settled | Waiting;

/** The world is as the spec wants it. */
export interface Settled {
  readonly kind: 'settled';
  /** CamelCase reason and sentence of Ready=True. */
  readonly reason: string;
  readonly message: string;
  /** Look again after this time even without a change; absent: only when something changes. */
  readonly againAfterMs?: number;
}

/** A dependency is not ready yet. */
export interface Waiting {
  readonly kind: 'waiting';
  readonly reason: string;
  readonly message: string;
  readonly againAfterMs: number;
  /** An event of this pass reports it already. */
  readonly isReported?: boolean;
}

export function settled(reason: string, message: string): Settled {
  return { kind: 'settled', reason, message };
}

export function waiting(reason: string, message: string, againAfterMs: number): Waiting {
  return { kind: 'waiting', reason, message, againAfterMs };
}
