import type { MyIngress } from '../../apis/my-ingress.ts';
import { isPaused } from '../../core/annotations.ts';
import { type Clock, jitter, sleep } from '../../core/clock.ts';
import { LOW_PRIORITY } from '../../core/key-queue.ts';
import type { Enqueue, KeySource } from '../../core/key-source.ts';
import { isBeingDeleted, keyOf } from '../../core/kube-object.ts';
import { compare } from './check.ts';
import { wantedName } from './desired.ts';
import { identityOf } from './identity.ts';
import { chooseLook } from './look.ts';
import type { Memory } from './memory.ts';
import { type OrphanOptions, Orphans } from './orphans.ts';
import { recordedArn } from './record.ts';

export interface SweepOptions extends OrphanOptions {
  readonly intervalMs: number;
  readonly memory: Memory;
}

/** Objects compared at once, in a few milliseconds; then whatever else waits has its turn. */
const COMPARED_AT_ONCE = 100;
const RETRY_MS = 30_000;

/**
 * The drift scan: reads the whole account in a few calls, compares every object with that snapshot,
 * and queues those that differ or are not settled: at the start, which confirms all balancers after a
 * restart, and once in each jittered interval. No pass waits for it.
 */
export class Sweep {
  readonly #options: SweepOptions;
  readonly #orphans: Orphans;
  /** Where nobody uses the kind, AWS is asked nothing. */
  #isUsed = false;

  constructor(options: SweepOptions) {
    this.#options = options;
    this.#orphans = new Orphans(options);
  }

  /** The key source for the controller. */
  readonly source: KeySource = (enqueue) => {
    const stopping = new AbortController();
    const unsubscribe = this.#options.cache.subscribe(() => {
      this.#isUsed = true;
    });
    void this.#run(enqueue, stopping.signal).catch((error: unknown) => {
      if (!stopping.signal.aborted) throw error;
    });
    return () => {
      unsubscribe();
      stopping.abort(new Error('the sweep was stopped'));
    };
  };

  async #run(enqueue: Enqueue, signal: AbortSignal): Promise<void> {
    const { clock, intervalMs } = this.#options;
    while (!signal.aborted) {
      const isDone = !this.#isUsed || (await this.#scan(enqueue, signal));
      const pauseMs = isDone ? intervalMs : Math.min(intervalMs, RETRY_MS);
      await sleep(clock, jitter(clock, pauseMs, 0.1), signal);
    }
  }

  /** False if AWS did not answer: drift stays unseen until the next try, and the log says so. */
  async #scan(enqueue: Enqueue, signal: AbortSignal): Promise<boolean> {
    const { cache, inventory, log } = this.#options;
    // Whatever comes from here on has a pass of its own and need not be in the snapshot.
    const objects = cache.list();
    try {
      await inventory.refresh(await this.#wanted(objects, signal), signal);
    } catch (error) {
      if (!signal.aborted) log.error('the sweep could not read the account', { err: error });
      return false;
    }
    await inTurns(objects, { clock: this.#options.clock, signal }, (before) => {
      const object = cache.get(keyOf(before));
      if (object !== undefined && this.#needsPass(object)) {
        enqueue(keyOf(object), { priority: LOW_PRIORITY });
      }
    });
    await this.#countOrphans(signal);
    return true;
  }

  async #wanted(objects: readonly MyIngress[], signal: AbortSignal): Promise<ReadonlySet<string>> {
    const { cluster, clock } = this.#options;
    const wanted = new Set<string>();
    await inTurns(objects, { clock, signal }, (object) => {
      wanted.add(recordedArn(object) ?? wantedName(object.spec, identityOf(cluster, object)));
    });
    return wanted;
  }

  #needsPass(object: MyIngress): boolean {
    try {
      return this.#differs(object);
    } catch {
      // What an older CRD has admitted may not be comparable: its pass says what is wrong.
      return true;
    }
  }

  #differs(object: MyIngress): boolean {
    const { cluster, clock, inventory, memory } = this.#options;
    if (isPaused(object)) return false;
    if (isBeingDeleted(object) || chooseLook(object) !== 'snapshot') return true;
    const recalled = inventory.recall(recordedArn(object) ?? '');
    const identity = identityOf(cluster, object);
    const { facts } = memory.of(keyOf(object), identity.uid);
    const { kind } = compare({ object, identity, facts }, recalled, clock.monotonicMs());
    return kind === 'differs' || kind === 'attributesDue';
  }

  /** What AWS does not answer now is counted by the next scan. */
  async #countOrphans(signal: AbortSignal): Promise<void> {
    try {
      await this.#orphans.count(signal);
    } catch (error) {
      if (!signal.aborted) {
        this.#options.log.info('the tags of other load balancers could not be read', {
          err: error,
        });
      }
    }
  }
}

/** Thousands of objects, and the event loop is never blocked for long. */
async function inTurns(
  objects: readonly MyIngress[],
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  act: (object: MyIngress) => void,
): Promise<void> {
  for (const [index, object] of objects.entries()) {
    if (index > 0 && index % COMPARED_AT_ONCE === 0) await sleep(clock, 0, signal);
    act(object);
  }
}
