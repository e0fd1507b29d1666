import { expect, it } from 'vitest';
import { readAttaching } from '../../../../src/cli/plan/local-plans.ts';
import type { KubeClient } from '../../../../src/kube/client/kube-client.ts';
import { KubeError } from '../../../../src/kube/client/kube-error.ts';

const signal = new AbortController().signal;

interface Asked {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
}

function connect(answer: (asked: Asked) => object): KubeClient {
  return { request: async (asked: Asked) => answer(asked) } as unknown as KubeClient;
}

const ITEMS = ['a', 'b', 'c'].map((name) => ({ metadata: { name } }));

it('reads the objects that attach routes page by page', async () => {
  const client = connect(({ query = {} }) => {
    const from = Number(query['continue'] ?? 0);
    const end = query['limit'] === undefined ? ITEMS.length : from + 1;
    const token = end < ITEMS.length ? `${end}` : '';
    return { items: ITEMS.slice(from, end), metadata: { continue: token } };
  });
  const pages: Asked[] = [];
  const counting = connect((asked) => {
    pages.push(asked);
    return client.request(asked as never);
  });
  const { webApps, namespaces, warnings } = await readAttaching(counting, signal);
  expect(webApps).toEqual(ITEMS);
  expect(namespaces).toEqual(ITEMS);
  expect(warnings).toEqual([]);
  expect(pages).toHaveLength(6);
});

it('goes on without those that the caller may not list, and says so', async () => {
  const client = connect(() => {
    throw new KubeError({ status: 403, message: 'forbidden', reason: 'Forbidden' });
  });
  const { webApps, namespaces, warnings } = await readAttaching(client, signal);
  expect([webApps, namespaces]).toEqual([[], undefined]);
  expect(warnings).toEqual([expect.stringMatching(/^WebApps cannot be listed/)]);
});
