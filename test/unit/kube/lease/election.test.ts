import { beforeEach, describe, expect, it } from 'vitest';
import { kubeMetrics } from '../../../../src/kube/client/kube-metrics.ts';
import type { Lease } from '../../../../src/kube/lease/lease.ts';
import { type Candidate, ElectionBench, unavailable } from '../../../fakes/election-bench.ts';
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

describe('a candidate', () => {
  it('creates the Lease where there is none and leads at once', async () => {
    const a = bench.join('a');
    expect(a.election.isLeader()).toBe(false);
    await clock.settle();
    expect(a.election.isLeader()).toBe(true);
    expect(a.news).toEqual(['acquired']);
    expect(a.transport.requests.map(({ method }) => method)).toEqual(['GET', 'POST']);
    expect(server.lease?.spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    });
    expect(a.metrics.valueOf(kubeMetrics.masterStatus, { name: 'albridge' })).toBe(1);
    await a.election.stop();
  });

  const free: Record<string, { holder: string; transitions: number; why: string }> = {
    'without a holder': { holder: '', transitions: 5, why: 'it was released' },
    'that it holds itself': { holder: 'a', transitions: 4, why: 'its earlier write got no answer' },
  };
  it.each(Object.entries(free))('takes a Lease %s at once', async (_, { holder, transitions }) => {
    server.edit({ holderIdentity: holder, leaseTransitions: 4, leaseDurationSeconds: 15 });
    const a = bench.join('a');
    await clock.settle();
    expect(a.election.isLeader()).toBe(true);
    expect(server.history).toEqual([`a/${transitions}`]);
    await a.election.stop();
  });

  it('waits the full duration from what it has seen, whatever the times in the record say', async () => {
    server.edit({
      holderIdentity: 'dead',
      leaseDurationSeconds: 15,
      renewTime: '1999-01-01T00:00:00.000000Z',
      leaseTransitions: 2,
    });
    const a = bench.join('a');
    await clock.advance(14_999);
    expect([a.election.isLeader(), a.writes()]).toEqual([false, 0]);
    await clock.advance(2);
    expect(a.election.isLeader()).toBe(true);
    expect(server.history).toEqual(['a/3']);
    await a.election.stop();
  });

  it('is not kept waiting by writes that are no renewals', async () => {
    server.edit({ holderIdentity: 'dead', leaseDurationSeconds: 15 });
    const a = bench.join('a');
    for (let seconds = 0; seconds < 14; seconds += 1) {
      await clock.advance(1000);
      server.touch();
    }
    await clock.advance(1001);
    expect(a.election.isLeader()).toBe(true);
    await a.election.stop();
  });

  it('keeps what others keep in the spec', async () => {
    server.edit({ holderIdentity: '', ...{ strategy: 'OldestEmulationVersion' } });
    const a = bench.join('a');
    await clock.settle();
    expect(server.lease?.spec).toMatchObject({ strategy: 'OldestEmulationVersion' });
    await a.election.stop();
  });

  it('retries while the API server does not answer', async () => {
    let isDown = true;
    const a = bench.join('a', () => (isDown ? unavailable : undefined));
    await clock.advance(20_000);
    expect(a.transport.requests.length).toBeLessThan(25);
    expect(a.messages()).toEqual(['cannot take the lease yet']);
    isDown = false;
    await clock.advance(2400);
    expect(a.election.isLeader()).toBe(true);
    await a.election.stop();
  });

  it('says once why it cannot take the Lease, and again once it has waited for a holder', async () => {
    server.edit({ holderIdentity: 'x', leaseDurationSeconds: 15 });
    let isDown = true;
    const a = bench.join('a', () => (isDown ? unavailable : undefined));
    for (const next of [false, true]) {
      await clock.advance(10_000);
      isDown = next;
    }
    await clock.advance(60_000);
    const said = ['cannot take the lease yet', 'waiting for the lease'];
    expect(a.messages().filter((message) => message.includes('the lease'))).toEqual([
      ...said,
      'cannot take the lease yet',
    ]);
    await a.election.stop();
  });

  it('whose write was done but not answered finds itself the holder', async () => {
    let lose = true;
    const a = bench.join('a', (request) => {
      if (!lose || request.method !== 'POST') return undefined;
      lose = false;
      server.answer(request);
      return unavailable;
    });
    await clock.advance(3000);
    expect(a.election.isLeader()).toBe(true);
    expect(server.history.slice(0, 2)).toEqual(['a/0', 'a/0']);
    await a.election.stop();
  });

  it('that loses the race to create leaves the lease to the winner', async () => {
    let hasRaced = false;
    const a = bench.join('a', (request) => {
      if (request.method === 'POST' && !hasRaced) server.edit({ holderIdentity: 'b' });
      hasRaced ||= request.method === 'POST';
      return undefined;
    });
    await clock.advance(5000);
    expect(a.election.isLeader()).toBe(false);
    expect(server.lease?.spec?.holderIdentity).toBe('b');
    expect(a.writes()).toBe(1);
    await a.election.stop();
  });

  it('refuses a timing in which two could lead at once', () => {
    const wrong = { leaseDurationMs: 10_000, renewDeadlineMs: 10_000, retryMs: 2000 };
    expect(() => bench.join('a', undefined, { timing: wrong })).toThrow(RangeError);
    expect(() =>
      bench.join('a', undefined, { timing: { ...wrong, renewDeadlineMs: 2100 } }),
    ).toThrow(RangeError);
  });
});

describe('the standby', () => {
  it('watches, says whom it waits for once per holder, and takes over when the Lease is released', async () => {
    const a = bench.join('a');
    await clock.advance(1000);
    const b = bench.join('b');
    await clock.advance(30_000);
    expect(b.transport.requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
    expect(b.transport.requests[1]?.query).toMatchObject({
      watch: 'true',
      fieldSelector: 'metadata.name=albridge',
    });
    expect(b.messages()).toEqual(['waiting for the lease']);
    expect(b.log.lines.find(({ level }) => level === 'info')?.fields).toMatchObject({
      lease: 'ops/albridge',
      holder: 'a',
      expiresAt: '2026-01-01T00:00:16.000Z',
    });
    await a.election.release();
    await clock.settle();
    expect([a.election.isLeader(), b.election.isLeader()]).toEqual([false, true]);
    expect(server.history.slice(-2)).toEqual(['/0', 'b/1']);
    expect(a.news).toEqual(['acquired']);
    await clock.settle();
    expect(b.transport.pending).toBe(0);
    await b.election.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps the metadata of others on a Lease that it takes over', async () => {
    server.edit({ holderIdentity: '' });
    const { metadata, ...lease } = server.lease as Lease;
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'albridge', uid: 'uid-0' };
    const foreign = { annotations: { x: 'y' }, ownerReferences: [owner] };
    server.restore({ ...lease, metadata: { ...metadata, ...foreign } });
    const a = bench.join('a');
    await clock.settle();
    const b = bench.join('b');
    await clock.advance(10_000);
    await a.election.release();
    await clock.settle();
    const write = b.transport.requests.find(({ method }) => method === 'PUT');
    expect((JSON.parse(write?.body ?? '') as Lease).metadata).toMatchObject(foreign);
    await b.election.stop();
  });

  it('names each new holder', async () => {
    server.edit({ holderIdentity: 'x', leaseDurationSeconds: 15 });
    const b = bench.join('b');
    await clock.advance(1000);
    server.edit({ holderIdentity: 'y' });
    await clock.advance(1000);
    const holders = b.log.lines.filter(({ message }) => message === 'waiting for the lease');
    expect(holders.map(({ fields }) => fields['holder'])).toEqual(['x', 'y']);
    await b.election.stop();
  });

  it('takes over when the Lease is deleted', async () => {
    server.edit({ holderIdentity: 'x', leaseDurationSeconds: 15 });
    const b = bench.join('b');
    await clock.advance(1000);
    server.remove();
    await clock.settle();
    expect(b.election.isLeader()).toBe(true);
    await b.election.stop();
  });

  it('takes over after etcd was restored from a backup', async () => {
    server.edit({ holderIdentity: 'x', leaseDurationSeconds: 15, renewTime: 'backup' });
    const backup = server.lease as Lease;
    server.edit({ renewTime: 'later' });
    const b = bench.join('b');
    await clock.advance(1000);
    server.restore(backup);
    await clock.advance(30_000);
    expect(b.election.isLeader()).toBe(true);
    await b.election.stop();
  });

  it('without the right to watch reads the Lease at each retry', async () => {
    const forbidden: Answer = {
      status: 403,
      json: { kind: 'Status', code: 403, reason: 'Forbidden', message: 'no' },
    };
    const a = bench.join('a');
    await clock.advance(1000);
    const b = bench.join('b', ({ query }) => (query?.['watch'] ? forbidden : undefined));
    await clock.advance(60_000);
    expect(b.election.isLeader()).toBe(false);
    const reads = b.transport.requests.filter(({ query }) => query === undefined);
    expect(reads.length).toBeGreaterThanOrEqual(25);
    await a.election.release();
    await clock.advance(2400);
    expect(b.election.isLeader()).toBe(true);
    await b.election.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('of two, one wins and the other waits for it', async () => {
    const a = bench.join('a');
    await clock.advance(1000);
    const rivals = [bench.join('b'), bench.join('c')];
    await clock.advance(1000);
    await a.election.release();
    await clock.advance(5000);
    expect(rivals.filter(({ election }) => election.isLeader())).toHaveLength(1);
    for (const { election } of rivals) await election.stop();
  });
});

describe('release', () => {
  it('is no leader before the write leaves, and writes an empty holder for one second', async () => {
    const ledAtWrite: boolean[] = [];
    const a: Candidate = bench.join('a', (request) => {
      if (request.body?.includes('"holderIdentity":""')) ledAtWrite.push(a.election.isLeader());
      return undefined;
    });
    await clock.advance(1000);
    await a.election.release();
    expect(ledAtWrite).toEqual([false]);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    expect(a.messages()).toEqual(['became leader', 'released the lease']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is repeated after a conflict while the Lease is still ours', async () => {
    const a = bench.join('a');
    await clock.advance(1000);
    server.edit({ renewTime: 'x' });
    await a.election.release();
    expect(server.lease?.spec?.holderIdentity).toBe('');
  });

  it('leaves the Lease of another one alone', async () => {
    const a = bench.join('a');
    await clock.advance(1000);
    server.edit({ holderIdentity: 'b' });
    await a.election.release();
    expect(server.lease?.spec?.holderIdentity).toBe('b');
  });

  it('gives up after 2 s', async () => {
    let isDown = false;
    const a = bench.join('a', () => (isDown ? 'hang' : undefined));
    await clock.advance(1000);
    isDown = true;
    const startedMs = clock.monotonicMs();
    await clock.finish(a.election.release());
    expect(clock.monotonicMs() - startedMs).toBe(2000);
    expect(a.messages().at(-1)).toBe('could not release the lease, it will expire');
  });

  it('by a candidate whose first write is under way gives away what that has taken', async () => {
    const a = bench.join('a', (request) => {
      if (request.method !== 'POST') return undefined;
      server.answer(request);
      return 'hang';
    });
    await clock.settle();
    expect(server.lease?.spec?.holderIdentity).toBe('a');
    await clock.finish(a.election.release());
    expect(server.lease?.spec?.holderIdentity).toBe('');
    expect([a.news, a.election.isLeader(), clock.pendingTimers]).toEqual([[], false, 0]);
  });

  it('after the loss writes nothing', async () => {
    let isDown = false;
    const a = bench.join('a', () => (isDown ? unavailable : undefined));
    await clock.advance(1000);
    isDown = true;
    await clock.advance(20_000);
    isDown = false;
    const asked = a.transport.requests.length;
    await a.election.release();
    expect(a.transport.requests).toHaveLength(asked);
  });

  it('by a candidate writes nothing', async () => {
    server.edit({ holderIdentity: 'x', leaseDurationSeconds: 15 });
    const a = bench.join('a');
    await clock.advance(1000);
    await a.election.release();
    expect([a.writes(), a.transport.pending, clock.pendingTimers]).toEqual([0, 0, 0]);
    expect(a.news).toEqual([]);
  });
});

const late: Record<string, { method: string; news: string[]; why: string }> = {
  'the first write': { method: 'POST', news: [], why: 'it must not lead after all' },
  'a renewal': { method: 'PUT', news: ['acquired'], why: 'it must not arm its timer again' },
};
it.each(Object.entries(late))(
  'stop outlasts an answer to %s that comes after it',
  async (_, { method, news }) => {
    const a = bench.join('a', (request) =>
      request.method === method ? bench.later(1000, server.answer(request)) : undefined,
    );
    await clock.advance(2500 * news.length);
    await clock.finish(a.election.stop());
    expect([a.election.isLeader(), a.news, clock.pendingTimers]).toEqual([false, news, 0]);
  },
);

it('stop outlasts an answer to the watch of a candidate', async () => {
  server.edit({ holderIdentity: 'other', leaseDurationSeconds: 15 });
  const a = bench.join('a', ({ lane }) =>
    lane === 'watch' ? bench.later(1000, unavailable) : undefined,
  );
  await clock.settle();
  await clock.finish(a.election.stop());
  expect([clock.monotonicMs(), clock.pendingTimers]).toEqual([1000, 0]);
});

it('stop keeps the Lease, and nothing is sent afterwards', async () => {
  const a = bench.join('a');
  await clock.advance(1000);
  await a.election.stop();
  const asked = a.transport.requests.length;
  await clock.advance(60_000);
  expect([a.election.isLeader(), a.transport.requests.length]).toEqual([false, asked]);
  expect(server.lease?.spec?.holderIdentity).toBe('a');
  expect(a.news).toEqual(['acquired']);
});
