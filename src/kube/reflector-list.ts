import type { KubeClient } from './kube-client.ts';
import { KubeError } from './kube-error.ts';
import { type Collection, collectionPath, type Query, selectorQuery } from './reflector-request.ts';

export interface ListOptions {
  readonly client: KubeClient;
  readonly collection: Collection;
  readonly signal: AbortSignal;
  readonly onItem: (item: unknown) => void;
  /** What came so far does not count; the items come again from the first on. */
  readonly onRestart: () => void;
}

interface Page {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items?: readonly unknown[] | null;
}

const PAGE_SIZE = 500;

/**
 * Reads a whole collection in pages and returns the resourceVersion to watch from. If the snapshot
 * behind the pages is compacted away on the way (410), it is read once more in one piece:
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
 * Throws what the client throws.
 */
export async function listAll(options: ListOptions): Promise<string> {
  const first = await readPage(options, { limit: `${PAGE_SIZE}` });
  try {
    await readFurtherPages(options, first);
    return first.metadata.resourceVersion;
  } catch (error) {
    if (!(error instanceof KubeError) || error.status !== 410) throw error;
    options.onRestart();
    return (await readPage(options, {})).metadata.resourceVersion;
  }
}

async function readFurtherPages(options: ListOptions, first: Page): Promise<void> {
  let token = first.metadata.continue;
  while (token) {
    const page = await readPage(options, { limit: `${PAGE_SIZE}`, continue: token });
    token = page.metadata.continue;
  }
}

async function readPage(options: ListOptions, paging: Query): Promise<Page> {
  const { client, collection, signal } = options;
  const query = { ...selectorQuery(collection), ...paging };
  const page = await client.request<Page>({
    method: 'GET',
    path: collectionPath(collection),
    query,
    signal,
  });
  signal.throwIfAborted();
  for (const item of page.items ?? []) options.onItem(item);
  return page;
}
