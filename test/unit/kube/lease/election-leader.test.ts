import { beforeEach, describe, expect, it } from 'vitest';
import { kubeMetrics } from '../../../../src/kube/client/kube-metrics.ts';
import type { Lease } from '../../../../src/kube/lease/lease.ts';
import { ElectionBench, unavailable } from '../../../fakes/election-bench.ts';
import type { LeaseServer } from '../../../fakes/lease-server.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import type { Answer } from '../../../fakes/scripted-transport.ts';

let bench: ElectionBench;
let clock: ManualClock;
let server: LeaseServer;

beforeEach(() => {
  bench = new ElectionBench();
  ({ clock, server } = bench);
});

describe('the leader', () => {
  it('renews about every 2 s and keeps acquireTime and transitions', async () => {
    const a = bench.join('a');
    await clock.advance(60_000);
    expect(a.election.isLeader()).toBe(true);
    expect(server.history.length).toBeGreaterThanOrEqual(25);
    expect(server.history.length).toBeLessThanOrEqual(31);
    expect(new Set(server.history)).toEqual(new Set(['a/0']));
    const { acquireTime, renewTime } = server.lease?.spec ?? {};
    expect(acquireTime).toBe('2026-01-01T00:00:00.000000Z');
    expect(renewTime).toMatch(/^2026-01-01T00:00:5[6-9]\.\d{6}Z$/);
    expect(a.transport.requests.filter(({ method }) => method === 'GET')).toHaveLength(1);
    await a.election.stop();
  });

  it('leads on through a short outage', async () => {
    let isDown = false;
    const a = bench.join('a', () => (isDown ? unavailable : undefined));
    await clock.advance(5000);
    isDown = true;
    await clock.advance(7000);
    expect(a.election.isLeader()).toBe(true);
    isDown = false;
    await clock.advance(60_000);
    expect(a.news).toEqual(['acquired']);
    await a.election.stop();
  });

  it('leads on when one renewal is lost in a dead connection and the next is answered slowly', async () => {
    let isLost = false;
    const a = bench.join('a', (request) => {
      if (request.method !== 'PUT' || clock.monotonicMs() < 5000) return undefined;
      if (isLost) return bench.later(1100, server.answer(request));
      isLost = true;
      return 'hang';
    });
    await clock.advance(30_000);
    expect([isLost, a.news]).toEqual([true, ['acquired']]);
    await a.election.stop();
  });

  const outages: Record<string, { answer: Answer; why: string }> = {
    'is unreachable': { answer: unavailable, why: 'refused at once' },
    'swallows requests': { answer: 'hang', why: 'half-open connection' },
  };
  it.each(Object.entries(outages))(
    'has lost when the API server %s past the renew deadline, for good',
    async (_, { answer }) => {
      let isDown = false;
      const a = bench.join('a', () => (isDown ? answer : undefined));
      await clock.settle();
      isDown = true;
      await clock.advance(9999);
      expect([a.election.isLeader(), a.news]).toEqual([true, ['acquired']]);
      await clock.advance(1);
      expect([a.election.isLeader(), a.news]).toEqual([false, ['acquired', 'lost']]);
      isDown = false;
      const writes = a.writes();
      expect(writes).toBeLessThan(20);
      await clock.advance(60_000);
      expect([a.election.isLeader(), a.writes()]).toEqual([false, writes]);
      expect(a.metrics.valueOf(kubeMetrics.masterStatus, { name: 'albridge' })).toBe(0);
      expect([a.transport.pending, clock.pendingTimers]).toEqual([0, 0]);
      await a.election.stop();
    },
  );

  it('has lost as soon as it learns that another one holds the Lease', async () => {
    const a = bench.join('a');
    await clock.advance(1000);
    server.edit({ holderIdentity: 'b' });
    await clock.advance(1500);
    expect([a.election.isLeader(), a.news]).toEqual([false, ['acquired', 'lost']]);
    expect(server.lease?.spec?.holderIdentity).toBe('b');
    await a.election.stop();
  });

  it('goes on after another client wrote the Lease without taking it, or deleted it', async () => {
    const a = bench.join('a');
    await clock.advance(1000);
    server.edit({ renewTime: 'x' });
    await clock.advance(3000);
    server.remove();
    await clock.advance(3000);
    expect([a.election.isLeader(), a.news]).toEqual([true, ['acquired']]);
    expect(server.lease?.spec?.holderIdentity).toBe('a');
    await a.election.stop();
  });

  it('goes on after etcd was restored from a backup', async () => {
    const a = bench.join('a');
    await clock.settle();
    const backup = server.lease as Lease;
    await clock.advance(5000);
    server.restore(backup);
    await clock.advance(30_000);
    expect([a.election.isLeader(), a.news]).toEqual([true, ['acquired']]);
    await a.election.stop();
  });

  it('behaviour 24: that was stopped past its deadline is none when it wakes, before any timer, and writes nothing', async () => {
    const a = bench.join('a');
    await clock.advance(3000);
    const b = bench.join('b');
    await clock.settle();
    a.process.stop();
    const writes = a.writes();
    await clock.advance(30_000);
    expect(b.election.isLeader()).toBe(true);
    expect(a.news).toEqual(['acquired']);
    expect(a.election.isLeader()).toBe(false);
    await a.process.continue();
    await clock.advance(30_000);
    expect([a.election.isLeader(), a.writes(), a.news]).toEqual([
      false,
      writes,
      ['acquired', 'lost'],
    ]);
    expect(b.election.isLeader()).toBe(true);
    await a.election.stop();
    await b.election.stop();
  });

  it('counts its time from when a renewal left, not from when the answer came', async () => {
    let answersAt = 0;
    const a = bench.join('a', (request) => {
      if (request.method !== 'PUT') return undefined;
      if (answersAt > 0) return 'hang';
      answersAt = clock.monotonicMs() + 4000;
      return bench.later(4000, server.answer(request));
    });
    await clock.advance(3000);
    const sentAt = answersAt - 4000;
    await clock.advance(sentAt + 9999 - 3000);
    expect(a.election.isLeader()).toBe(true);
    await clock.advance(1);
    expect(a.election.isLeader()).toBe(false);
    await a.election.stop();
  });

  it('counts its time from when a renewal left, not from when it was handed over', async () => {
    let sentAt = 0;
    const a = bench.join('a', undefined, {
      wrap: (transport) => ({
        request: async (request) => {
          if (request.method !== 'PUT') return await transport.request(request);
          const isFirst = sentAt === 0;
          sentAt ||= clock.monotonicMs() + 3000;
          const waitMs = isFirst ? 3000 : 60_000;
          await new Promise((resolve) => void clock.setTimer(waitMs, () => resolve(0)));
          return await transport.request(request);
        },
      }),
    });
    await clock.advance(3000);
    await clock.advance(sentAt + 9999 - 3000);
    expect(a.election.isLeader()).toBe(true);
    await clock.advance(1);
    expect(a.election.isLeader()).toBe(false);
    await clock.advance(60_000);
    await a.election.stop();
  });

  it('counts its first time from when its claim left, not from when the answer came', async () => {
    const a = bench.join('a', (request) => {
      if (request.method === 'PUT') return 'hang';
      return request.method === 'POST' ? bench.later(4000, server.answer(request)) : undefined;
    });
    await clock.advance(9999);
    expect([a.election.isLeader(), a.news]).toEqual([true, ['acquired']]);
    await clock.advance(1);
    expect([a.election.isLeader(), a.news]).toEqual([false, ['acquired', 'lost']]);
    await a.election.stop();
  });

  it('asks for a connection that no work waits for', async () => {
    const a = bench.join('a');
    await clock.advance(5000);
    const asked = a.transport.requests.map(({ method, lane }) => `${method} ${lane}`);
    expect(new Set(asked)).toEqual(new Set(['GET lease', 'POST lease', 'PUT lease']));
    await a.election.stop();
  });

  it('takes no answer that comes after its time', async () => {
    const a = bench.join('a', (request) =>
      request.method === 'PUT' ? bench.later(30_000, server.answer(request)) : undefined,
    );
    await clock.advance(60_000);
    expect([a.election.isLeader(), a.news]).toEqual([false, ['acquired', 'lost']]);
    expect(clock.pendingTimers).toBe(0);
    await a.election.stop();
  });

  it('that was stopped while a renewal waited to be sent does not send it', async () => {
    let isHeldBack = false;
    const a = bench.join('a', undefined, {
      wrap: (transport) => ({
        request: async (request) => {
          while (isHeldBack)
            await new Promise((resolve) => void clock.setTimer(500, () => resolve(0)));
          return await transport.request(request);
        },
      }),
    });
    await clock.settle();
    isHeldBack = true;
    await clock.advance(2500);
    a.process.stop();
    await clock.advance(20_000);
    const writes = a.writes();
    isHeldBack = false;
    await clock.advance(1000);
    expect(a.writes()).toBe(writes);
    await a.process.continue();
    expect(a.news).toEqual(['acquired', 'lost']);
    await a.election.stop();
  });

  it('that was stopped past its deadline starts no renewal, whatever the transport checks', async () => {
    const a = bench.join('a', undefined, {
      wrap: (transport) => ({
        request: (request) => transport.request({ ...request, beforeSend: () => {} }),
      }),
    });
    await clock.advance(3000);
    a.process.stop();
    const writes = a.writes();
    await clock.advance(20_000);
    await a.process.continue();
    expect([a.writes(), a.news]).toEqual([writes, ['acquired', 'lost']]);
    await a.election.stop();
  });

  it('is never two: a successor leads only after the stopped one has ceased to', async () => {
    const a = bench.join('a');
    await clock.advance(3000);
    const b = bench.join('b');
    await clock.settle();
    a.process.stop();
    const ledFrom = clock.monotonicMs();
    while (!b.election.isLeader()) {
      await clock.advance(100);
      expect(a.election.isLeader() && b.election.isLeader()).toBe(false);
    }
    expect(clock.monotonicMs() - ledFrom).toBeGreaterThan(12_000);
    await a.election.stop();
    await b.election.stop();
  });
});
