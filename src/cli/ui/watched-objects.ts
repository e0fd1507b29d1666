// Lives here: the page of `albridge ui`: the watched objects, the pages, the server on 127.0.0.1.
// May import it: src/cli/commands.
// Start with: this file, then pages.ts and server.ts.

import type { MyIngress } from '../../apis/my-ingress.ts';
import type { WebApp } from '../../apis/web-app.ts';
import type { Attachments } from '../../controllers/my-ingress/attaching/attachments.ts';
import type { NamespaceCache } from '../../controllers/my-ingress/attaching/namespace-labels.ts';
import { getKey, type Key, type KubeObject } from '../../core/objects/kube-object.ts';
import { namespaceKind } from '../../kube/client/built-in-kinds.ts';
import { type AttachmentParts, createAttachments, createLabels } from '../../setup/attachments.ts';
import { LeaderMetrics } from '../leader/leader-metrics.ts';
import { isServed } from '../objects/attached-routes.ts';
import { OUR_KINDS, type OurKind } from '../objects/kinds.ts';
import type { FoundObject, OurObject } from '../objects/read.ts';
import type { Environment } from '../surroundings.ts';
import { Focus } from './focus.ts';
import { type ReadState, Watched, type WatchedOptions } from './watched.ts';

/** Changes within this time, in milliseconds, are one. */
const GATHER_MS = 50;
/** A browser keeps at most six pages live; those of some more may be loaded again at once. */
const MOST_FOCUSES = 8;

interface ObjectsOptions extends Omit<WatchedOptions, 'onChange'> {
  /** Settings of the operators that serve MyIngress; empty or left out: none is known. */
  readonly operators?: Promise<readonly Environment[]>;
}

/** The objects of albridge as the cluster has them now, over one watch for each kind. */
export class WatchedObjects {
  readonly #options: WatchedOptions;
  readonly #kinds: readonly { readonly kind: OurKind; readonly watched: Watched<OurObject> }[];
  readonly #attachments: Attachments;
  #namespaces: Watched<KubeObject> | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #focuses = new Map<Key, Focus>();
  /** Read while a page shows them. */
  readonly metrics: LeaderMetrics;
  #cancelGathering: (() => void) | undefined;
  #version = 0;
  #lastRoundMs = 0;

  constructor(options: ObjectsOptions) {
    this.#options = { ...options, onChange: () => this.#gather() };
    const { namespace } = options.access;
    this.#kinds = OUR_KINDS.map((kind) => {
      return { kind, watched: new Watched<OurObject>({ kind, namespace }, this.#options) };
    });
    const { operators = Promise.resolve([]) } = options;
    this.#attachments = this.#attach(operators);
    void operators.then(() => this.#gather());
    const { client } = options.access;
    this.metrics = new LeaderMetrics({ ...this.#options, client, namespace });
  }

  /** Every object of every kind that could be read. */
  list(): readonly FoundObject[] {
    return this.#kinds.flatMap(({ kind, watched }) =>
      watched.cache.list().map((object) => ({ kind, object })),
    );
  }

  /** A MyIngress comes with the routes that other objects attach. */
  find(plural: string, key: Key): FoundObject | undefined {
    const entry = this.#kinds.find(({ kind }) => kind.plural === plural);
    const object = entry?.watched.cache.get(key);
    if (entry === undefined || object === undefined) return undefined;
    const { kind } = entry;
    if (kind.kind !== 'MyIngress') return { kind, object };
    return { kind, object: this.#attachments.join(object as MyIngress) };
  }

  listStates(): readonly KindState[] {
    return this.#kinds.map(({ kind, watched }) => {
      return { kind, ...watched.describeState(kind.kind) };
    });
  }

  /** Another number after each change of what can be shown. */
  get version(): number {
    return this.#version;
  }

  /** Calls `onChange` soon after anything has changed. */
  subscribe(onChange: () => void): () => void {
    this.#listeners.add(onChange);
    return () => this.#listeners.delete(onChange);
  }

  /** The watches for one object alone; undefined while too many objects are shown. */
  focus(found: FoundObject): Focus | undefined {
    const key: Key = `${getKey(found.object)}/${found.object.metadata.uid}`;
    const known = this.#focuses.get(key);
    if (known) return known;
    if (this.#focuses.size >= MOST_FOCUSES && !this.#dropIdle()) return undefined;
    const focus = new Focus(found, this.#options);
    this.#version += 1;
    this.#focuses.set(key, focus);
    return focus;
  }

  /** Resolves once `isReached`, or once the signal aborts. */
  waitUntil(isReached: () => boolean, signal: AbortSignal): Promise<void> {
    if (isReached() || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = (): void => {
        stop();
        signal.removeEventListener('abort', finish);
        resolve();
      };
      const stop = this.subscribe(() => {
        if (isReached()) finish();
      });
      signal.addEventListener('abort', finish, { once: true });
    });
  }

  async stop(): Promise<void> {
    this.#cancelGathering?.();
    const watches = this.#kinds.map(({ watched }) => watched);
    await Promise.all([...watches, ...this.#focuses.values()].map((watched) => watched.stop()));
    await Promise.all([this.#namespaces?.stop(), this.metrics.stop()]);
  }

  #attach(operators: Promise<readonly Environment[]>): Attachments {
    const { namespace } = this.#options.access;
    const namespaces = namespace === undefined ? [] : [namespace];
    const open = (): NamespaceCache =>
      (this.#namespaces ??= new Watched<KubeObject>({ kind: namespaceKind }, this.#options));
    const attachments = createAttachments({
      cache: this.#getCache<MyIngress>('MyIngress').cache,
      webApps: keepServed(this.#getCache<WebApp>('WebApp'), operators),
      namespaces,
      labels: createLabels(namespaces, open),
    });
    attachments.start();
    return attachments;
  }

  #getCache<T extends OurObject>(name: string): Watched<T> {
    const entry = this.#kinds.find(({ kind }) => kind.kind === name);
    return entry?.watched as unknown as Watched<T>;
  }

  #dropIdle(): boolean {
    for (const [key, focus] of this.#focuses) {
      if (focus.isViewed()) continue;
      this.#focuses.delete(key);
      void focus.stop();
      return true;
    }
    return false;
  }

  /** Half of the time is left for requests, however long a round takes. */
  #gather(): void {
    const { clock } = this.#options;
    this.#version += 1;
    const delayMs = Math.max(GATHER_MS, this.#lastRoundMs);
    this.#cancelGathering ??= clock.setTimer(delayMs, () => {
      this.#cancelGathering = undefined;
      const startMs = clock.monotonicMs();
      for (const listener of [...this.#listeners]) listener();
      this.#lastRoundMs = clock.monotonicMs() - startMs;
    });
  }
}

/** One that no operator serves is as if it did not exist. */
function keepServed(
  { cache, synced }: Watched<WebApp>,
  operators: Promise<readonly Environment[]>,
): AttachmentParts['webApps'] {
  return {
    synced: Promise.all([synced, operators]).then(() => undefined),
    cache: {
      subscribe: (onChange) => {
        void operators.then((settings) =>
          cache.subscribe((change) => {
            const { object } = change;
            onChange(isServed(object, settings) ? change : { kind: 'deleted', object });
          }),
        );
        // The page reads them until its process ends.
        return () => undefined;
      },
    },
  };
}

export interface KindState extends ReadState {
  readonly kind: OurKind;
}
