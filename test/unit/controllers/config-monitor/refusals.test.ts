import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DeadlineExceeded, sleep } from '../../../../src/core/ports/clock.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { translateErrors } from '../../../../src/kube/client/kube-error.ts';
import { ConfigMonitorBench } from './bench.ts';

const blocked = { kind: 'blocked', message: 'it would violate the disruption budget' } as const;

let bench: ConfigMonitorBench;
let end: AbortController;

beforeEach(async () => {
  end = new AbortController();
  bench = await ConfigMonitorBench.configured();
});

afterEach(() => {
  end.abort();
  return bench.stop();
});

/** Until the client gives up, as where a webhook hangs. */
function hang(): Promise<never> {
  return translateErrors('try it', async () => {
    await sleep(bench.clock, 30_000, end.signal);
    throw new DeadlineExceeded(30_000);
  });
}

describe('a refusal to evict', () => {
  it.each([
    ['two budgets', { kind: 'ambiguous', message: 'Two budgets.' } as const],
    [
      'a missing right',
      new OperatorError({ reason: 'Forbidden', message: 'no', healedBy: 'person' }),
    ],
    ['a budget', blocked],
  ])(
    'on pods that crash in turn: the object does not change with each crash (%s)',
    async (_, answer) => {
      bench.cluster.crashAfterMs = 5_000;
      await bench.deploy(1);
      for (const replicas of [2, 3, 4]) {
        bench.cluster.scale('frontend', replicas);
        await bench.clock.advance(2_000);
      }
      await bench.monitor();
      bench.cluster.answer = () => answer;
      await bench.change('two', 3_600_000);
      const { resourceVersion } = bench.object().metadata;
      await bench.clock.advance(7_200_000);
      expect(bench.object().metadata.resourceVersion).toBe(resourceVersion);
    },
  );

  it('is no longer reported for a pod that is gone', async () => {
    await bench.deploy(2);
    await bench.monitor();
    bench.cluster.answer = () => ({ kind: 'ambiguous', message: 'Two budgets.' });
    await bench.change('two', 60_000);
    expect(bench.message('Stalled')).toContain(bench.before[0]);
    const [first] = bench.cluster.pods();
    if (first !== undefined) await bench.cluster.delete(first, 'same');
    await bench.clock.advance(60_000);
    expect(bench.message('Stalled')).toContain(bench.before[1]);
  });

  it('by two budgets is over once another pod, which is asked first by now, is refused by one', async () => {
    await bench.deploy(4);
    await bench.monitor();
    // It goes first while it is not ready for long enough to count as available.
    bench.cluster.scale('frontend', 5);
    bench.cluster.answer = () => ({ kind: 'ambiguous', message: 'Two budgets.' });
    await bench.change('two', 60_000);
    expect(bench.condition('Stalled')).toBe('True MultiplePDBs');
    bench.cluster.answer = () => blocked;
    await bench.clock.advance(600_000);
    expect(bench.condition('Ready')).toBe('False PDBBlocked');
  });

  it('that is on its way changes nothing that another object reports', async () => {
    await bench.deploy(3);
    await bench.monitor({ maxUnavailable: '100%' });
    await bench.monitor({}, 'second');
    bench.cluster.crashAfterMs = 5_000;
    const options = { reason: 'Forbidden', message: 'no right', healedBy: 'person' } as const;
    bench.cluster.answer = ({ metadata: { name } }) =>
      name === bench.before[2] ? new OperatorError(options) : undefined;
    bench.cluster.beforeEviction = () => sleep(bench.clock, 50, new AbortController().signal);
    await bench.change('two', 3_600_000);
    const { resourceVersion } = bench.object('second').metadata;
    await bench.clock.advance(3_600_000);
    expect(bench.object('second').metadata.resourceVersion).toBe(resourceVersion);
  });
});

describe('a template that cannot be changed for now', () => {
  const options = { reason: 'ApiServerUnavailable', message: 'no', healedBy: 'time' } as const;
  async function refuse(isUnanswered: boolean, forMs = 60_000): Promise<void> {
    bench.cluster.deploy('admin', 1, { app: 'frontend' });
    await bench.deploy(2);
    await bench.monitor({ strategy: 'Rollout' });
    const restart = bench.cluster.restart.bind(bench.cluster);
    bench.cluster.restart = async (workload, at) => {
      if (workload.name === 'admin') throw new OperatorError({ ...options, isUnanswered });
      return restart(workload, at);
    };
    await bench.change('two', forMs);
  }

  /** With a pod that goes by eviction. */
  async function deployMany(): Promise<void> {
    const labels = { app: 'frontend' };
    const statefulSet = { name: 'db', labels, isStateful: true, minReadySeconds: 0, partition: 9 };
    bench.cluster.deployAs(statefulSet, 1);
    for (const name of ['admin', 'billing', 'cart', 'depot']) bench.cluster.deploy(name, 1, labels);
    await bench.deploy(2);
    await bench.monitor({ strategy: 'Rollout' });
  }

  /** Twelve, each after the ten seconds of a webhook. */
  async function failSlowly(): Promise<ReadonlyMap<string, number>> {
    for (let index = 0; index < 12; index++) {
      bench.cluster.deploy(`admin${index}`, 1, { app: 'frontend' });
    }
    await bench.deploy(1);
    await bench.monitor({ strategy: 'Rollout' });
    const failures = new Map<string, number>();
    const restart = bench.cluster.restart.bind(bench.cluster);
    bench.cluster.restart = async (workload, at) => {
      const { name } = workload;
      if (name === 'frontend') return restart(workload, at);
      failures.set(name, (failures.get(name) ?? 0) + 1);
      await sleep(bench.clock, 10_000, end.signal);
      throw new OperatorError({ ...options, message: `${name} fails` });
    };
    await bench.change('two');
    return failures;
  }

  it('keeps no other workload from its restart, and is reported after the deadline', async () => {
    await refuse(false);
    expect(bench.kept()).toBe(1);
    expect(bench.condition('Reconciling')).toBe('True ApiServerUnavailable');
    await bench.clock.advance(700_000);
    expect(bench.condition('Stalled')).toBe('True ProgressDeadlineExceeded');
    expect(bench.message('Stalled')).toContain('2 of 3 pods are restarted; no; 1 pods keep');
    expect(bench.toldOn('Deployment').at(-1)).toContain('ProgressDeadlineExceeded');
  });

  it('as a webhook hangs, keeps nothing else from its restart, and is reported after the deadline', async () => {
    await deployMany();
    const restart = bench.cluster.restart.bind(bench.cluster);
    bench.cluster.restart = (workload, at) =>
      workload.name === 'frontend' ? restart(workload, at) : hang();
    await bench.change('two', 300_000);
    expect(bench.cluster.evicted).toEqual(['db-0']);
    expect(bench.status().pendingPods).toBe(4);
    await bench.clock.advance(700_000);
    expect(bench.condition('Stalled')).toBe('True ProgressDeadlineExceeded');
  });

  it('as nothing is answered any more, ends the pass with the read of the next one', async () => {
    await deployMany();
    bench.cluster.restart = () => {
      bench.cluster.read = hang;
      return hang();
    };
    await bench.change('two', 75_000);
    expect(bench.condition('Reconciling')).toBe('True ApiServerUnavailable');
    expect(bench.cluster.evicted).toEqual([]);
  });

  it('keeps no workload from its turn where it and many others take long to fail', async () => {
    const failures = await failSlowly();
    await bench.clock.advance(300_000);
    expect(bench.kept()).toBe(12);
    expect(Math.max(...failures.values())).toBeLessThan(5);
    expect(Math.min(...failures.values())).toBeGreaterThan(0);
  });

  it('is reported for the same workload each time where many take turns', async () => {
    await failSlowly();
    const messages = new Set<string | undefined>();
    for (let pass = 0; pass < 20; pass++) {
      await bench.clock.advance(15_000);
      messages.add(bench.message('Reconciling'));
    }
    expect([...messages]).toEqual(['admin0 fails']);
  });

  it('is no longer reported once it has been changed, though its pods are not replaced yet', async () => {
    await deployMany();
    const changed = ['frontend'];
    bench.cluster.restart = async ({ name }) => {
      if (!changed.includes(name))
        throw new OperatorError({ ...options, message: `${name} fails` });
      bench.cluster.breakTemplate(name);
    };
    await bench.change('two');
    expect(bench.message('Reconciling')).toBe('admin fails');
    changed.push('admin');
    await bench.clock.advance(400_000);
    expect(bench.message('Reconciling')).toBe('billing fails');
  });

  it('is not reported in place of an API server that asks for time', async () => {
    await refuse(false);
    const busy = { reason: 'ApiServerBusy', message: 'later', healedBy: 'time' } as const;
    bench.cluster.deployAs(
      {
        name: 'db',
        labels: { app: 'frontend' },
        isStateful: true,
        minReadySeconds: 0,
        partition: 9,
      },
      1,
    );
    bench.cluster.answer = () => new OperatorError({ ...busy, notBeforeMs: 30_000 });
    await bench.change('three', 60_000);
    expect(bench.condition('Reconciling')).toBe('True ApiServerBusy');
  });

  it('is all that a pass tries where there was no answer, and the next one begins with others', async () => {
    await refuse(true, 1_000);
    expect(bench.condition('Reconciling')).toBe('True ApiServerUnavailable');
    expect(bench.cluster.asked).not.toContain('restart Deployment/frontend');
    await bench.clock.advance(60_000);
    expect(bench.kept()).toBe(1);
    expect(bench.condition('Reconciling')).toBe('True ApiServerUnavailable');
  });
});

it('a Deployment that is resumed is restarted within 10 s, although its pods have yet to stay ready', async () => {
  bench.cluster.restartsAtStart = 1;
  await bench.deploy();
  await bench.monitor({ strategy: 'Rollout', minReadySeconds: 120 });
  bench.cluster.pause('frontend');
  await bench.change('two', 5_000);
  expect(bench.condition('Stalled')).toBe('True WorkloadPaused');
  bench.cluster.pause('frontend', false);
  await bench.clock.advance(11_000);
  expect(bench.cluster.asked).toContain('restart Deployment/frontend');
});

describe('evictions that a webhook does not let through', () => {
  /** After the ten seconds that a webhook has by default. */
  async function failSlowly(): Promise<never> {
    await sleep(bench.clock, 10_000, end.signal);
    const options = { reason: 'ApiServerUnavailable', message: 'no', healedBy: 'time' } as const;
    throw new OperatorError(options);
  }

  /** So many Deployments whose pods cannot be evicted, and another one, whose pods can. */
  async function refuse(deployments: number, fail: () => Promise<never>): Promise<void> {
    for (let index = 0; index < deployments; index++) {
      bench.cluster.deploy(`admin${index}`, 2, { app: 'frontend' });
    }
    await bench.deploy(2);
    await bench.monitor({ strategy: 'Evict' });
    const evict = bench.cluster.evict.bind(bench.cluster);
    bench.cluster.evict = (pod, guard) =>
      pod.metadata.name.startsWith('frontend') ? evict(pod, guard) : fail();
    await bench.change('two', 600_000);
  }

  it.each([
    ['one hangs', 1, hang],
    ['many hang', 4, hang],
    ['many fail after ten seconds', 12, failSlowly],
  ] as const)(
    'keep no other workload from its restart, and are reported after the deadline (%s)',
    async (_, count, fail) => {
      await refuse(count, fail);
      expect(bench.cluster.evicted).toHaveLength(2);
      expect(bench.condition('Reconciling')).toBe('True ApiServerUnavailable');
      await bench.clock.advance(600_000);
      expect(bench.kept()).toBe(2 * count);
      expect(bench.condition('Stalled')).toBe('True ProgressDeadlineExceeded');
    },
  );

  it('are tried in turns also where templates hang', async () => {
    for (const name of ['admin', 'billing', 'cart']) {
      bench.cluster.deploy(name, 1, { app: 'frontend' });
    }
    const of = { labels: { app: 'frontend' }, minReadySeconds: 0, isStateful: false };
    for (const name of ['depot', 'edge', 'frontend']) {
      bench.cluster.deployAs({ ...of, name, customKind: 'CloneSet' }, 1);
    }
    await bench.clock.advance(1_000);
    await bench.monitor({ strategy: 'Auto' });
    const evict = bench.cluster.evict.bind(bench.cluster);
    bench.cluster.restart = hang;
    bench.cluster.evict = (pod, guard) =>
      pod.metadata.name.startsWith('frontend') ? evict(pod, guard) : hang();
    await bench.change('two', 400_000);
    expect(bench.cluster.evicted).toEqual(['frontend-5d9c-006']);
  });
});

describe('evictions of one owner that fail slowly', () => {
  it('lead to no more unavailable pods of the next owner than maxUnavailable allows', async () => {
    for (const name of ['admin', 'billing']) bench.cluster.deploy(name, 1, { app: 'frontend' });
    await bench.deploy();
    await bench.monitor({ strategy: 'Evict' });
    const evict = bench.cluster.evict.bind(bench.cluster);
    bench.cluster.evict = async (pod, guard) => {
      if (pod.metadata.name.startsWith('frontend')) return evict(pod, guard);
      await sleep(bench.clock, 10_000, end.signal);
      throw new OperatorError({ reason: 'ApiServerUnavailable', message: 'no', healedBy: 'time' });
    };
    await bench.change('two', 5_000);
    expect(bench.cluster.evicted).toEqual([]);
    // A node is drained meanwhile: two pods go, and their successors are not ready yet.
    bench.cluster.isBroken = true;
    for (const pod of bench.cluster.podsOf('frontend').slice(-2)) bench.kube.delete(pod);
    await bench.clock.advance(60_000);
    expect(bench.cluster.mostUnready).toBeLessThanOrEqual(2);
  });
});

it.each([3, 12, 20])(
  'an owner is not kept waiting by %i others whose evictions fail quickly',
  async (failing) => {
    for (let index = 0; index < failing; index++) {
      bench.cluster.deploy(`a${10 + index}`, 1, { app: 'frontend' });
    }
    await bench.deploy(4);
    await bench.monitor();
    const message = 'failed calling webhook "pods.example.com": connect: connection refused';
    const options = { reason: 'InternalError', message, healedBy: 'time' } as const;
    bench.cluster.answer = ({ metadata }) => {
      return metadata.name.startsWith('frontend') ? undefined : new OperatorError(options);
    };
    await bench.configure('two');
    const startMs = bench.clock.now();
    while (bench.cluster.evicted.length === 0 && bench.clock.now() - startMs < 4 * 3_600_000) {
      await bench.clock.advance(1_000);
    }
    expect((bench.clock.now() - startMs) / 1000).toBeLessThanOrEqual(60);
  },
);
