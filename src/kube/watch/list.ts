import { isFields } from '../../core/objects/fields.ts';
import { type ResourceKind } from '../../core/objects/kube-object.ts';
import { addJitter, type Clock } from '../../core/ports/clock.ts';
import { BodyTooLarge } from '../../http/exchange.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { createForeignError, KubeError } from '../client/kube-error.ts';
import type { KubeRequest } from '../client/kube-transport.ts';
import { buildResourcePath } from '../client/resource-path.ts';

export interface ListOptions {
  readonly client: KubeClient;
  readonly collection: Collection;
  /** Of one page; default 500. */
  readonly mostItems?: number;
  readonly signal: AbortSignal;
  readonly onItem: (item: unknown) => void;
  /** Discards the items so far; they are sent again from the first on. */
  readonly onRestart: () => void;
}

type PageOptions = Omit<ListOptions, 'onRestart'> & Pick<KubeRequest, 'lane'>;

interface Page {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly unknown[] | null;
}

const MOST_ITEMS = 500;
/** 500, 63, 8, 1: pages of objects as large as etcd takes them need few attempts. */
const SHRINK = 8;

/**
 * Reads a whole collection in pages and returns the resourceVersion to watch from. If the snapshot
 * behind the pages is compacted away on the way (410), it is read once more: in one piece, or in new
 * pages where that is too large.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
 * Throws what the client throws.
 */
export async function listAll(options: ListOptions): Promise<string> {
  try {
    return await listPages(options);
  } catch (error) {
    if (!(error instanceof KubeError) || error.status !== 410) throw error;
    options.onRestart();
    return await listAgain(options);
  }
}

async function listPages(options: ListOptions): Promise<string> {
  const pages = new Pages(options);
  const first = await pages.read();
  let token = first.metadata.continue;
  while (token) token = (await pages.readNext(token)).metadata.continue;
  return first.metadata.resourceVersion;
}

async function listAgain(options: ListOptions): Promise<string> {
  try {
    return (await readPage(options, {})).metadata.resourceVersion;
  } catch (error) {
    if (!(error instanceof BodyTooLarge)) throw error;
    return await listPages(options);
  }
}

/**
 * Asks for fewer items where a page is too large to read, and for more again behind it. A token may be
 * used with another limit than it was given for:
 * https://github.com/kubernetes/design-proposals-archive/blob/main/api-machinery/api-chunking.md
 */
class Pages {
  readonly #options: ListOptions;
  readonly #mostItems: number;
  readonly #tokens = new Set<string>();
  #limit: number;

  constructor(options: ListOptions) {
    this.#options = options;
    this.#mostItems = options.mostItems ?? MOST_ITEMS;
    this.#limit = this.#mostItems;
  }

  /** The token of a page says where it ends: those that are repeated would be asked for without end. */
  async readNext(token: string): Promise<Page> {
    if (this.#tokens.has(token)) throw createForeignError(nameList(this.#options.collection));
    this.#tokens.add(token);
    return this.read(token);
  }

  async read(token?: string): Promise<Page> {
    const paging = { limit: `${this.#limit}`, ...(token !== undefined && { continue: token }) };
    try {
      const page = await readPage(this.#options, paging);
      this.#limit = Math.min(2 * this.#limit, this.#mostItems);
      return page;
    } catch (error) {
      if (!(error instanceof BodyTooLarge) || this.#limit === 1) throw error;
      this.#limit = Math.ceil(this.#limit / SHRINK);
      return this.read(token);
    }
  }
}

/**
 * The resourceVersion of the server now, over a connection of the watches. Any object tells it: one that labels select
 * would be looked for in the whole collection. Throws what the client throws.
 */
export async function readServerVersion({
  collection: { labelSelector: _any, ...collection },
  ...options
}: Pick<ListOptions, 'client' | 'collection' | 'signal'>): Promise<string> {
  const lane = 'watch';
  const page = await readPage({ ...options, collection, onItem: () => {}, lane }, { limit: '1' });
  return page.metadata.resourceVersion;
}

async function readPage(options: PageOptions, paging: Query): Promise<Page> {
  const { client, collection, signal, lane } = options;
  const query = { ...buildSelectorQuery(collection), ...paging };
  const page = await client.request<Page | null>({
    method: 'GET',
    path: buildResourcePath(collection.kind, { namespace: collection.namespace }),
    query,
    signal,
    ...(lane && { lane }),
  });
  signal.throwIfAborted();
  if (!isPage(page)) throw createForeignError(nameList(collection));
  for (const item of page.items ?? []) options.onItem(item);
  return page;
}

function nameList({ kind }: Collection): string {
  return `a list of ${kind.plural}`;
}

/** Another program may answer at the address of an API server, which always writes `items`. */
function isPage(answer: Partial<Page> | null): answer is Page {
  const { metadata, items } = answer ?? {};
  if (!isFields(metadata) || items === undefined || !Array.isArray(items ?? [])) return false;
  return (items ?? []).every((item) => isFields(item) && isFields(item['metadata']));
}

/** The part of a resource that a reflector follows. */
export interface Collection {
  readonly kind: ResourceKind;
  /** Absent: all namespaces, or a cluster-scoped resource. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export type Query = Readonly<Record<string, string>>;

function buildSelectorQuery(collection: Collection): Query {
  const { labelSelector, fieldSelector } = collection;
  return {
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
  };
}

const WATCH_SECONDS = { least: 30, most: 40 };

/** Spread, so that the watches of a process do not end together; in whole seconds. */
export function drawWatchSeconds(clock: Clock): number {
  const { least, most } = WATCH_SECONDS;
  return Math.floor(addJitter(clock, least, most / least - 1));
}

/**
 * `from` is the resourceVersion to go on from. Without it the watch begins with the state of the
 * whole collection as one consistent snapshot, closed by an annotated bookmark:
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists
 */
export function buildWatchQuery(
  collection: Collection,
  timeoutSeconds: number,
  from?: string,
): Query {
  const start: Query =
    from === undefined
      ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }
      : { resourceVersion: from };
  return {
    ...buildSelectorQuery(collection),
    ...start,
    watch: 'true',
    allowWatchBookmarks: 'true',
    timeoutSeconds: `${timeoutSeconds}`,
  };
}
