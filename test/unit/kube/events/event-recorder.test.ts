import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/core/objects/kube-object.ts';
import { kubeMetrics } from '../../../../src/kube/client/kube-metrics.ts';
import type { Answer } from '../../../fakes/scripted-transport.ts';
import { CREATED, dropped, setUp, shop } from './recorder-bench.ts';

describe('an event', () => {
  it('is written as events.k8s.io/v1 wants it', async () => {
    const { recorder, clock, transport } = setUp();

    recorder.record(shop(), CREATED);
    await clock.settle();

    const [request] = transport.requests;
    expect(request?.path).toBe('/apis/events.k8s.io/v1/namespaces/web/events');
    expect(JSON.parse(request?.body ?? '')).toEqual({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: expect.stringMatching(/^shop\.[0-9a-f]{16}$/), namespace: 'web' },
      eventTime: '2026-01-01T00:00:00.123000Z',
      reportingController: 'albridge.io/operator',
      reportingInstance: 'pod-1',
      ...CREATED,
      regarding: {
        apiVersion: 'demo.rtfm.co.ua/v1',
        kind: 'MyIngress',
        name: 'shop',
        namespace: 'web',
        uid: 'uid-1',
        resourceVersion: '7',
      },
    });
  });

  it('stands after earlier ones in a listing by name, which is what kubectl describe shows', async () => {
    const { recorder, clock, stored } = setUp();
    const notes = Array.from({ length: 10 }, (_, index) => `note ${index}`);
    for (const note of notes) {
      recorder.record(shop(), { ...CREATED, note });
      await clock.advance(1);
    }
    const listed = [...stored].sort(([one], [other]) => (one < other ? -1 : 1));
    expect(listed.map(([, event]) => event.note)).toEqual(notes);
  });

  it('goes to default where its object has no namespace', async () => {
    const { recorder, clock, transport } = setUp();
    const node: KubeObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a', uid: 'u' } };

    recorder.record(node, CREATED);
    await clock.settle();

    expect(transport.requests[0]?.path).toContain('/namespaces/default/');
  });

  it.each([
    ['é', 512],
    ['ALB', 341],
    ['🙂', 256],
  ])('has a note of at most 1024 bytes, cut between characters: %s', async (text, kept) => {
    const { recorder, clock, stored } = setUp();

    recorder.record(shop(), { ...CREATED, note: text.repeat(1000) });
    await clock.settle();

    const note = [...stored.values()][0]?.note ?? '';
    expect(note.startsWith(text.repeat(kept))).toBe(true);
    expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1024);
    expect(note).not.toContain('\ufffd');
    expect(note.isWellFormed()).toBe(true);
  });

  it('has a valid name for an object whose name is as long as names may be', async () => {
    const { recorder, clock, stored } = setUp();

    recorder.record(shop('u', `${'a'.repeat(235)}.b${'c'.repeat(16)}`), CREATED);
    await clock.settle();

    const [name] = stored.keys();
    expect(name).toMatch(/^a{235}\.[0-9a-f]{16}$/);
  });

  it('has a name that chance gives: equal seeds, equal names', async () => {
    const runs = [setUp(undefined, 1), setUp(undefined, 1), setUp(undefined, 2)];
    for (const { recorder, clock } of runs) {
      recorder.record(shop(), CREATED);
      await clock.settle();
    }
    const [a, b, c] = runs.map(({ stored }) => [...stored.keys()][0]);

    expect(a).toBe(b);
    expect(a).not.toBe(c);
  });
});

describe('a repeated event', () => {
  it('is one object whose series counts', async () => {
    const { recorder, clock, stored, transport } = setUp();

    for (let i = 0; i < 100; i++) recorder.record(shop(), CREATED);
    await clock.settle();

    expect(stored.size).toBe(1);
    expect([...stored.values()][0]?.series?.count).toBe(100);
    expect(transport.requests.length).toBeLessThanOrEqual(2);
  });

  it('counts on by patches, with the time of the last one', async () => {
    const { recorder, clock, stored } = setUp();
    recorder.record(shop(), CREATED);
    await clock.advance(60_000);

    recorder.record(shop(), CREATED);
    await clock.settle();

    const series = { count: 2, lastObservedTime: '2026-01-01T00:01:00.123000Z' };
    expect([...stored.values()]).toEqual([expect.objectContaining({ series })]);
  });

  it('begins again after six minutes of silence', async () => {
    const { recorder, clock, stored } = setUp();
    recorder.record(shop(), CREATED);
    await clock.advance(360_000);
    recorder.record(shop(), CREATED);
    await clock.advance(360_001);

    recorder.record(shop(), CREATED);
    await clock.settle();

    expect([...stored.values()].map(({ series }) => series?.count)).toEqual([2, undefined]);
  });

  it('goes on after six minutes in which the API server was away', async () => {
    const { recorder, clock, stored } = setUp((index) => (index < 10 ? 'hang' : undefined));
    recorder.record(shop(), CREATED);
    await clock.advance(370_000);
    expect(stored.size).toBe(0);

    recorder.record(shop(), CREATED);
    await clock.advance(120_000);

    expect([...stored.values()].map(({ series }) => series?.count)).toEqual([2]);
  });

  it.each([
    ['another object', shop('uid-2'), CREATED],
    ['another note', shop(), { ...CREATED, note: 'created ALB other' }],
    ['another type', shop(), { ...CREATED, type: 'Warning' as const }],
    ['another reason', shop(), { ...CREATED, reason: 'Repaired' }],
    ['another action', shop(), { ...CREATED, action: 'AddTags' }],
  ])('is another event with %s', async (_, regarding, draft) => {
    const { recorder, clock, stored } = setUp();

    recorder.record(shop(), CREATED);
    recorder.record(regarding, draft);
    await clock.settle();

    expect(stored.size).toBe(2);
  });

  it('is a new object where the API server has forgotten the old one', async () => {
    const { recorder, clock, stored } = setUp((index) =>
      index === 1 ? notFound('events', 'shop.1') : undefined,
    );
    recorder.record(shop(), CREATED);
    await clock.settle();

    recorder.record(shop(), CREATED);
    await clock.settle();

    expect([...stored.values()].map(({ series }) => series?.count)).toEqual([undefined, 2]);
  });
});

describe('too many events', () => {
  it('about one object: 25 are written, and one more in five minutes', async () => {
    const { recorder, clock, stored, metrics } = setUp();
    const recordDistinct = (from: number): void => {
      for (let i = 0; i < 1000; i++) recorder.record(shop(), { ...CREATED, note: `${from + i}` });
    };

    recordDistinct(0);
    await clock.settle();
    expect(stored.size).toBe(25);
    expect(dropped(metrics, 'rate_limited')).toBe(975);
    await clock.advance(300_000);
    recordDistinct(1000);
    await clock.settle();

    expect(stored.size).toBe(26);
  });

  it('that repeat are counted while the limit holds, and written when it lets go', async () => {
    const { recorder, clock, stored, transport } = setUp();
    for (let i = 0; i < 50; i++) {
      recorder.record(shop(), CREATED);
      await clock.advance(1000);
    }
    expect(transport.requests).toHaveLength(25);

    await clock.advance(300_000);

    expect([...stored.values()].map(({ series }) => series?.count)).toEqual([50]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('about many objects fill a bounded queue while the API server is away', async () => {
    const { recorder, clock, metrics } = setUp(() => 'hang');

    for (let i = 0; i < 5000; i++) recorder.record(shop(`uid-${i}`), CREATED);
    await clock.settle();

    expect(dropped(metrics, 'queue_full')).toBe(5000 - 4 - 4096);
  });

  it('of 1,000 objects created at once are all written, four for each', async () => {
    const { recorder, clock, metrics, stored } = setUp();

    for (let i = 0; i < 4000; i++) {
      recorder.record(shop(`uid-${i >> 2}`, `shop-${i >> 2}`), {
        ...CREATED,
        note: `step ${i % 4}`,
      });
    }
    await clock.settle();

    expect(stored.size).toBe(4000);
    expect(metrics.valueOf(kubeMetrics.eventsDropped)).toBeUndefined();
  });

  it('that are repeated while their write is under way are never written twice at once', async () => {
    const { recorder, clock, transport } = setUp((index) => (index === 0 ? 'hang' : undefined));

    recorder.record(shop(), CREATED);
    await clock.settle();
    recorder.record(shop(), CREATED);
    recorder.record(shop(), CREATED);
    await clock.settle();
    expect(transport.requests).toHaveLength(1);
  });

  it('are written in whichever microtask after another one they come', async () => {
    for (let turns = 0; turns < 100; turns++) {
      const { recorder, clock, stored } = setUp();
      recorder.record(shop(), CREATED);
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      recorder.record(shop('uid-2', 'other'), CREATED);
      await clock.settle();

      expect(stored.size, `${turns} microtasks later`).toBe(2);
    }
  });
});

describe('an event that cannot be written', () => {
  it.each([
    ['is gone', notFound('namespaces', 'web')],
    ['is being deleted', terminating()],
  ])('is dropped at once where its namespace %s', async (_, answer) => {
    const { recorder, clock, metrics, transport } = setUp(() => answer);

    recorder.record(shop(), CREATED);
    await clock.advance(3_600_000);

    expect(transport.requests).toHaveLength(1);
    expect(dropped(metrics, 'namespace_gone')).toBe(1);
  });

  it('is dropped at once where the API server refuses it', async () => {
    const refused: Answer = { status: 403, json: { kind: 'Status', message: 'no', details: {} } };
    const { recorder, clock, metrics, transport } = setUp(() => refused);

    recorder.record(shop(), CREATED);
    await clock.advance(3_600_000);

    expect(transport.requests).toHaveLength(1);
    expect(dropped(metrics, 'refused')).toBe(1);
  });

  it('is tried again while the API server is away', async () => {
    const away: Answer = { error: new Error('connect ECONNREFUSED') };
    const { recorder, clock, stored } = setUp((index) => (index < 6 ? away : undefined));

    recorder.record(shop(), CREATED);
    recorder.record(shop(), { ...CREATED, note: 'second' });
    await clock.advance(29_000);
    expect(stored.size).toBe(0);
    await clock.advance(10_000);

    expect(stored.size).toBe(2);
  });

  it('is given up after twelve tries', async () => {
    const away: Answer = { error: new Error('connect ECONNREFUSED') };
    const { recorder, clock, metrics, transport } = setUp(() => away);

    recorder.record(shop(), CREATED);
    await clock.advance(3_600_000);

    expect(transport.requests).toHaveLength(12);
    expect(dropped(metrics, 'unavailable')).toBe(1);
  });

  it('is tried twelve times again after a write that succeeded', async () => {
    const away: Answer = { error: new Error('connect ECONNREFUSED') };
    const { recorder, clock, metrics, transport } = setUp((index) =>
      index === 11 ? undefined : away,
    );

    recorder.record(shop(), CREATED);
    await clock.advance(150_000);
    recorder.record(shop(), CREATED);
    await clock.advance(3_600_000);

    expect(transport.requests).toHaveLength(12 + 12);
    expect(dropped(metrics, 'unavailable')).toBe(1);
  });

  it('counts as written where the answer to its create was lost', async () => {
    const exists: Answer = { status: 409, json: { kind: 'Status', reason: 'AlreadyExists' } };
    const lost: Answer = { error: new Error('other side closed') };
    const { recorder, clock, metrics, transport } = setUp((index) => [lost, exists][index]);

    recorder.record(shop(), CREATED);
    await clock.advance(60_000);

    expect(transport.requests).toHaveLength(2);
    expect(metrics.valueOf(kubeMetrics.eventsDropped)).toBeUndefined();
  });

  it('keeps the count of what came while the answer to its create was lost', async () => {
    const exists: Answer = { status: 409, json: { kind: 'Status', reason: 'AlreadyExists' } };
    const lost: Answer = { error: new Error('other side closed') };
    const { recorder, clock, stored } = setUp((index) => [lost, exists][index]);

    recorder.record(shop(), CREATED);
    await clock.settle();
    recorder.record(shop(), CREATED);
    await clock.advance(60_000);

    expect([...stored.values()].map(({ series }) => series?.count)).toEqual([2]);
  });
});

describe('drain', () => {
  it('writes what waits, and leaves what a full queue has dropped', async () => {
    let answer = (): void => {};
    const answered = new Promise<undefined>((done) => {
      answer = () => done(undefined);
    });
    const { recorder, clock, metrics, stored } = setUp(() => answered);
    for (let i = 0; i < 5000; i++) recorder.record(shop(`uid-${i}`, `shop-${i}`), CREATED);
    await clock.settle();
    const lost = dropped(metrics, 'queue_full');
    expect(lost).toBeGreaterThan(100);

    answer();
    await recorder.drain(new AbortController().signal);

    expect(stored.size).toBe(5000 - lost);
    expect(dropped(metrics, 'queue_full')).toBe(lost);
  });

  it('tries once more what waits for another try', async () => {
    const away: Answer = { error: new Error('connect ECONNREFUSED') };
    const { recorder, clock, stored } = setUp((index) => (index === 0 ? away : undefined));
    recorder.record(shop(), CREATED);
    await clock.settle();

    await recorder.drain(new AbortController().signal);

    expect(stored.size).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('gives up what fails on this last try', async () => {
    const away: Answer = { error: new Error('connect ECONNREFUSED') };
    const { recorder, clock, metrics } = setUp(() => away);
    recorder.record(shop(), CREATED);
    await clock.settle();

    await recorder.drain(new AbortController().signal);

    expect(dropped(metrics, 'unavailable')).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('tries no event twice whose first try is on its way', async () => {
    const { recorder, metrics, transport } = setUp(() => notFound('namespaces', 'web'));
    recorder.record(shop(), CREATED);

    await recorder.drain(new AbortController().signal);

    expect(transport.requests).toHaveLength(1);
    expect(dropped(metrics, 'namespace_gone')).toBe(1);
  });

  it('writes what waits, counted repetitions included, and records nothing afterwards', async () => {
    const { recorder, clock, stored, metrics } = setUp();
    for (let i = 0; i < 40; i++) {
      recorder.record(shop(), CREATED);
      await clock.advance(1000);
    }

    await recorder.drain(new AbortController().signal);
    recorder.record(shop(), { ...CREATED, note: 'late' });
    await clock.settle();

    expect([...stored.values()].map(({ series }) => series?.count)).toEqual([40]);
    expect(dropped(metrics, 'stopped')).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('writes what was counted during a write that was under way, though the limit had held it back', async () => {
    const { recorder, clock, stored } = setUp();
    for (let i = 0; i < 40; i++) {
      recorder.record(shop(), CREATED);
      if (i < 24) await clock.settle();
    }

    await recorder.drain(new AbortController().signal);

    expect([...stored.values()].map(({ series }) => series?.count)).toEqual([40]);
  });

  it('ends when its signal aborts, whatever still hangs or waits', async () => {
    const { recorder, clock, metrics, transport } = setUp(() => 'hang');
    for (let i = 0; i < 6; i++) recorder.record(shop(`uid-${i}`), CREATED);
    await clock.settle();
    expect(transport.pending).toBe(4);
    const controller = new AbortController();
    const drained = recorder.drain(controller.signal);

    controller.abort(new Error('grace period over'));
    await drained;

    expect(transport.pending).toBe(0);
    expect(dropped(metrics, 'stopped')).toBe(6);
    expect(clock.pendingTimers).toBe(0);
  });
});

function notFound(kind: string, name: string): Answer {
  return {
    status: 404,
    json: { kind: 'Status', reason: 'NotFound', message: 'not found', details: { kind, name } },
  };
}

function terminating(): Answer {
  const details = { name: 'x', causes: [{ reason: 'NamespaceTerminating' }] };
  return { status: 403, json: { kind: 'Status', reason: 'Forbidden', message: 'no', details } };
}
