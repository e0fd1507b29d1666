import { beforeEach, describe, expect, it } from 'vitest';
import { createKubeClient } from '../../../src/kube/kube-client.ts';
import type { KubeRequest } from '../../../src/kube/kube-transport.ts';
import { type Election, type ElectionTiming, startElection } from '../../../src/kube/lease.ts';
import { leaseMetrics } from '../../../src/kube/lease-metrics.ts';
import { LeaseServer } from '../../fakes/lease-server.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { ProcessClock } from '../../fakes/process-clock.ts';
import { RecordingLogger, RecordingMetrics } from '../../fakes/recorders.ts';
import type { Answer, ScriptedTransport } from '../../fakes/scripted-transport.ts';

interface Candidate {
  readonly election: Election;
  readonly process: ProcessClock;
  readonly transport: ScriptedTransport;
  readonly log: RecordingLogger;
  readonly metrics: RecordingMetrics;
  readonly writes: () => number;
  /** Settled states of the two promises. */
  readonly news: string[];
}

type Intercept = (request: KubeRequest, index: number) => Answer | undefined;

let clock: ManualClock;
let server: LeaseServer;

beforeEach(() => {
  clock = new ManualClock({ seed: 7 });
  server = new LeaseServer();
});

function join(identity: string, intercept?: Intercept, timing?: ElectionTiming): Candidate {
  const process = new ProcessClock(clock);
  const log = new RecordingLogger();
  const metrics = new RecordingMetrics();
  const transport = server.transport(intercept);
  const client = createKubeClient({ transport, clock: process, metrics });
  const names = { namespace: 'ops', name: 'albridge', identity };
  const election = startElection({
    ...names,
    client,
    clock: process,
    log,
    metrics,
    ...(timing && { timing }),
  });
  const news: string[] = [];
  void election.acquired.then(() => news.push('acquired'));
  void election.lost.then(() => news.push('lost'));
  const writes = (): number => transport.requests.filter(({ method }) => method !== 'GET').length;
  return { election, process, transport, log, metrics, writes, news };
}

function messages(candidate: Candidate): readonly string[] {
  return candidate.log.lines.filter(({ level }) => level !== 'debug').map(({ message }) => message);
}

const unavailable: Answer = { error: new Error('connect ECONNREFUSED') };

describe('a candidate', () => {
  it('creates the Lease where there is none and leads at once', async () => {
    const a = join('a');
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
    expect(a.metrics.value(leaseMetrics.masterStatus, { name: 'albridge' })).toBe(1);
    await a.election.stop();
  });

  const free: Record<string, { holder: string; transitions: number; why: string }> = {
    'that nobody holds': { holder: '', transitions: 5, why: 'it was released' },
    'that it holds itself': { holder: 'a', transitions: 4, why: 'its earlier write got no answer' },
  };
  it.each(Object.entries(free))('takes a Lease %s at once', async (_, { holder, transitions }) => {
    server.edit({ holderIdentity: holder, leaseTransitions: 4, leaseDurationSeconds: 15 });
    const a = join('a');
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
    const a = join('a');
    await clock.advance(14_999);
    expect([a.election.isLeader(), a.writes()]).toEqual([false, 0]);
    await clock.advance(2);
    expect(a.election.isLeader()).toBe(true);
    expect(server.history).toEqual(['a/3']);
    await a.election.stop();
  });

  it('keeps what others keep in the spec', async () => {
    server.edit({ holderIdentity: '', ...{ strategy: 'OldestEmulationVersion' } });
    const a = join('a');
    await clock.settle();
    expect(server.lease?.spec).toMatchObject({ strategy: 'OldestEmulationVersion' });
    await a.election.stop();
  });

  it('retries while the API server does not answer', async () => {
    let isDown = true;
    const a = join('a', () => (isDown ? unavailable : undefined));
    await clock.advance(20_000);
    expect(a.transport.requests.length).toBeLessThan(25);
    isDown = false;
    await clock.advance(2400);
    expect(a.election.isLeader()).toBe(true);
    await a.election.stop();
  });

  it('whose write was done but not answered finds itself the holder', async () => {
    let lose = true;
    const a = join('a', (request) => {
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

  it('that loses the race to create looks who won', async () => {
    let hasRaced = false;
    const a = join('a', (request) => {
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
    expect(() => join('a', undefined, wrong)).toThrow(RangeError);
    expect(() => join('a', undefined, { ...wrong, renewDeadlineMs: 2100 })).toThrow(RangeError);
  });
});

describe('the leader', () => {
  it('renews about every 2 s and keeps acquireTime and transitions', async () => {
    const a = join('a');
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
    const a = join('a', () => (isDown ? unavailable : undefined));
    await clock.advance(5000);
    isDown = true;
    await clock.advance(7000);
    expect(a.election.isLeader()).toBe(true);
    isDown = false;
    await clock.advance(60_000);
    expect(a.news).toEqual(['acquired']);
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
      const a = join('a', () => (isDown ? answer : undefined));
      await clock.settle();
      isDown = true;
      await clock.advance(9999);
      expect([a.election.isLeader(), a.news]).toEqual([true, ['acquired']]);
      await clock.advance(1);
      expect([a.election.isLeader(), a.news]).toEqual([false, ['acquired', 'lost']]);
      isDown = false;
      const writes = a.writes();
      await clock.advance(60_000);
      expect([a.election.isLeader(), a.writes()]).toEqual([false, writes]);
      expect(a.metrics.value(leaseMetrics.masterStatus, { name: 'albridge' })).toBe(0);
      expect([a.transport.pending, clock.pendingTimers]).toEqual([0, 0]);
      await a.election.stop();
    },
  );

  it('has lost as soon as it learns that another one holds the Lease', async () => {
    const a = join('a');
    await clock.advance(1000);
    server.edit({ holderIdentity: 'b' });
    await clock.advance(1500);
    expect([a.election.isLeader(), a.news]).toEqual([false, ['acquired', 'lost']]);
    expect(server.lease?.spec?.holderIdentity).toBe('b');
    await a.election.stop();
  });

  it('goes on after somebody else wrote the Lease without taking it, or deleted it', async () => {
    const a = join('a');
    await clock.advance(1000);
    server.edit({ renewTime: 'x' });
    await clock.advance(3000);
    server.remove();
    await clock.advance(3000);
    expect([a.election.isLeader(), a.news]).toEqual([true, ['acquired']]);
    expect(server.lease?.spec?.holderIdentity).toBe('a');
    await a.election.stop();
  });

  it('behaviour 24: that was stopped past its deadline is none when it wakes, before any timer, and writes nothing', async () => {
    const a = join('a');
    await clock.advance(3000);
    const b = join('b');
    await clock.settle();
    a.process.stop();
    const writes = a.writes();
    await clock.advance(30_000);
    expect(b.election.isLeader()).toBe(true);
    expect(a.news).toEqual(['acquired']);
    expect(a.election.isLeader()).toBe(false);
    a.process.continue();
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

  it('is never two: a successor leads only after the stopped one has ceased to', async () => {
    const a = join('a');
    await clock.advance(3000);
    const b = join('b');
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

describe('the standby', () => {
  it('watches, says whom it waits for once per holder, and takes over when the Lease is released', async () => {
    const a = join('a');
    await clock.advance(1000);
    const b = join('b');
    await clock.advance(30_000);
    expect(b.transport.requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
    expect(b.transport.requests[1]?.query).toMatchObject({
      watch: 'true',
      fieldSelector: 'metadata.name=albridge',
    });
    expect(messages(b)).toEqual(['waiting for the lease']);
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

  it('names each new holder', async () => {
    server.edit({ holderIdentity: 'x', leaseDurationSeconds: 15 });
    const b = join('b');
    await clock.advance(1000);
    server.edit({ holderIdentity: 'y' });
    await clock.advance(1000);
    const holders = b.log.lines.filter(({ message }) => message === 'waiting for the lease');
    expect(holders.map(({ fields }) => fields['holder'])).toEqual(['x', 'y']);
    await b.election.stop();
  });

  it('takes over when the Lease is deleted', async () => {
    server.edit({ holderIdentity: 'x', leaseDurationSeconds: 15 });
    const b = join('b');
    await clock.advance(1000);
    server.remove();
    await clock.settle();
    expect(b.election.isLeader()).toBe(true);
    await b.election.stop();
  });

  it('without the right to watch reads the Lease at each retry', async () => {
    const forbidden: Answer = {
      status: 403,
      json: { kind: 'Status', code: 403, reason: 'Forbidden', message: 'no' },
    };
    const a = join('a');
    await clock.advance(1000);
    const b = join('b', ({ query }) => (query?.['watch'] ? forbidden : undefined));
    await clock.advance(60_000);
    expect(b.election.isLeader()).toBe(false);
    await a.election.release();
    await clock.advance(2400);
    expect(b.election.isLeader()).toBe(true);
    await b.election.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('of two, one wins and the other waits for it', async () => {
    const a = join('a');
    await clock.advance(1000);
    const rivals = [join('b'), join('c')];
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
    const a: Candidate = join('a', (request) => {
      if (request.body?.includes('"holderIdentity":""')) ledAtWrite.push(a.election.isLeader());
      return undefined;
    });
    await clock.advance(1000);
    await a.election.release();
    expect(ledAtWrite).toEqual([false]);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    expect(messages(a)).toEqual(['became leader', 'released the lease']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is repeated after a conflict while the Lease is still ours', async () => {
    const a = join('a');
    await clock.advance(1000);
    server.edit({ renewTime: 'x' });
    await a.election.release();
    expect(server.lease?.spec?.holderIdentity).toBe('');
  });

  it('leaves the Lease of another one alone', async () => {
    const a = join('a');
    await clock.advance(1000);
    server.edit({ holderIdentity: 'b' });
    await a.election.release();
    expect(server.lease?.spec?.holderIdentity).toBe('b');
  });

  it('gives up after 2 s', async () => {
    let isDown = false;
    const a = join('a', () => (isDown ? 'hang' : undefined));
    await clock.advance(1000);
    isDown = true;
    const startedMs = clock.monotonicMs();
    await clock.finish(a.election.release());
    expect(clock.monotonicMs() - startedMs).toBe(2000);
    expect(messages(a).at(-1)).toBe('could not release the lease, it will expire');
  });

  it('by a candidate writes nothing', async () => {
    server.edit({ holderIdentity: 'x', leaseDurationSeconds: 15 });
    const a = join('a');
    await clock.advance(1000);
    await a.election.release();
    expect([a.writes(), a.transport.pending, clock.pendingTimers]).toEqual([0, 0, 0]);
    expect(a.news).toEqual([]);
  });
});

it('stop keeps the Lease, and nothing is sent afterwards', async () => {
  const a = join('a');
  await clock.advance(1000);
  await a.election.stop();
  const asked = a.transport.requests.length;
  await clock.advance(60_000);
  expect([a.election.isLeader(), a.transport.requests.length]).toEqual([false, asked]);
  expect(server.lease?.spec?.holderIdentity).toBe('a');
  expect(a.news).toEqual(['acquired']);
});
