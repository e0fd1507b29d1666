import { type Change, listStates, type ObjectCache } from '../../../core/ports/cache.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { chooseInstances, type Instances, type Nodes } from './instances.ts';
import type { TrimmedNode } from './trimmed-node.ts';

/** An open watch on all nodes. */
export interface NodeCache {
  readonly cache: Pick<ObjectCache<TrimmedNode>, 'list' | 'subscribe'>;
  /** Resolves once the cache holds all of them. */
  readonly synced: Promise<void>;
}

export interface NodeWatchOptions {
  /** Opens the watch; undefined: nodes are not read, as where single namespaces are served. */
  readonly openNodes: (() => NodeCache) | undefined;
  readonly clock: Clock;
  /** The answer of `read` may have changed. */
  readonly onChange: () => void;
}

/** A list takes milliseconds: after so long its absence is a problem to show. */
const LATE_MS = 5_000;

/** The nodes, watched from the first time on that a backend needs them, and until the process ends. */
export class NodeWatch {
  readonly #options: NodeWatchOptions;
  #isRead = false;
  #isLate = false;
  #cache: NodeCache['cache'] | undefined;
  /** undefined: to be chosen again. */
  #instances: Instances | undefined;
  #isStopped = false;
  #stopFollowing = (): void => {};

  constructor(options: NodeWatchOptions) {
    this.#options = options;
  }

  read(): Nodes {
    const { openNodes } = this.#options;
    if (openNodes === undefined) return { kind: 'unsupported' };
    if (this.#cache === undefined) this.#open(openNodes());
    if (!this.#isRead) return { kind: 'unread', isLate: this.#isLate };
    this.#instances ??= chooseInstances(this.#cache?.list() ?? []);
    return { kind: 'known', ...this.#instances };
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopFollowing();
  }

  #open({ cache, synced }: NodeCache): void {
    this.#cache = cache;
    this.#stopFollowing = cache.subscribe((change) => {
      if (isRelevant(change)) this.#announce();
    });
    const cancelTimer = this.#options.clock.setTimer(LATE_MS, () => {
      this.#isLate = true;
      this.#tell();
    });
    void synced.then(() => {
      cancelTimer();
      this.#isRead = true;
      this.#tell();
    });
  }

  /** Once for all changes that come together: each group has to go through all nodes. */
  #announce(): void {
    if (this.#instances === undefined) return;
    this.#instances = undefined;
    this.#options.clock.setTimer(0, () => this.#tell());
  }

  #tell(): void {
    if (!this.#isStopped) this.#options.onChange();
  }
}

/** The status of a node is written every few minutes, whether it changes or not. */
function isRelevant(change: Change<TrimmedNode>): boolean {
  const [before, after = before] = listStates(change);
  if (change.kind !== 'updated') return true;
  return before?.state !== after?.state || before?.instanceId !== after?.instanceId;
}
