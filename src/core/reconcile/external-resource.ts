import { type Waiting, waiting } from './outcome.ts';
import type { Pass, Released } from './reconciler.ts';

/** The answer of one read of the outside world. */
export type Observation<Observed, Drift> =
  | { readonly kind: 'absent' }
  /** The read may be stale or is not yet proof: decide nothing on it, read again. */
  | { readonly kind: 'unconfirmed'; readonly waiting: Waiting }
  | { readonly kind: 'present'; readonly observed: Observed; readonly drift: readonly Drift[] };

/**
 * A thing outside the cluster that one object stands for.
 *
 * Expected flow: `ensurePresent` observes, creates what is absent and updates what has drifted;
 * `ensureAbsent` observes, deletes what is present and observes again.
 *
 * Guarantees: before `create` and `update` the finalizer is stored, Ready counts as disproved and the
 * pass is not aborted. `released` follows an observation of `absent`, never an answer of `delete`.
 *
 * Assumptions: `observe` never writes, and answers `absent` only on proof: an error, a throttle or a
 * read that may be stale is `unconfirmed` or thrown. `create`, `update` and `delete` may be repeated at
 * any time without a second effect, and touch only what is proved ours.
 *
 * Caveats: a crash may come between any two calls, also between a write and its answer: what is needed
 * to find the thing again belongs into the create itself. `create` may answer `absent` or `unconfirmed`
 * for a while; the pass then waits.
 */
export interface ExternalResource<Observed, Drift> {
  observe(signal: AbortSignal): Promise<Observation<Observed, Drift>>;
  /** Called before `create`, while the finalizer is being stored: reads, plans and reserves, never writes. */
  prepareCreate?(signal: AbortSignal): Promise<void>;
  /** Answers with a fresh observation, which need not be `present` yet. */
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
  let observation = await resource.observe(pass.signal);
  if (observation.kind === 'absent') {
    pass.disproveReady();
    await resource.prepareCreate?.(pass.signal);
    await prepareWrite(pass);
    observation = await resource.create(pass.signal);
  }
  if (observation.kind === 'absent')
    return waiting('Creating', 'the create is not visible yet', 1000);
  if (observation.kind === 'unconfirmed') return observation.waiting;
  if (observation.drift.length > 0) {
    pass.disproveReady();
    await prepareWrite(pass);
    await resource.update(observation.observed, observation.drift, pass.signal);
  }
  return { kind: 'present', observed: observation.observed };
}

/** Deletes what is present; returns `released` only after an observation of `absent`. */
export async function ensureAbsent<Observed, Drift>(
  resource: Pick<ExternalResource<Observed, Drift>, 'observe' | 'delete'>,
  pass: Pass,
): Promise<Released | Waiting> {
  let observation = await resource.observe(pass.signal);
  if (observation.kind === 'present') {
    pass.signal.throwIfAborted();
    await resource.delete(observation.observed, pass.signal);
    observation = await resource.observe(pass.signal);
  }
  if (observation.kind === 'absent') return { kind: 'released' };
  if (observation.kind === 'unconfirmed') return observation.waiting;
  return waiting('Deleting', 'the deletion was accepted and is not visible yet', 2000);
}

async function prepareWrite(pass: Pass): Promise<void> {
  await pass.ensureFinalizer();
  pass.signal.throwIfAborted();
}
