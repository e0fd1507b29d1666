import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { noMetrics } from '../../../../src/cli/cluster.ts';
import type { Focus } from '../../../../src/cli/ui/focus.ts';
import { type Served, servePages } from '../../../../src/cli/ui/server.ts';
import { WatchedObjects } from '../../../../src/cli/ui/watched-objects.ts';
import { KubeClient } from '../../../../src/kube/client/kube-client.ts';
import { systemClock as clock } from '../../../../src/system-clock.ts';
import {
  type AnswerTo,
  ScriptedStream,
  ScriptedTransport,
} from '../../../fakes/scripted-transport.ts';
import { asFound, createIngress } from './shop.ts';

const token = 't'.repeat(32);
const closing: (() => Promise<unknown>)[] = [];
/** What the terminal has been told. */
const reported: string[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  reported.splice(0);
});

async function serve(
  answer: AnswerTo,
  settings: readonly Readonly<Record<string, string>>[] = [],
): Promise<Served & { readonly objects: WatchedObjects }> {
  const client = new KubeClient({
    ...{ transport: new ScriptedTransport(answer), clock, metrics: noMetrics },
  });
  const operators = Promise.resolve(settings);
  const objects = new WatchedObjects({
    access: { client, namespace: undefined },
    clock,
    operators,
  });
  const served = await servePages({
    ...{ objects, clock, port: 0, token, place: 'a cluster' },
    report: (sentence) => void reported.push(sentence),
  });
  closing.push(
    () => served.close(),
    () => objects.stop(),
  );
  return { ...served, objects };
}

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

function get(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, method }, (response) => {
      const { statusCode: status = 0, headers: got } = response;
      void text(response).then((body) => resolve({ status, headers: got, body }), reject);
    });
    sent.on('error', reject);
    sent.end();
  });
}

const refuse: AnswerTo = () => ({ error: new Error('connect ECONNREFUSED 127.0.0.1:6443') });

/** Lists these objects by plural; other kinds are not installed. */
function answerLists(lists: Readonly<Record<string, readonly object[]>>): AnswerTo {
  return ({ path, query, lane }) => {
    const items = lists[path.split('/').at(-1) ?? ''];
    const message = 'the server could not find the requested resource';
    if (items === undefined) return { status: 404, json: { kind: 'Status', code: 404, message } };
    if (query?.['sendInitialEvents']) return { status: 422, json: { kind: 'Status', code: 422 } };
    if (lane === 'watch' || query?.['watch']) return 'hang';
    return { status: 200, json: { metadata: { resourceVersion: '1' }, items } };
  };
}

/** As `answerOne`, with Services and events, and `other` for some plurals. */
function answerExcept(plurals: readonly string[], other: AnswerTo): AnswerTo {
  const ours = answerLists({ myingresses: [createIngress()], events: [], endpointslices: [] });
  return (request, index) => {
    const isOther = plurals.some((plural) => request.path.endsWith(`/${plural}`));
    return (isOther ? other : ours)(request, index);
  };
}

const forbid: AnswerTo = ({ path }) => {
  const plural = path.split('/').at(-1) ?? '';
  const message = `${plural} is forbidden: User "u" cannot list resource "${plural}"`;
  return { status: 403, json: { kind: 'Status', code: 403, reason: 'Forbidden', message } };
};

/** As `answerOne`, and then what `watch` has of MyIngresses. */
function answerWatch(watch: ScriptedStream): AnswerTo {
  return (request, index) => {
    const isWatch = request.query?.['watch'] && !request.query['sendInitialEvents'];
    if (isWatch && request.path.endsWith('/myingresses')) return { stream: watch };
    return answerOne(request, index);
  };
}

let version = 1;

function asEvent(type: 'ADDED' | 'DELETED'): object {
  const object = createIngress();
  version += 1;
  return {
    type,
    object: { ...object, metadata: { ...object.metadata, resourceVersion: `${version}` } },
  };
}

interface Message {
  readonly shape: string;
  readonly state: string;
  readonly parts: Readonly<Record<string, string>>;
}

/** Reads a stream of a page, until the test ends. */
async function follow(url: string): Promise<{ readonly next: () => Promise<Message> }> {
  const sent = request(url, { headers: { accept: 'text/event-stream' } }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  closing.unshift(async () => response.destroy());
  const lines = createInterface({ input: response })[Symbol.asyncIterator]();
  const next = async (): Promise<Message> => {
    const { value = '' } = await lines.next();
    return value === '' ? next() : (JSON.parse(value.slice('data: '.length)) as Message);
  };
  return { next };
}

function readShape(html: string): string {
  return /data-shape="(\w+)"/.exec(html)?.[1] ?? '';
}

const answerOne = answerLists({ myingresses: [createIngress()] });

/** Those of this machine besides 127.0.0.1; on Linux all of 127.0.0.0/8 are its own. */
function listOtherAddresses(): readonly string[] {
  const own = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  const texts = own.map(({ address, scopeid }) => (scopeid ? `${address}%${scopeid}` : address));
  const others = texts.filter((text) => text !== '127.0.0.1');
  return process.platform === 'linux' ? [...others, '127.0.0.2'] : others;
}

describe('the server of the page', () => {
  it('answers on 127.0.0.1 with a strict policy, and is not kept by the browser', async () => {
    const { url } = await serve(answerOne);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/t{32}\/$/);
    const { status, headers, body } = await get(url);
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(body).toContain('myingresses/shop/web');
  });

  it('is not reachable under any other address of this machine', async () => {
    const { url } = await serve(answerOne);
    const port = Number(new URL(url).port);
    for (const host of listOtherAddresses()) {
      const socket = connect({ host, port });
      const outcome = once(socket, 'connect').catch((error: Error) => error);
      expect(await outcome, host).toBeInstanceOf(Error);
      socket.destroy();
    }
  });

  it('refuses without the token, under another name, and whatever is not GET, also for the stream', async () => {
    const { url } = await serve(answerOne);
    const { origin } = new URL(url);
    const stream = { accept: 'text/event-stream' };
    for (const headers of [{}, stream] as Record<string, string>[]) {
      expect((await get(origin, headers)).status).toBe(403);
      expect((await get(`${origin}/wrong/`, headers)).status).toBe(403);
      expect((await get(url, { ...headers, host: 'evil.example' })).status).toBe(403);
      expect((await get(url, headers, 'POST')).status).toBe(405);
    }
    const refused = await get(origin);
    expect(refused.body).not.toContain(token);
    expect(refused.headers['content-security-policy']).toContain("default-src 'none'");
  });

  it('says which kinds are not installed, and shows the others', async () => {
    const { url } = await serve(answerOne);
    const { body } = await get(url);
    expect(body).toContain('but not ConfigMonitor, ImmortalContainer, MyApp, WebApp');
    expect(body).toContain(
      'ConfigMonitor, ImmortalContainer, MyApp, WebApp: not shown, not installed in this cluster',
    );
    expect(body).toContain('1 object, 1 not ready');
  });

  it('draws and tests the rules that other objects attach', async () => {
    const attach = (name: string, path: string): object => ({
      metadata: { name, namespace: 'shop', uid: name, creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { expose: { ingress: { name: 'web' }, hosts: ['team.example.com'], paths: [path] } },
    });
    const webapps = [attach('basket', '/basket'), attach('search', '/search')];
    const answer = answerLists({ myingresses: [createIngress()], webapps });
    const search = 'myingresses/shop/web?host=team.example.com&path=/search';
    const { url } = await serve(answer);
    const { body } = await get(`${url}${search}`);
    expect(body).toContain('<b class="good">expose (of WebApp/shop/search)</b> wins');
    expect(body).toContain('<b>expose (of WebApp/shop/basket)</b>: passed over');
    expect(body).toMatch(/<title>rule 4\. expose[^<]*: of WebApp\/shop\/basket, /);
    // Status does not confirm them.
    expect(body).toContain('By status 0 other objects have rules here, and this page knows 2');
    // Those of a kind that the operator leaves out are in no load balancer.
    const { url: other } = await serve(answer, [{ ALBRIDGE_KINDS: 'myingress' }]);
    expect((await get(`${other}${search}`)).body).not.toContain('of WebApp');
  });

  it('says that the cluster does not answer', async () => {
    const { url } = await serve(refuse);
    const { status, body } = await get(url);
    expect(status).toBe(200);
    expect(body).toContain('data-state="bad">Not live');
    expect(body).toContain(
      'MyIngress, ConfigMonitor, ImmortalContainer, MyApp, WebApp: not shown, ',
    );
    expect(body).toContain('ECONNREFUSED');
  });

  it('does not wait for a cluster that says nothing', async () => {
    const { url } = await serve(() => 'hang');
    expect((await get(url)).body).toContain('Reading a cluster ...');
  });

  it.each([
    'myingresses/shop/none',
    'myingresses/shop',
    'myingresses/shop/web/more',
    '%ff/a/b',
    'x/y/z',
  ])('says that %s is not there', async (path) => {
    const { url } = await serve(answerOne);
    const { status, body } = await get(`${url}${path}`);
    expect(status).toBe(404);
    expect(body).toContain('<h1>Not there</h1>');
  });

  it('claims no absence of what may not be listed', async () => {
    const { url } = await serve(answerExcept(['events', 'endpointslices'], forbid));
    const { body } = await get(`${url}myingresses/shop/web`);
    expect(body).toMatch(
      />Events: not shown, events is forbidden: [^<]*cannot list[^<]*: ask for /,
    );
    expect(body).toMatch(/>Targets: not shown, endpointslices is forbidden: /);
    expect(body).toContain('They have not been read');
    expect(body).toContain('Targets: They have not been read');
    expect(body).not.toContain('There are none:');
  });

  it('claims no absence of an object whose kind may not be listed, or is not read yet', async () => {
    const { url } = await serve(answerExcept(['myingresses'], forbid));
    const { status, body } = await get(`${url}myingresses/shop/web`);
    expect(status).toBe(503);
    expect(body).toContain('myingresses shop/web may exist: its kind cannot be read');
    expect(body).toMatch(/>MyIngress: not shown, myingresses is forbidden: /);
    const slow = await serve(() => 'hang');
    const unread = await get(`${slow.url}myingresses/shop/web`);
    expect(unread.status).toBe(503);
    expect(unread.body).toContain('may exist: its kind has not been read yet');
  });

  it('names all that one failure concerns in one sentence with the next step', async () => {
    const { url } = await serve(answerExcept(['events', 'endpointslices'], refuse));
    const { body } = await get(`${url}myingresses/shop/web`);
    expect(body).toMatch(
      />Events, Targets: not shown, no answer from the API server: [^<]*ECONNREFUSED[^<]*: check the context [^<]*and the network</,
    );
  });

  it('reads events and targets of the objects that pages show, of at most eight', async () => {
    const client = new KubeClient({
      ...{ transport: new ScriptedTransport(() => 'hang'), clock, metrics: noMetrics },
    });
    const objects = new WatchedObjects({ access: { client, namespace: undefined }, clock });
    closing.push(() => objects.stop());
    const focus = (name: string): Focus | undefined => objects.focus(asFound(createIngress(name)));
    const shown = Array.from({ length: 8 }, (_, index) => focus(`web-${index}`));
    const ends = shown.map((one) => one?.view());
    expect(focus('ninth')).toBeUndefined();
    expect(focus('web-3')).toBe(shown[3]);
    ends[3]?.();
    expect(focus('ninth')).toBeDefined();
    expect(focus('web-2')).toBe(shown[2]);
  });

  it('sends another shape once the document no longer fits: its object is gone, or is there', async () => {
    const watch = new ScriptedStream();
    const { url, objects } = await serve(answerWatch(watch));
    const page = `${url}myingresses/shop/web`;
    const shown = await get(page);
    const { next } = await follow(page);
    expect((await next()).shape).toBe(readShape(shown.body));
    watch.push(asEvent('DELETED'));
    const { shape } = await next();
    const gone = await get(page);
    expect(gone.status).toBe(404);
    expect(readShape(gone.body)).not.toBe(readShape(shown.body));
    expect(shape).toBe(readShape(gone.body));
    watch.push(asEvent('ADDED'));
    expect((await next()).shape).toBe(readShape(shown.body));
    // The page that was open before its object was there keeps the reads about it.
    const focus = objects.focus(asFound(createIngress()));
    for (let index = 0; index < 8; index++) objects.focus(asFound(createIngress(`web-${index}`)));
    expect(objects.focus(asFound(createIngress()))).toBe(focus);
  });

  it('answers 500 with one sentence for a page that cannot be composed, and serves the others', async () => {
    const broken = { ...createIngress('broken'), status: { conditions: 7 } };
    const { url } = await serve(answerLists({ myingresses: [createIngress(), broken] }));
    const { status, body } = await get(`${url}myingresses/shop/broken`);
    expect(status).toBe(500);
    expect(body).toMatch(
      /cannot be composed: a defect of this command, please report it: TypeError/,
    );
    await get(`${url}myingresses/shop/broken`);
    expect(reported).toEqual([expect.stringMatching(/^a page cannot be shown, a defect of this/)]);
    expect((await get(`${url}myingresses/shop/web`)).status).toBe(200);
    const { next } = await follow(url);
    expect((await next()).parts['head']).toContain('please report it');
  });

  it('reads the metrics of the operator for a browser without scripts too, which loads the page again', async () => {
    const { url } = await serve(answerOne);
    expect((await get(url)).body).toContain('its metrics are being read');
    await vi.waitFor(async () =>
      expect((await get(url)).body).toContain('its metrics are not shown: '),
    );
  });

  it('names the port that is in use', async () => {
    const { url } = await serve(answerOne);
    const port = Number(new URL(url).port);
    const objects = new WatchedObjects({
      access: {
        client: new KubeClient({
          ...{ transport: new ScriptedTransport(refuse), clock, metrics: noMetrics },
        }),
        namespace: undefined,
      },
      clock,
    });
    closing.push(() => objects.stop());
    const again = servePages({ objects, clock, port, token, place: '', report: () => {} });
    await expect(again).rejects.toThrow(
      `cannot listen on port ${port} of 127.0.0.1, it is in use: give another one with --port, or none for any free one`,
    );
  });

  it('ends although a browser is listening', async () => {
    const { url, close } = await serve(answerOne);
    const ended = get(url, { accept: 'text/event-stream' }).catch((error: Error) => error.message);
    await get(url);
    await close();
    expect(await ended).toEqual(expect.anything());
  });
});
