import { describe, expect, it } from 'vitest';
import { Batch } from '../../../../src/aws/inventory/batch.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { accountOf, arnOf, bench, never } from '../client/scripted-aws-api.ts';

interface Setup {
  readonly clock: ManualClock;
  readonly ask: Batch<string>['ask'];
  readonly loads: (readonly string[])[];
  readonly signals: AbortSignal[];
  /** Loads under way at once, at most. */
  peak: number;
}

/** Answers each key in capitals after `loadMs`. */
function setup(mostKeys = 20, loadMs = 50): Setup {
  const clock = new ManualClock();
  const world = { clock, loads: [], signals: [], peak: 0 } as unknown as Setup;
  let underWay = 0;
  const load = async (
    keys: readonly string[],
    signal: AbortSignal,
  ): Promise<Map<string, string>> => {
    world.loads.push(keys);
    world.signals.push(signal);
    world.peak = Math.max(world.peak, ++underWay);
    const { promise, resolve } = Promise.withResolvers<void>();
    clock.setTimer(loadMs, resolve);
    await promise;
    underWay--;
    if (keys.includes('bad')) throw new Error('bad is among them');
    return new Map(keys.map((key) => [key, key.toUpperCase()]));
  };
  const batch = new Batch({ clock, mostKeys, load });
  const ask: Setup['ask'] = (...question) => batch.ask(...question);
  return Object.assign(world, { ask });
}

describe('Batch', () => {
  it('answers all who ask within a moment by one load', async () => {
    const { clock, ask, loads } = setup();
    const first = ask('a', never);
    await clock.advance(4);
    const others = Promise.all([ask('b', never), ask('a', never)]);
    expect(await clock.finish(Promise.all([first, others]))).toEqual(['A', ['B', 'A']]);
    expect(loads).toEqual([['a', 'b']]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('pays for what it reads as the asker that is under way, if there is one', async () => {
    const clock = new ManualClock();
    const payers: unknown[] = [];
    const batch = new Batch<string>({
      ...{ clock, mostKeys: 1 },
      load: async (keys, _signal, findPayer) => {
        payers.push(findPayer(keys));
        return new Map(keys.map((key) => [key, key]));
      },
    });
    const web = { namespace: 'web' };
    const underWay = { ...web, isUnderWay: true };
    const asked = [batch.ask('a', never, web), batch.ask('a', never, underWay)];
    await clock.finish(Promise.all([...asked, batch.ask('b', never, web)]));
    expect(payers).toEqual([underWay, web]);
  });

  it('begins a new load for who comes later', async () => {
    const { clock, ask, loads } = setup();
    const first = ask('a', never);
    await clock.advance(6);
    await clock.finish(Promise.all([first, ask('a', never)]));
    expect(loads).toEqual([['a'], ['a']]);
  });

  it('splits many keys into loads of at most twenty that begin at once', async () => {
    const world = setup();
    const keys = Array.from({ length: 130 }, (_, i) => `key ${i}`);
    await world.clock.finish(Promise.all(keys.map((key) => world.ask(key, never))));
    expect(world.loads.map(({ length }) => length)).toEqual([20, 20, 20, 20, 20, 20, 10]);
    expect(world.loads.flat()).toEqual(keys);
    expect(world.peak).toBe(7);
  });

  it('lets one asker go without harm to the others', async () => {
    const { clock, ask, signals } = setup();
    const impatient = new AbortController();
    const leaving = expect(ask('a', impatient.signal)).rejects.toThrow('no time');
    const staying = ask('b', never);
    await clock.advance(10);
    impatient.abort(new Error('no time'));
    await leaving;
    expect(await clock.finish(staying)).toBe('B');
    expect(signals[0]?.aborted).toBe(false);
  });

  it('aborts a load when the last asker has left', async () => {
    const { clock, ask, signals } = setup();
    const pass = new AbortController();
    const leaving = Promise.allSettled([ask('a', pass.signal), ask('b', pass.signal)]);
    await clock.advance(10);
    expect(signals[0]?.aborted).toBe(false);
    pass.abort(new Error('no time'));
    await leaving;
    expect(signals[0]?.aborted).toBe(true);
  });

  it('loads nothing where all have left before it began', async () => {
    const { clock, ask, loads } = setup();
    const pass = new AbortController();
    const leaving = Promise.allSettled([ask('a', pass.signal)]);
    pass.abort(new Error('no time'));
    await leaving;
    await clock.advance(100);
    expect(loads).toEqual([]);
  });

  it('refuses a signal that has aborted already', async () => {
    const { clock, ask } = setup();
    await expect(ask('a', AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
    expect(clock.pendingTimers).toBe(0);
  });

  it('fails only those whose load failed', async () => {
    const { clock, ask } = setup(2);
    const all = Promise.allSettled(['a', 'bad', 'c', 'd'].map((key) => ask(key, never)));
    const outcomes = await clock.finish(all);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
  });

  it('has what a load reads for one namespace alone paid by its turns', async () => {
    const clock = new ManualClock();
    const paid: (string | undefined)[] = [];
    const batch = new Batch<string>({
      clock,
      mostKeys: 20,
      load: async (keys, _signal, findPayer) => {
        for (const read of [keys, ['a', 'b'], ['c']]) paid.push(findPayer(read).namespace);
        return new Map();
      },
    });
    const asker = { a: 'web', b: 'web', c: 'shop' };
    const all = Object.entries(asker).map(([key, namespace]) =>
      batch.ask(key, never, { namespace }),
    );
    await clock.finish(Promise.all(all));
    expect(paid).toEqual([undefined, 'web', 'shop']);
  });

  it('keeps no asker waiting behind loads of other namespaces that wait for tokens', async () => {
    const names = Array.from({ length: 400 }, (_, i) => `team-${Math.floor(i / 100)}-${i}`);
    const aws = bench({
      ...accountOf(new Set([...names, 'shop'])),
      DescribeTargetGroupAttributes: () => ({ Attributes: [{ Key: 'a', Value: 'b' }] }),
    });
    const { clock, traffic, loadBalancers } = aws;
    for (const name of names) {
      const { tags, targetGroups } = traffic({ namespace: name.slice(0, 6), isUnderWay: true });
      void tags.read(arnOf(name), never);
      void targetGroups.readAttributes(arnOf(name), never);
    }
    await clock.advance(5000);
    const requester = { subject: 'load balancer shop', namespace: 'shop' };
    const paying = loadBalancers.reserve(['DescribeTags'], requester, never);
    const reservation = await clock.finish(paying);
    const sinceMs = clock.monotonicMs();
    await clock.finish(
      loadBalancers.chargeTo({ namespace: 'shop', reservation }).readTags(arnOf('shop'), never),
    );
    expect(clock.monotonicMs() - sinceMs).toBeLessThan(100);
  });

  it('shares loads between namespaces only for keys that fill none of their own', async () => {
    const teams = Array.from({ length: 20 }, (_, i) => `team-${i}`);
    const names = Array.from({ length: 820 }, (_, i) => `${teams[i % 20]}-${i}`);
    const aws = bench({
      ...accountOf(new Set([...names, 'shop', 'blog'])),
      DescribeTargetGroupAttributes: () => ({ Attributes: [{ Key: 'a', Value: 'b' }] }),
    });
    const { clock, traffic } = aws;
    const read = (name: string, namespace: string) =>
      traffic({ namespace, isUnderWay: true }).tags.read(arnOf(name), never);
    names.forEach((name, i) => {
      const namespace = teams[i % 20] as string;
      void read(name, namespace);
      void traffic({ namespace, isUnderWay: true }).targetGroups.readAttributes(arnOf(name), never);
    });
    await clock.advance(5000);
    const sinceMs = clock.monotonicMs();
    void read('blog', 'blog');
    await clock.finish(read('shop', 'shop'));
    expect(clock.monotonicMs() - sinceMs).toBeLessThan(200);
  });

  it('adds no key of another namespace to the full loads of one', async () => {
    const clock = new ManualClock();
    const paid: (string | undefined)[] = [];
    const batch = new Batch<string>({
      ...{ clock, mostKeys: 3 },
      load: async (keys, _signal, findPayer) => {
        paid.push(findPayer(keys).namespace);
        return new Map();
      },
    });
    const asked = ['shop', 'web', 'web', 'blog', 'web', 'web'];
    const all = asked.map((namespace, i) => batch.ask(`key ${i}`, never, { namespace }));
    await clock.finish(Promise.all(all));
    expect(paid).toEqual(['web', undefined]);
  });

  it('pays by the reservation of any asker that has something left', async () => {
    const clock = new ManualClock();
    const paid: (boolean | undefined)[] = [];
    const batch = new Batch<string>({
      ...{ clock, mostKeys: 20 },
      load: async (keys, _signal, findPayer) => {
        const { reservation } = findPayer(keys);
        paid.push(reservation?.spend('DescribeTags'), reservation?.spend('DescribeTags'));
        return new Map();
      },
    });
    let left = 1;
    const reservations = [{ spend: () => false }, { spend: () => left-- > 0 }];
    const all = reservations.map((reservation) => batch.ask('a', never, { reservation }));
    await clock.finish(Promise.all(all));
    expect(paid).toEqual([true, false]);
  });
});
