import { LateFinalizers } from '../../../../src/core/controller/late-finalizers.ts';
import { type LifecycleDependencies, runPass } from '../../../../src/core/controller/lifecycle.ts';
import type { Verdict } from '../../../../src/core/controller/verdict.ts';
import { getKey, type Key } from '../../../../src/core/objects/kube-object.ts';
import type { Outcome } from '../../../../src/core/reconcile/outcome.ts';
import type { Pass, Reconciler } from '../../../../src/core/reconcile/reconciler.ts';
import { ReadYourWrites } from '../../../../src/core/staleness/read-your-writes.ts';
import type { FakeCache } from '../../../fakes/fake-cache.ts';
import { FakeKube, type Verb } from '../../../fakes/fake-kube.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { RecordingEvents } from '../../../fakes/recording-events.ts';
import { SilentLogger } from '../../../fakes/silent-logger.ts';
import { PROBE_FINALIZER, type Probe, type ProbeStatus, probe } from './probe.ts';

/** One kind, one object, everything that a pass needs; each `run` is one pass over the object. */
export class LifecycleBench {
  readonly clock = new ManualClock();
  readonly kube = new FakeKube();
  readonly cache: FakeCache<Probe> = this.kube.cache<Probe>('Probe');
  readonly events = new RecordingEvents();
  readonly log = new SilentLogger();
  readonly object: Probe;
  staleReads = 0;
  /** `ALBRIDGE_MODE=observe`. */
  isObserver = false;
  /** Called with the object that each write of a status is for. */
  beforeStatus: (object: Probe) => void = () => {};
  /** Called once a status is stored, before that is answered. */
  afterStatus: () => void = () => {};
  readonly #writes = new ReadYourWrites<Probe>(this.clock, this.cache);
  readonly #lateFinalizers: LateFinalizers<Probe>;
  readonly #finalizer: string | undefined;
  readonly #unrecorded = new Map<Key, Probe>();

  constructor(
    draft: Probe = probe(),
    finalizer: 'none' | typeof PROBE_FINALIZER = PROBE_FINALIZER,
  ) {
    this.#finalizer = finalizer === 'none' ? undefined : finalizer;
    this.#lateFinalizers = new LateFinalizers<Probe>(this.clock, {
      cache: this.cache,
      finalizer: this.#finalizer,
    });
    this.cache.subscribe((change) => this.#lateFinalizers.recordChange(change));
    this.object = this.kube.create(draft);
  }

  get key(): Key {
    return getKey(this.object);
  }

  get live(): Probe | undefined {
    return this.kube.get(this.object);
  }

  get status(): ProbeStatus | undefined {
    return this.live?.status;
  }

  get finalizers(): readonly string[] {
    return this.live?.metadata.finalizers ?? [];
  }

  /** What was written to the API server so far, in order. */
  get verbs(): readonly Verb[] {
    return this.kube.writes.map(({ verb }) => verb);
  }

  /** Status and reason of one condition, as `kubectl get` shows them. */
  condition(type: string): string | undefined {
    const found = this.status?.conditions?.find((condition) => condition.type === type);
    return found && `${found.status} ${found.reason}`;
  }

  run(reconciler: Reconciler<Probe>, signal = new AbortController().signal): Promise<Verdict> {
    const writer = this.kube.writer<Probe>();
    const applyStatus: typeof writer.applyStatus = async (object, ...rest) => {
      this.beforeStatus(object);
      const written = await writer.applyStatus(object, ...rest);
      this.afterStatus();
      return written;
    };
    const deps: LifecycleDependencies<Probe> = {
      clock: this.clock,
      cache: this.cache,
      writer: { ...writer, applyStatus },
      events: this.events,
      writes: this.#writes,
      lateFinalizers: this.#lateFinalizers,
      finalizer: this.#finalizer,
      reconciler,
      unrecorded: this.#unrecorded,
      isObserver: this.isObserver,
      onStaleRead: () => void this.staleReads++,
    };
    return runPass(deps, this.key, { reconcileId: 'pass', signal, log: this.log });
  }
}

/** A store of things outside the cluster: says what exists and in which order it was touched. */
export class Outside {
  readonly calls: string[] = [];
  isThere = false;

  create(): void {
    this.calls.push('create');
    this.isThere = true;
  }

  delete(): void {
    this.calls.push('delete');
    this.isThere = false;
  }
}

/** With the finalizer on from the start, so that status is all that a pass writes. */
export function openBench(): LifecycleBench {
  return new LifecycleBench(probe('one', { finalizers: [PROBE_FINALIZER] }));
}

export function of(
  reconcile: (object: Probe, pass: Pass<Probe>) => Promise<Outcome>,
): Reconciler<Probe> {
  return { reconcile };
}
