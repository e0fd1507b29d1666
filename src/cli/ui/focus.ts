import type { KubeObject } from '../../core/objects/kube-object.ts';
import { endpointSliceKind, eventKind } from '../../kube/client/built-in-kinds.ts';
import { type ListedEvent, listNewest, type ObjectEvent, trimEvent } from '../objects/events.ts';
import { growTargets, type ListedSlice, SERVICE_LABEL, trimSlice } from '../objects/pods.ts';
import type { FoundObject } from '../objects/read.ts';
import type { TreeNode } from '../objects/tree.ts';
import { type ReadState, Watched, type WatchedOptions } from './watched.ts';

const MOST_EVENTS = 50;

/** Watches for one object alone, while a page shows it: its events, and the endpoints of its namespace. */
export class Focus {
  readonly #events: Watched<KubeObject & ListedEvent>;
  readonly #slices: Watched<KubeObject & ListedSlice> | undefined;
  #viewers = 0;

  constructor({ kind, object }: FoundObject, options: WatchedOptions) {
    const { namespace, uid = '' } = object.metadata;
    const fieldSelector = `regarding.uid=${uid}`;
    const events = { kind: eventKind, namespace, fieldSelector, transform: trimEvent };
    this.#events = new Watched(events, options);
    if (kind.kind !== 'MyIngress') return;
    const slices = {
      kind: endpointSliceKind,
      namespace,
      labelSelector: SERVICE_LABEL,
      transform: trimSlice,
    };
    this.#slices = new Watched(slices, options);
  }

  /** Counts a page that shows it. Returns the function that ends the view. */
  view(): () => void {
    this.#viewers += 1;
    return () => {
      this.#viewers -= 1;
    };
  }

  isViewed(): boolean {
    return this.#viewers > 0;
  }

  /** The newest first; undefined: they have not been read. */
  listEvents(): readonly ObjectEvent[] | undefined {
    if (!this.#events.hasBeenRead()) return undefined;
    return listNewest(this.#events.cache.list(), MOST_EVENTS);
  }

  /** By Service; undefined: they have not been read. */
  mapTargets(): ReadonlyMap<string, readonly TreeNode[]> | undefined {
    if (!this.#slices?.hasBeenRead()) return undefined;
    return growTargets(this.#slices.cache.list());
  }

  /** True once everything has been read, or could not be. */
  isKnown(): boolean {
    return this.#events.isKnown() && (this.#slices?.isKnown() ?? true);
  }

  listStates(): readonly ReadState[] {
    const events = this.#events.describeState('Events');
    return this.#slices ? [events, this.#slices.describeState('Targets')] : [events];
  }

  async stop(): Promise<void> {
    await Promise.all([this.#events.stop(), this.#slices?.stop()]);
  }
}
