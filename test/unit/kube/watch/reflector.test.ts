import { describe, expect, it } from 'vitest';
import { BodyTooLarge } from '../../../../src/http/exchange.ts';
import { kubeMetrics } from '../../../../src/kube/client/kube-metrics.ts';
import {
  bookmark,
  errorEvent,
  event,
  failure,
  initialStream,
  page,
  startReflectorBench,
} from '../../../fakes/reflector-bench.ts';
import { type Answer, ScriptedStream } from '../../../fakes/scripted-transport.ts';

const quiet = (): Answer => ({ stream: new ScriptedStream() });
const answers =
  (...script: readonly (() => Answer)[]) =>
  (_: unknown, index: number): Answer =>
    (script[index] ?? quiet)();
const refusal =
  (code: number, reason: string, headers = {}) =>
  (): Answer => ({
    status: code,
    json: failure(code, reason),
    headers,
  });

describe('the first state', () => {
  it('comes over one watch, becomes visible in one step, and the same watch goes on', async () => {
    const stream = new ScriptedStream();
    const bench = startReflectorBench(answers(() => ({ stream })));
    expect(bench.asked()).toEqual(['watch-list']);
    stream.push(event('ADDED', 'a', '1'), event('ADDED', 'b', '2'));
    await bench.clock.settle();
    expect(bench.seen).toEqual([]);
    expect(bench.reflector.hasSynced()).toBe(false);
    expect(bench.reflector.findFault()).toBe('watch widgets.example.com: not complete yet');
    stream.push(bookmark('7', true), event('MODIFIED', 'a', '8'));
    await bench.reflector.synced;
    await bench.clock.settle();
    expect(bench.seen).toEqual(['added a@1', 'added b@2', 'updated a@8']);
    expect(bench.reflector.findFault()).toBeUndefined();
    expect(bench.asked()).toEqual(['watch-list']);
    await bench.reflector.stop();
  });

  it('takes in what changes while it is being sent', async () => {
    const stream = new ScriptedStream().push(
      event('ADDED', 'a', '1'),
      bookmark('3'),
      event('ADDED', 'b', '2'),
      event('MODIFIED', 'a', '5'),
      event('DELETED', 'b', '6'),
      bookmark('6', true),
    );
    const bench = startReflectorBench(answers(() => ({ stream })));
    await bench.reflector.synced;
    expect(bench.seen).toEqual(['added a@5']);
    await bench.reflector.stop();
  });

  it('is complete but for an object too large to read, which is logged and starves no other', async () => {
    const stream = new ScriptedStream().push(event('ADDED', 'a', '1'));
    stream.pushBytes(Buffer.from(`{"type":"ADDED","object":"${'x'.repeat(11 * 1024 * 1024)}"}\n`));
    stream.push(event('ADDED', 'c', '3'), bookmark('3', true));
    const bench = startReflectorBench(answers(() => ({ stream })));
    await bench.reflector.synced;
    expect(bench.seen).toEqual(['added a@1', 'added c@3']);
    expect(bench.log.shown).toMatchObject([{ message: 'skipped an object too large to read' }]);
    expect(bench.reflector.findFault()).toBeUndefined();
    await bench.reflector.stop();
  });

  it('comes in smaller pages where one is too large for memory, and in larger ones again behind it', async () => {
    const limits: unknown[] = [];
    const bench = startReflectorBench((request, index) => {
      if (index === 0) return { status: 400, json: failure(400, 'BadRequest') };
      if (request.query?.['limit'] === undefined) return quiet();
      const { limit, continue: token } = request.query;
      limits.push([limit, token]);
      if (Number(limit) > 8 && token === 'large') return { error: new BodyTooLarge(1) };
      const next: Record<string, string> = { '': 'large', large: 'small', small: '' };
      const name = token === undefined ? 'a' : token;
      return page([name], '7', next[token ?? '']);
    });
    await bench.reflector.synced;
    expect(limits).toEqual([
      ['500', undefined],
      ['500', 'large'],
      ['63', 'large'],
      ['8', 'large'],
      ['16', 'small'],
    ]);
    expect(bench.cache.list().map(({ metadata }) => metadata.name)).toEqual([
      'a',
      'large',
      'small',
    ]);
    await bench.reflector.stop();
  });

  it('asks for its collection, selectors and a spread time limit', async () => {
    const bench = startReflectorBench(answers(), {
      namespace: 'a b',
      labelSelector: 'app=x',
      fieldSelector: 'metadata.name=y',
    });
    const [request] = bench.transport.requests;
    expect(request).toMatchObject({
      method: 'GET',
      path: '/apis/example.com/v1/namespaces/a%20b/widgets',
      lane: 'watch',
      query: {
        watch: 'true',
        sendInitialEvents: 'true',
        resourceVersionMatch: 'NotOlderThan',
        allowWatchBookmarks: 'true',
        labelSelector: 'app=x',
        fieldSelector: 'metadata.name=y',
      },
    });
    expect(request?.query).not.toHaveProperty('resourceVersion');
    const seconds = Number(request?.query?.['timeoutSeconds']);
    expect(seconds).toBeGreaterThanOrEqual(30);
    expect(seconds).toBeLessThanOrEqual(40);
    await bench.reflector.stop();
  });

  it.each([400, 422])(
    'behaviour 2: is listed in pages where the server answers %i, which is remembered',
    async (code) => {
      const bench = startReflectorBench(
        answers(
          refusal(code, 'Invalid'),
          () => page(['a', 'b'], '10', 'more'),
          () => page(['c'], '10'),
          () => ({ stream: new ScriptedStream().push(errorEvent(410, 'Expired')) }),
          () => page(['a', 'b', 'c'], '20'),
        ),
      );
      await bench.reflector.synced;
      expect(bench.seen).toEqual(['added a@1', 'added b@2', 'added c@1']);
      await bench.clock.settle();
      expect(bench.asked()).toEqual([
        'watch-list',
        'list',
        'list+more',
        'watch@10',
        'list',
        'watch@20',
      ]);
      expect(bench.transport.requests[1]?.query).toEqual({ limit: '500' });
      await bench.reflector.stop();
    },
  );

  it('behaviour 5: is read in one piece where the snapshot of the pages is gone', async () => {
    const bench = startReflectorBench(
      answers(
        refusal(422, 'Invalid'),
        () => page(['a', 'stale'], '10', 'more'),
        refusal(410, 'Expired'),
        () => page(['a', 'b', 'c'], '30'),
      ),
    );
    await bench.reflector.synced;
    await bench.clock.settle();
    expect(bench.cache.list().map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c']);
    expect(bench.asked()).toEqual(['watch-list', 'list', 'list+more', 'full-list', 'watch@30']);
    await bench.reflector.stop();
  });

  it('is read in new pages where the snapshot of the first is gone, and one piece is too large to read', async () => {
    const bench = startReflectorBench(
      answers(
        refusal(422, 'Invalid'),
        () => page(['a', 'stale'], '10', 'more'),
        refusal(410, 'Expired'),
        () => ({ error: new BodyTooLarge(1) }),
        () => page(['a'], '30', 'new'),
        () => page(['b'], '30'),
      ),
    );
    await bench.reflector.synced;
    await bench.clock.settle();
    expect(bench.cache.list().map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    expect(bench.asked().slice(3)).toEqual(['full-list', 'list', 'list+new', 'watch@30']);
    await bench.reflector.stop();
  });

  it('is not read without end where the server repeats the token of a page', async () => {
    const bench = startReflectorBench(
      answers(
        refusal(422, 'Invalid'),
        ...Array.from({ length: 9 }, () => () => page(['a'], '10', 'same')),
      ),
    );
    await bench.clock.settle();
    expect(bench.asked()).toEqual(['watch-list', 'list', 'list+same']);
    expect(bench.reflector.findFault()).toContain('a list of widgets');
    await bench.reflector.stop();
  });

  const cuts: Record<string, { cut: (stream: ScriptedStream) => void; why: string }> = {
    ends: { cut: (stream) => stream.end(), why: 'the server ignores sendInitialEvents' },
    breaks: { cut: (stream) => stream.break(), why: 'a proxy limits the length of a stream' },
  };
  it.each(Object.entries(cuts))(
    'is listed in pages, this once, when its watch %s before it is complete',
    async (_, { cut }) => {
      const stream = new ScriptedStream().push(event('ADDED', 'half', '1'));
      const bench = startReflectorBench(
        answers(
          () => ({ stream }),
          () => page(['a'], '10'),
          () => ({ stream: new ScriptedStream().push(errorEvent(410, 'Expired')) }),
        ),
      );
      await bench.clock.advance(5000);
      expect(bench.asked()).toEqual(['watch-list']);
      cut(stream);
      await bench.clock.finish(bench.reflector.synced);
      await bench.clock.settle();
      expect(bench.seen).toEqual(['added a@1']);
      expect(bench.asked()).toEqual(['watch-list', 'list', 'watch@10', 'watch-list']);
      await bench.reflector.stop();
    },
  );

  it('is listed in pages when its watch goes silent before it is complete', async () => {
    const bench = startReflectorBench(answers(quiet, () => page(['a'], '10')));
    await bench.clock.finish(bench.reflector.synced);
    expect(bench.clock.monotonicMs()).toBeGreaterThanOrEqual(35_000);
    expect(bench.asked().slice(0, 2)).toEqual(['watch-list', 'list']);
    await bench.reflector.stop();
  });
});

describe('the position', () => {
  const moves: Record<string, { lines: object[]; next: string; why: string }> = {
    'an event': { lines: [event('ADDED', 'b', '9')], next: 'watch@9', why: 'seen, applied' },
    'a deletion': {
      lines: [event('DELETED', 'a', '12')],
      next: 'watch@12',
      why: 'carries its own',
    },
    'a bookmark': {
      lines: [bookmark('50')],
      next: 'watch@50',
      why: 'behaviour 3: quiet selectors',
    },
    nothing: { lines: [], next: 'watch@7', why: 'the state itself has one' },
  };
  it.each(Object.entries(moves))('is moved by %s', async (_, { lines, next }) => {
    const first = initialStream(['a'], '7');
    const bench = startReflectorBench(answers(() => first));
    await bench.reflector.synced;
    first.stream.push(...lines);
    await bench.clock.advance(30_000);
    first.stream.end();
    await bench.clock.settle();
    expect(bench.asked()).toEqual(['watch-list', next]);
    await bench.reflector.stop();
  });

  it('behaviour 10: moves on past a change on which a subscriber throws', async () => {
    const first = initialStream(['a'], '7');
    const bench = startReflectorBench(answers(() => first));
    bench.cache.subscribe(() => {
      throw new Error('broken mapper');
    });
    await bench.reflector.synced;
    first.stream.push(event('ADDED', 'b', '9'));
    await bench.clock.advance(2000);
    first.stream.end();
    await bench.clock.settle();
    expect(bench.seen).toEqual(['added a@1', 'added b@9']);
    expect(bench.asked()).toEqual(['watch-list', 'watch@9']);
    const labels = { name: 'widgets.example.com' };
    expect(bench.metrics.valueOf(kubeMetrics.subscriberErrors, labels)).toBe(2);
    await bench.reflector.stop();
  });

  const losses: Record<string, { answer: () => Answer; why: string }> = {
    'a 410 event': {
      answer: () => ({ stream: new ScriptedStream().push(errorEvent(410, 'Expired')) }),
      why: 'the history was compacted',
    },
    'a 410 answer': { answer: refusal(410, 'Expired'), why: 'the same, at the door' },
  };
  it.each(Object.entries(losses))(
    'behaviour 4: is lost by %s: one relist at once, which reports exactly what differs',
    async (_, { answer }) => {
      const first = initialStream(['same', 'changed', 'gone'], '7');
      const second = new ScriptedStream().push(
        event('ADDED', 'same', '1'),
        event('ADDED', 'changed', '20'),
        event('ADDED', 'new', '21'),
        bookmark('30', true),
      );
      const script = answers(
        () => first,
        answer,
        () => ({ stream: second }),
      );
      const bench = startReflectorBench(script);
      await bench.reflector.synced;
      bench.seen.length = 0;
      await bench.clock.advance(2000);
      first.stream.end();
      await bench.clock.settle();
      expect(bench.asked()).toEqual(['watch-list', 'watch@7', 'watch-list']);
      expect(bench.seen.toSorted()).toEqual([
        'added new@21',
        'deleted gone@3',
        'updated changed@20',
      ]);
      await bench.reflector.stop();
    },
  );

  const outages: Record<string, { end: (stream: ScriptedStream) => void; why: string }> = {
    'that broke the watch': { end: (stream) => stream.break(), why: 'the server was stopped' },
    'in which nothing is heard': { end: () => {}, why: 'a path that is cut' },
    'that was refused at first': { end: (stream) => stream.end(), why: 'a shutdown in good order' },
  };
  it.each(Object.entries(outages))(
    'is lost in an outage %s, after which the server has lower versions: etcd was restored',
    async (_, { end }) => {
      const first = initialStream(['same', 'gone'], '1200');
      let isBack = false;
      const restored = new ScriptedStream().push(
        event('ADDED', 'same', '1'),
        bookmark('1000', true),
      );
      const refused = (): Answer => ({ error: new Error('connect ECONNREFUSED') });
      const bench = startReflectorBench(
        ({ query }, index) => {
          if (index === 0) return first;
          if (!isBack) return refused();
          return query?.['resourceVersion'] === undefined ? { stream: restored } : quiet();
        },
        { version: () => (isBack ? page([], '1000') : refused()) },
      );
      await bench.reflector.synced;
      bench.seen.length = 0;
      await bench.clock.advance(2000);
      end(first.stream);
      await bench.clock.advance(60_000);
      isBack = true;
      await bench.clock.advance(10_000);
      restored.push(event('ADDED', 'new', '1001'));
      await bench.clock.settle();
      expect(bench.seen).toEqual(['deleted gone@2', 'added new@1001']);
      expect(bench.reflector.findFault()).toBeUndefined();
      await bench.reflector.stop();
    },
  );

  it('is compared with the version of the server once after an outage', async () => {
    const first = initialStream(['a'], '7');
    const bench = startReflectorBench(
      answers(
        () => first,
        () => ({ stream: new ScriptedStream().push(bookmark('8')) }),
      ),
      { fieldSelector: 'metadata.name=a', labelSelector: 'app=x' },
    );
    await bench.reflector.synced;
    await bench.clock.advance(2000);
    first.stream.break();
    await bench.clock.settle();
    expect(bench.asked()).toEqual(['watch-list', 'version', 'watch@7']);
    const query = { limit: '1', fieldSelector: 'metadata.name=a' };
    expect(bench.transport.requests[1]).toMatchObject({ lane: 'watch' });
    expect(bench.transport.requests[1]?.query).toEqual(query);
    await bench.reflector.stop();
  });

  it('that is lost again soon is fetched under backoff, and two calm minutes forgive', async () => {
    const expired = (): Answer => ({
      stream: new ScriptedStream().push(bookmark('5', true), errorEvent(410, 'Expired')),
    });
    const last = initialStream([], '9');
    const bench = startReflectorBench(answers(expired, expired, () => last));
    await bench.clock.settle();
    expect(bench.asked()).toHaveLength(2);
    expect(bench.clock.nextTimerInMs).toBeGreaterThanOrEqual(800);
    await bench.clock.advance(1200);
    expect(bench.asked()).toHaveLength(3);
    for (let spell = 0; spell < 60; spell += 1) {
      last.stream.push(bookmark('9'));
      await bench.clock.advance(3_000);
    }
    last.stream.push(errorEvent(410, 'Expired'));
    await bench.clock.settle();
    expect(bench.asked()).toHaveLength(4);
    await bench.reflector.stop();
  });
});
