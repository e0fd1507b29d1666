import type { MyIngress } from '../../apis/my-ingress.ts';
import { jitter, sleep } from '../../core/clock.ts';
import { LOW_PRIORITY } from '../../core/key-queue.ts';
import type { Enqueue, KeySource } from '../../core/key-source.ts';
import { keyOf } from '../../core/kube-object.ts';
import { untilAborted } from '../../core/until-aborted.ts';
import { wantedName } from './desired.ts';
import { identityOf } from './identity.ts';
import { type OrphanOptions, Orphans } from './orphans.ts';
import { recordedArn } from './record.ts';

export interface SweepOptions extends OrphanOptions {
  readonly intervalMs: number;
}

/**
 * Looks at the whole account in a few calls, then has every object compared with that picture: at
 * the start, which confirms all balancers after a restart, and once in each jittered interval.
 */
export class Sweep {
  readonly #options: SweepOptions;
  readonly #orphans: Orphans;
  #inFlight: Promise<void> = Promise.resolve();
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
    void this.#run(enqueue, stopping.signal);
    return () => {
      unsubscribe();
      stopping.abort(new Error('the sweep was stopped'));
    };
  };

  /** Resolves when no picture is being taken; rejects with the signal's reason if that aborts first. */
  pictureTaken(signal: AbortSignal): Promise<void> {
    return untilAborted(this.#inFlight, signal);
  }

  async #run(enqueue: Enqueue, signal: AbortSignal): Promise<void> {
    const { clock, cache, intervalMs } = this.#options;
    while (!signal.aborted) {
      // Whatever comes while the picture is taken has a pass of its own and is not in the picture.
      const objects = cache.list();
      const isTaken = await this.#takePicture(objects, signal);
      if (signal.aborted) return;
      if (isTaken) {
        for (const object of objects) enqueue(keyOf(object), { priority: LOW_PRIORITY });
        await this.#countOrphans(signal);
      }
      const pauseMs = isTaken ? intervalMs : Math.min(intervalMs, 30_000);
      await sleep(clock, jitter(clock, pauseMs, 0.1), signal).catch(() => {});
    }
  }

  /** False if AWS did not answer: drift stays unseen until the next try, and the log says so. */
  #takePicture(objects: readonly MyIngress[], signal: AbortSignal): Promise<boolean> {
    const { cluster, inventory, log } = this.#options;
    const wanted = new Set<string>();
    for (const object of objects) {
      wanted.add(recordedArn(object) ?? wantedName(object.spec, identityOf(cluster, object)));
    }
    if (!this.#isUsed) return Promise.resolve(true);
    const taken = inventory.refresh(wanted, signal).then(
      () => true,
      (error: unknown) => {
        if (!signal.aborted) log.error('the sweep could not read the account', { err: error });
        return false;
      },
    );
    this.#inFlight = taken.then(() => {});
    return taken;
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
