import { describe, expect, it } from 'vitest';
import { kubeMetrics } from '../../../../src/kube/client/kube-metrics.ts';
import {
  bookmark,
  errorEvent,
  event,
  failure,
  initialStream,
  page,
  type ReflectorBench,
  startReflectorBench,
} from '../../../fakes/reflector-bench.ts';
import { type Answer, ScriptedStream } from '../../../fakes/scripted-transport.ts';

const quiet = (): Answer => ({ stream: new ScriptedStream() });
const refused = (): Answer => ({
  error: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
});
const refusal =
  (code: number, reason: string, headers: Record<string, string> = {}) =>
  (): Answer => ({ status: code, json: failure(code, reason), headers });

/** Synced at version 7, then a watch that has lived well ends; `then` answers what follows. */
async function afterGoodWatch(
  then: (nth: number) => Answer,
): Promise<ReflectorBench & { readonly laterAsked: () => readonly string[] }> {
  const first = initialStream(['a'], '7');
  const bench = startReflectorBench((_, index) => (index === 0 ? first : then(index - 1)));
  await bench.reflector.synced;
  await bench.clock.advance(5000);
  first.stream.end();
  await bench.clock.settle();
  const laterAsked = (): readonly string[] =>
    bench.asked().filter((word, index) => index > 0 && word !== 'version');
  return { ...bench, laterAsked };
}

/** Milliseconds from each request to the next. */
async function gapsOf(bench: ReflectorBench, count: number): Promise<readonly number[]> {
  const gaps: number[] = [];
  while (gaps.length < count) {
    const before = bench.asked().length;
    const startedMs = bench.clock.monotonicMs();
    while (bench.asked().length === before)
      await bench.clock.advance(bench.clock.nextTimerInMs ?? 0);
    gaps.push(bench.clock.monotonicMs() - startedMs);
  }
  return gaps;
}

describe('a watch that cannot be opened', () => {
  const cases: Record<string, { answer: () => Answer; why: string }> = {
    'by a refused connection': { answer: refused, why: 'behaviour 7: the server is down' },
    'by 500': { answer: refusal(500, 'InternalError'), why: 'the position is as good as before' },
    'by 503': { answer: refusal(503, 'ServiceUnavailable'), why: 'same' },
    'by 429': { answer: refusal(429, 'TooManyRequests'), why: 'behaviour 8' },
    'by a 429 event': {
      answer: () => ({ stream: new ScriptedStream().push(errorEvent(429, 'TooManyRequests')) }),
      why: 'the same, said in the stream',
    },
    'because it ends at once': {
      answer: () => ({ stream: new ScriptedStream().end() }),
      why: 'very short watches would be a hot loop',
    },
    'because it breaks at once': {
      answer: () => ({ stream: new ScriptedStream().break() }),
      why: 'same',
    },
  };
  it.each(Object.entries(cases))(
    '%s is tried again from the same position after 0.8 s x 2 up to 8 s, never listed',
    async (_, { answer }) => {
      const bench = await afterGoodWatch(answer);
      const gaps = await gapsOf(bench, 9);
      for (const [index, gap] of gaps.entries()) {
        const base = Math.min(800 * 2 ** index, 8000 / 1.5);
        expect(gap).toBeGreaterThanOrEqual(base);
        expect(gap).toBeLessThanOrEqual(base * 1.5);
      }
      expect(new Set(bench.laterAsked())).toEqual(new Set(['watch@7']));
      expect(bench.reflector.findFault()).toMatch(/^watch widgets\.example\.com: /);
      expect(bench.cache.list()).toHaveLength(1);
      await bench.reflector.stop();
      expect(bench.clock.pendingTimers).toBe(0);
    },
  );

  it('within ten seconds of trying is tried again soon, however often: the path may be back by then', async () => {
    const late = Object.assign(new Error('late'), { code: 'UND_ERR_CONNECT_TIMEOUT' });
    const bench = await afterGoodWatch(() => ({ error: late }));
    for (const gap of await gapsOf(bench, 6)) expect(gap).toBeLessThanOrEqual(1_200);
    expect(new Set(bench.laterAsked())).toEqual(new Set(['watch@7']));
    expect(bench.reflector.findFault()).toMatch(/no answer from the API server: late/);
    await bench.reflector.stop();
  });

  it('obeys Retry-After where that is longer than its own delay', async () => {
    const bench = await afterGoodWatch(refusal(429, 'TooManyRequests', { 'retry-after': '17' }));
    const [gap] = await gapsOf(bench, 1);
    expect(gap).toBeGreaterThanOrEqual(17_000);
    expect(gap).toBeLessThan(21_000);
    await bench.reflector.stop();
  });

  it('waits longer each time although Retry-After stays short', async () => {
    const bench = await afterGoodWatch(refusal(429, 'TooManyRequests', { 'retry-after': '1' }));
    const gaps = await gapsOf(bench, 4);
    expect(gaps[0]).toBeLessThanOrEqual(1200);
    expect(gaps[3]).toBeGreaterThan(5000);
    await bench.reflector.stop();
  });

  it.each([
    ['by 403', refusal(403, 'Forbidden')],
    ['by a Retry-After', refusal(429, 'TooManyRequests', { 'retry-after': '1' })],
  ])(
    'refused %s once the server is back is tried again soon, however long that was away',
    async (_, refuse) => {
      const bench = await afterGoodWatch((nth) => (nth < 9 ? refused() : refuse()));
      const gaps = await gapsOf(bench, 10);
      expect(gaps.at(-2)).toBeGreaterThan(5000);
      expect(gaps.at(-1)).toBeLessThanOrEqual(1200);
      await bench.reflector.stop();
    },
  );

  it('is retried, not relisted, when a fresh definition answers 429 at first', async () => {
    const first = initialStream(['a'], '7');
    const bench = startReflectorBench((_, index) =>
      index === 0 ? refusal(429, 'TooManyRequests', { 'retry-after': '1' })() : first,
    );
    await bench.clock.finish(bench.reflector.synced);
    expect(bench.clock.monotonicMs()).toBeLessThan(1500);
    expect(bench.asked()).toEqual(['watch-list', 'watch-list']);
    await bench.reflector.stop();
  });

  it('begins with short delays again after two minutes without need', async () => {
    const streams: ScriptedStream[] = [];
    const bench = await afterGoodWatch((nth) => {
      if (nth !== 4) return refused();
      streams.push(new ScriptedStream());
      return { stream: streams[0] as ScriptedStream };
    });
    await gapsOf(bench, 4);
    for (let spell = 0; spell < 50; spell += 1) {
      await bench.clock.advance(3_000);
      streams[0]?.push(bookmark(`1${spell}`));
    }
    streams[0]?.end();
    await bench.clock.settle();
    const [gap] = await gapsOf(bench, 1);
    expect(gap).toBeLessThanOrEqual(1200);
    await bench.reflector.stop();
  });
});

describe('a watch without rights or definition', () => {
  const cases: Record<string, { answer: () => Answer; says: RegExp; why: string }> = {
    'behaviour 9: 403': {
      answer: () => {
        const message = 'widgets is forbidden: User "x" cannot watch resource "widgets"';
        return { status: 403, json: { ...failure(403, 'Forbidden'), message } };
      },
      says: /^watch widgets\.example\.com: .* cannot watch resource "widgets"; grant /,
      why: 'the role lost a verb',
    },
    'a missing definition': {
      answer: refusal(404, 'NotFound'),
      says: /^watch widgets\.example\.com: .*; install the definitions: kubectl apply/,
      why: 'the CRD is not installed yet',
    },
    'a refused token': {
      answer: refusal(401, 'Unauthorized'),
      says: /^watch widgets\.example\.com: said Unauthorized/,
      why: 'credentials were replaced',
    },
  };
  it.each(Object.entries(cases))(
    '%s is named by health, logged once, tried at least each 8 s, and recovers',
    async (_, { answer, says }) => {
      let isHealed = false;
      const bench = await afterGoodWatch(() => (isHealed ? quiet() : answer()));
      const gaps = await gapsOf(bench, 8);
      expect(Math.max(...gaps)).toBeLessThanOrEqual(8000);
      expect(gaps.at(-1)).toBeGreaterThan(5000);
      expect(bench.reflector.findFault()).toMatch(says);
      expect(bench.log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
      isHealed = true;
      await gapsOf(bench, 1);
      expect(bench.reflector.findFault()).toBeUndefined();
      expect(bench.log.lines.filter(({ message }) => message === 'watching again')).toHaveLength(1);
      expect(new Set(bench.laterAsked())).toEqual(new Set(['watch@7']));
      await bench.reflector.stop();
    },
  );

  it('that was never there syncs as soon as it is', async () => {
    let isInstalled = false;
    const bench = startReflectorBench(() =>
      isInstalled ? initialStream(['a'], '7') : refusal(404, 'NotFound')(),
    );
    await bench.clock.advance(60_000);
    expect(bench.reflector.hasSynced()).toBe(false);
    isInstalled = true;
    await bench.clock.advance(10_000);
    expect(bench.seen).toEqual(['added a@1']);
    await bench.reflector.stop();
  });
});

describe('a watch that dies', () => {
  it('behaviour 6: silently is opened again from its position within 45 s, although bookmarks come only each minute', async () => {
    const bench = await afterGoodWatch(quiet);
    await bench.clock.advance(34_999);
    expect(bench.laterAsked()).toEqual(['watch@7']);
    await bench.clock.advance(10_001);
    expect(bench.laterAsked()).toEqual(['watch@7', 'watch@7']);
    expect(bench.transport.pending).toBe(1);
    await bench.reflector.stop();
  });

  it('silently is on record once, however many follow, and again after one that ended well', async () => {
    const streams: ScriptedStream[] = [];
    const bench = await afterGoodWatch(() => {
      const stream = new ScriptedStream();
      streams.push(stream);
      return { stream };
    });
    const listSilences = (): readonly unknown[] =>
      bench.log.lines.filter(({ message }) => message === 'watch was silent, opening it again');
    await bench.clock.advance(200_000);
    expect(listSilences()).toMatchObject([
      { level: 'info', fields: { silentMs: expect.any(Number) } },
    ]);
    streams.at(-1)?.end();
    await bench.clock.advance(100_000);
    expect(listSilences()).toHaveLength(2);
    await bench.reflector.stop();
  });

  it('lives past its end while bytes come, even without a whole line, and until 5 s after the last', async () => {
    const stream = new ScriptedStream();
    const bench = await afterGoodWatch((nth) => (nth === 0 ? { stream } : quiet()));
    for (let spell = 0; spell < 50; spell += 1) {
      await bench.clock.advance(4_999);
      stream.pushBytes(Buffer.from(' '));
    }
    await bench.clock.advance(4_999);
    expect(bench.laterAsked()).toEqual(['watch@7']);
    await bench.clock.advance(1);
    expect(bench.laterAsked()).toEqual(['watch@7', 'watch@7']);
    await bench.reflector.stop();
  });

  it('after a healthy life is opened again at once from its position', async () => {
    const stream = new ScriptedStream();
    const bench = await afterGoodWatch((nth) => (nth === 0 ? { stream } : quiet()));
    await bench.clock.advance(1000);
    stream.push(event('ADDED', 'b', '9')).break();
    await bench.clock.settle();
    expect(bench.laterAsked()).toEqual(['watch@7', 'watch@9']);
    await bench.reflector.stop();
  });

  it('within a second, but after a change, is opened again at once', async () => {
    const stream = new ScriptedStream().push(event('ADDED', 'b', '9')).end();
    const bench = await afterGoodWatch((nth) => (nth === 0 ? { stream } : quiet()));
    expect(bench.laterAsked()).toEqual(['watch@7', 'watch@9']);
    await bench.reflector.stop();
  });

  const wholeAgain: Record<string, { lines: (stream: ScriptedStream) => void; why: string }> = {
    'a line that is not JSON': {
      lines: (stream) => stream.pushBytes(Buffer.from('<html>\n')),
      why: 'nobody knows what it would have said',
    },
    'a line that is no event': {
      lines: (stream) => stream.push({ type: 'SURPRISE' }),
      why: 'same',
    },
    'an error event of another kind': {
      lines: (stream) => stream.push(errorEvent(500, 'InternalError')),
      why: 'the server lost its place',
    },
  };
  it.each(Object.entries(wholeAgain))(
    'by %s reads the whole again, under backoff',
    async (_, { lines }) => {
      const bench = await afterGoodWatch((nth) => {
        const stream = new ScriptedStream();
        if (nth % 2 === 1) stream.push(bookmark('8', true));
        lines(stream);
        return { stream };
      });
      expect(bench.laterAsked()).toEqual(['watch@7']);
      const gaps = await gapsOf(bench, 3);
      expect(gaps[0]).toBeGreaterThanOrEqual(800);
      expect(gaps[1]).toBeGreaterThanOrEqual(1600);
      expect(bench.laterAsked().slice(0, 3)).toEqual(['watch@7', 'watch-list', 'watch-list']);
      await bench.reflector.stop();
    },
  );

  it('does not hot-loop when listing in pages is what is refused', async () => {
    const bench = startReflectorBench(refusal(400, 'BadRequest'));
    await bench.clock.advance(10_000);
    expect(bench.asked().length).toBeLessThanOrEqual(6);
    expect(bench.reflector.findFault()).toMatch(/said BadRequest/);
    await bench.reflector.stop();
  });
});

describe('stop', () => {
  const moments: Record<
    string,
    { answer: (index: number) => Answer; afterMs: number; why: string }
  > = {
    'while connecting': { answer: () => 'hang', afterMs: 0, why: 'no answer yet' },
    'during the list': {
      answer: (index) =>
        [refusal(422, 'Invalid'), () => page(['a'], '5', 'more')][index]?.() ?? 'hang',
      afterMs: 0,
      why: 'between pages',
    },
    'during backoff': { answer: refused, afterMs: 100, why: 'a timer is armed' },
    'during a half-sent state': {
      answer: () => ({ stream: new ScriptedStream().push(event('ADDED', 'a', '1')) }),
      afterMs: 0,
      why: 'what was collected must not become visible',
    },
    'during the watch': { answer: () => initialStream(['a'], '5'), afterMs: 0, why: 'the usual' },
  };
  it.each(Object.entries(moments))(
    'behaviour 11: %s ends every request, timer and callback before it resolves',
    async (_, { answer, afterMs }) => {
      const bench = startReflectorBench((_request, index) => answer(index));
      await bench.clock.advance(afterMs);
      const logged = bench.log.lines.length;
      await bench.reflector.stop();
      expect(bench.log.lines.slice(logged)).toEqual([]);
      const asked = bench.asked().length;
      const seen = bench.seen.length;
      expect(bench.transport.pending).toBe(0);
      expect(bench.clock.pendingTimers).toBe(0);
      await bench.clock.advance(600_000);
      expect(bench.asked()).toHaveLength(asked);
      expect(bench.seen).toHaveLength(seen);
      await bench.reflector.stop();
    },
  );

  it('in the middle of a burst calls no listener any more', async () => {
    const first = initialStream([], '5');
    const bench = startReflectorBench(() => first);
    await bench.reflector.synced;
    bench.cache.subscribe(() => void bench.reflector.stop());
    first.stream.push(event('ADDED', 'a', '6'), event('ADDED', 'b', '7'));
    await bench.clock.settle();
    expect(bench.seen).toEqual(['added a@6']);
  });
});

it('counts lists, watches, short watches and failures', async () => {
  const bench = await afterGoodWatch((nth) =>
    nth === 0 ? { stream: new ScriptedStream().end() } : quiet(),
  );
  await gapsOf(bench, 1);
  const name = 'widgets.example.com';
  const { lists, watches, shortWatches, watchFailures } = kubeMetrics;
  expect(bench.metrics.valueOf(lists, { name })).toBe(1);
  expect(bench.metrics.valueOf(watches, { name })).toBe(3);
  expect(bench.metrics.valueOf(shortWatches, { name })).toBe(1);
  expect(bench.metrics.valueOf(watchFailures, { name, next: 'backoff' })).toBe(1);
  await bench.reflector.stop();
});
