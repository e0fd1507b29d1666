import { describe, expect, it } from 'vitest';
import type { ClusterAccess } from '../../../../src/cli/cluster.ts';
import { noMetrics } from '../../../../src/cli/cluster.ts';
import type { CommandContext } from '../../../../src/cli/command.ts';
import { readEvents } from '../../../../src/cli/objects/events.ts';
import { findObject, listOurs } from '../../../../src/cli/objects/read.ts';
import { Flags } from '../../../../src/cli/surroundings.ts';
import { BodyTooLarge } from '../../../../src/http/exchange.ts';
import { KubeClient } from '../../../../src/kube/client/kube-client.ts';
import type { KubeTransport } from '../../../../src/kube/client/kube-transport.ts';
import { systemClock } from '../../../../src/system-clock.ts';

interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** Items of a page that is short enough to be read; default any number. */
  readonly mostItems?: number;
}

const signal = new AbortController().signal;
const MISSING = { status: 404, body: '404 page not found' };
const FORBIDDEN = {
  status: 403,
  body: { kind: 'Status', message: 'may not', reason: 'Forbidden' },
};

/** An API server that answers by the plural of the kind. */
function access(answers: Readonly<Record<string, Answer>>, asked: string[] = []): ClusterAccess {
  const transport: KubeTransport = {
    request: async ({ path, query }) => {
      asked.push(`${path}?${new URLSearchParams(query).toString()}`);
      const plural = Object.keys(answers).find((one) => path.includes(`/${one}`)) ?? '';
      const { status, body, mostItems = Infinity }: Answer = answers[plural] ?? MISSING;
      if (Number(query?.['limit'] ?? 1) > mostItems) throw new BodyTooLarge(1);
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const bytes = new TextEncoder().encode(text);
      return {
        status,
        headers: {},
        body: (async function* () {
          yield bytes;
        })(),
      };
    },
  };
  const client = new KubeClient({ transport, clock: systemClock, metrics: noMetrics });
  return { client, transport, namespace: 'shop' } as Partial<ClusterAccess> as ClusterAccess;
}

function contextOf(cluster: ClusterAccess): CommandContext {
  const context = { cluster: () => cluster, flags: new Flags({}), signal };
  return context as Partial<CommandContext> as CommandContext;
}

function named(kind: string, name: string): Answer {
  return { status: 200, body: { kind, metadata: { name, namespace: 'shop' } } };
}

function absent(name: string): Answer {
  const body = { kind: 'Status', reason: 'NotFound', message: 'gone', details: { name } };
  return { status: 404, body };
}

describe('the objects of all kinds', () => {
  it('are listed without the kinds that are not installed or may not be listed', async () => {
    const cluster = access({
      myingresses: { status: 200, body: { metadata: {}, items: [{ metadata: { name: 'web' } }] } },
      webapps: FORBIDDEN,
    });
    const listings = await listOurs(cluster, signal);
    const shown = listings.map((one) => [
      one.kind.kind,
      'objects' in one ? one.objects.map(({ metadata }) => metadata.name) : one.lack,
    ]);
    expect(Object.fromEntries(shown)).toEqual({
      MyIngress: ['web'],
      ConfigMonitor: 'not installed',
      ImmortalContainer: 'not installed',
      MyApp: 'not installed',
      WebApp: 'you may not list it',
    });
  });

  it('are read page by page', async () => {
    const asked: string[] = [];
    const page = { metadata: { continue: 'next' }, items: [{ metadata: { name: 'web' } }] };
    const pages = [page, { metadata: {}, items: [{ metadata: { name: 'shop' } }] }];
    const cluster = access(
      {
        get myingresses(): Answer {
          return { status: 200, body: pages.shift() };
        },
      },
      asked,
    );
    const [first] = await listOurs(cluster, signal);
    expect(first && 'objects' in first && first.objects.length).toBe(2);
    const lists = asked.filter((path) => path.includes('myingresses'));
    expect(lists).toEqual([
      '/apis/demo.rtfm.co.ua/v1/namespaces/shop/myingresses?limit=500',
      '/apis/demo.rtfm.co.ua/v1/namespaces/shop/myingresses?limit=500&continue=next',
    ]);
  });
});

/** Annotations of 256 KiB each in 41 objects: a page of them is longer than the transport reads. */
describe('objects that a tenant has made large', () => {
  const annotations = { 'tenant.example.com/note': 'x'.repeat(1000), 'albridge.io/paused': 'true' };
  const items = [{ metadata: { name: 'web', annotations } }];
  const large = { status: 200, body: { metadata: {}, items }, mostItems: 8 };

  it('are listed in smaller pages, and held without fields that are not read', async () => {
    const asked: string[] = [];
    const [first] = await listOurs(access({ myingresses: large }, asked), signal);
    const objects = first && 'objects' in first ? first.objects : [];
    expect(objects.map(({ metadata }) => metadata)).toEqual([
      { name: 'web', annotations: { 'albridge.io/paused': 'true' } },
    ]);
    const limits = asked.filter((path) => path.includes('myingresses'));
    expect(limits.map((path) => path.split('?')[1])).toEqual(['limit=500', 'limit=63', 'limit=8']);
  });

  it('keep no events from the reader', async () => {
    const object = { apiVersion: 'v1', kind: 'MyIngress', metadata: { name: 'web', uid: 'u' } };
    const event = { note: 'made it', metadata: { name: 'web.1' } };
    const events = { ...large, body: { metadata: {}, items: [event] } };
    const read = await readEvents(access({ events }), object, { most: 10, signal });
    expect(read?.map(({ note }) => note)).toEqual(['made it']);
  });

  it('are listed once more from the first on where the pages have expired', async () => {
    const gone = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' };
    const page = { metadata: { continue: 'next' }, items: [{ metadata: { name: 'web' } }] };
    const answers: Answer[] = [
      { status: 200, body: page },
      { status: 410, body: gone },
      { status: 200, body: { ...page, metadata: {} } },
    ];
    const cluster = access({
      get myingresses(): Answer {
        return answers.shift() ?? MISSING;
      },
    });
    const [first] = await listOurs(cluster, signal);
    expect(first && 'objects' in first && first.objects.length).toBe(1);
  });
});

describe('an object by its name', () => {
  it('is found in whatever kind has it', async () => {
    const cluster = access({ webapps: named('WebApp', 'web'), myingresses: absent('web') });
    const found = await findObject('web', contextOf(cluster));
    expect(found.kind.kind).toBe('WebApp');
  });

  const refused: Readonly<Record<string, { readonly operand: string; says: RegExp }>> = {
    'a name of two objects': {
      operand: 'web',
      says: /^"web" is the name of several objects: give one of myingress\/web, webapp\/web$/,
    },
    'a kind that is not installed': {
      operand: 'ma/web',
      says: /^MyApp: not installed in this cluster \(docs\/install\.md\)$/,
    },
    'a kind that the caller may not read': {
      operand: 'cmon/web',
      says: /^ConfigMonitor: you may not read them: ask for the role "view" there \(deploy\/components\/user-roles adds our kinds to it\)$/,
    },
    'an object that is not there': {
      operand: 'ic/web',
      says: /^there is no ImmortalContainer "web" in the namespace shop: /,
    },
    'a path': { operand: 'a/b/c', says: /^"a\/b\/c" is neither NAME nor KIND\/NAME: give one/ },
    'words that are no name': { operand: 'Foo Bar', says: /^"Foo Bar" cannot be the name of an/ },
    'no name': { operand: 'mying/', says: /^"mying\/" is neither NAME nor KIND\/NAME: give/ },
  };

  it.each(Object.entries(refused))('is refused for %s', async (_name, { operand, says }) => {
    const cluster = access({
      myingresses: named('MyIngress', 'web'),
      webapps: named('WebApp', 'web'),
      configmonitors: FORBIDDEN,
      immortalcontainers: absent('web'),
    });
    await expect(findObject(operand, contextOf(cluster))).rejects.toThrow(says);
  });
});
