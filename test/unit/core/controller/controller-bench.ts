import { Controller, type ControllerOptions } from '../../../../src/core/controller/controller.ts';
import { getKey, type Key } from '../../../../src/core/objects/kube-object.ts';
import type { KeySource } from '../../../../src/core/queue/key-queue.ts';
import { type Outcome, settled } from '../../../../src/core/reconcile/outcome.ts';
import type { Pass } from '../../../../src/core/reconcile/reconciler.ts';
import type { FakeCache } from '../../../fakes/fake-cache.ts';
import { FakeKube } from '../../../fakes/fake-kube.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { RecordingEvents } from '../../../fakes/recording-events.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { SilentLogger } from '../../../fakes/silent-logger.ts';
import { PROBE_FINALIZER, type Probe, probe } from './probe.ts';

export const DONE = settled('Active', 'it stands');

export type Reconcile = (object: Probe, pass: Pass) => Promise<Outcome>;

/** A controller over a cluster in memory; what it does is noted pass by pass. */
export class ControllerBench {
  readonly clock = new ManualClock();
  readonly kube = new FakeKube();
  readonly cache: FakeCache<Probe> = this.kube.cache<Probe>('Probe');
  readonly events = new RecordingEvents();
  readonly log = new SilentLogger();
  readonly metrics = new RecordingMetrics();
  readonly forgotten: Key[] = [];
  /** Keys in the order in which their passes began. */
  readonly begun: Key[] = [];
  readonly running = new Map<Key, number>();
  /** The most passes of one key, and of all keys, that ever ran at once. */
  mostOfOneKey = 0;
  mostAtOnce = 0;
  reconcile: Reconcile = async () => DONE;
  controller!: Controller<Probe>;

  /** Stored with the finalizer on, so that status is all that a pass writes. */
  store(name: string): Probe {
    return this.kube.create(probe(name, { finalizers: [PROBE_FINALIZER] }));
  }

  edit(object: Probe): void {
    this.kube.edit(object, (live) => ({ ...live, spec: { size: live.spec.size + 1 } }));
  }

  /** Passes over one object that have begun so far. */
  passesOf(object: Probe): number {
    return this.begun.filter((key) => key === getKey(object)).length;
  }

  start(options: Partial<ControllerOptions<Probe>> = {}): void {
    this.controller = new Controller<Probe>({
      name: 'probe',
      cache: this.cache,
      writer: this.kube.writer<Probe>(),
      finalizer: PROBE_FINALIZER,
      reconciler: {
        reconcile: (object, pass) => this.#noted(object, pass),
        finalize: async () => ({ kind: 'released' }),
        forget: (key) => void this.forgotten.push(key),
      },
      concurrency: 8,
      deadlineMs: 120_000,
      backoff: { firstMs: 1000, maxMs: 300_000 },
      clock: this.clock,
      events: this.events,
      log: this.log,
      metrics: this.metrics,
      ...options,
    });
    this.controller.start();
  }

  async #noted(object: Probe, pass: Pass): Promise<Outcome> {
    const { key } = pass;
    const ofKey = (this.running.get(key) ?? 0) + 1;
    this.running.set(key, ofKey);
    this.mostOfOneKey = Math.max(this.mostOfOneKey, ofKey);
    this.mostAtOnce = Math.max(this.mostAtOnce, this.running.size);
    this.begun.push(key);
    try {
      return await this.reconcile(object, pass);
    } finally {
      if (ofKey === 1) this.running.delete(key);
      else this.running.set(key, ofKey - 1);
    }
  }
}

/** A source whose keys a test pushes by hand. */
export class HandSource {
  readonly source: KeySource = (enqueue) => {
    this.enqueue = enqueue;
    return () => {
      this.isStopped = true;
    };
  };
  enqueue: Parameters<KeySource>[0] = () => {};
  isStopped = false;
}
