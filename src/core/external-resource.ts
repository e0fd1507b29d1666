import { type Waiting, waiting } from './outcome.ts';
import type { Pass, Released } from './reconciler.ts';

/** What one look at the outside world said. */
export type Observation<Observed, Drift> =
  | { readonly kind: 'absent' }
  /** The read may be stale or is not yet proof: decide nothing on it, look again. */
  | { readonly kind: 'unconfirmed'; readonly waiting: Waiting }
  | { readonly kind: 'present'; readonly observed: Observed; readonly drift: readonly Drift[] };

/**
 * A thing outside the cluster that one object stands for. Implementations owe: `observe` never
 * writes; `create`, `update` and `delete` may be repeated at any time without a second effect; each
 * of them touches only what is proved ours.
 */
export interface ExternalResource<Observed, Drift> {
  observe(signal: AbortSignal): Promise<Observation<Observed, Drift>>;
  /** Answers with what a fresh look says, which need not be `present` yet. */
  create(signal: AbortSignal): Promise<Observation<Observed, Drift>>;
  update(observed: Observed, drift: readonly Drift[], signal: AbortSignal): Promise<void>;
  delete(observed: Observed, signal: AbortSignal): Promise<void>;
}

export type Ensured<Observed> = { readonly kind: 'present'; readonly observed: Observed } | Waiting;

/** Creates what is absent, updates what has drifted; the finalizer is stored before either. */
export async function ensurePresent<Observed, Drift>(
  resource: Omit<ExternalResource<Observed, Drift>, 'delete'>,
  pass: Pass,
): Promise<Ensured<Observed>> {
  let seen = await resource.observe(pass.signal);
  if (seen.kind === 'absent') {
    await beforeWrite(pass);
    seen = await resource.create(pass.signal);
  }
  if (seen.kind === 'absent') return waiting('Creating', 'the create is not visible yet', 1000);
  if (seen.kind === 'unconfirmed') return seen.waiting;
  if (seen.drift.length > 0) {
    await beforeWrite(pass);
    await resource.update(seen.observed, seen.drift, pass.signal);
  }
  return { kind: 'present', observed: seen.observed };
}

/** Deletes what is present; says `released` only after a look that found nothing of ours. */
export async function ensureAbsent<Observed, Drift>(
  resource: Pick<ExternalResource<Observed, Drift>, 'observe' | 'delete'>,
  pass: Pass,
): Promise<Released | Waiting> {
  let seen = await resource.observe(pass.signal);
  if (seen.kind === 'present') {
    pass.signal.throwIfAborted();
    await resource.delete(seen.observed, pass.signal);
    seen = await resource.observe(pass.signal);
  }
  if (seen.kind === 'absent') return { kind: 'released' };
  if (seen.kind === 'unconfirmed') return seen.waiting;
  return waiting('Deleting', 'the deletion was accepted and is not visible yet', 2000);
}

async function beforeWrite(pass: Pass): Promise<void> {
  pass.disproveReady();
  await pass.finalizerStored();
  pass.signal.throwIfAborted();
}
