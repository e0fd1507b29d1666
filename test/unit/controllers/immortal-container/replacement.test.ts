import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { podLabels } from '../../../../src/pods/pod.ts';
import { ImmortalBench, POD } from './bench.ts';

let bench: ImmortalBench;

beforeEach(async () => {
  bench = new ImmortalBench();
  await bench.start();
  await bench.apply();
  await bench.kubelet.run(POD);
  bench.events.recorded.splice(0);
});
afterEach(() => bench.stop());

function notes(): readonly string[] {
  return bench.events.recorded.map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
}

describe('a pod that ends by itself', () => {
  const ends: Readonly<
    Record<string, { why: string; act: () => Promise<void>; end: object; reason: string }>
  > = {
    'with an error': {
      why: 'its container has ended for good, as with activeDeadlineSeconds',
      act: () => bench.kubelet.exit(POD, 1),
      end: { reason: 'Error', exitCode: 1 },
      reason: 'Error',
    },
    'with success': {
      why: 'a graceful shutdown of its node',
      act: () => bench.kubelet.exit(POD, 0),
      end: { reason: 'Completed', exitCode: 0 },
      reason: 'Completed',
    },
    'by eviction': {
      why: 'its node runs short of memory',
      act: () => bench.kubelet.end(POD, { phase: 'Failed', reason: 'Evicted' }),
      end: { reason: 'Evicted' },
      reason: 'Evicted',
    },
    'before it began': {
      why: 'the node has no room after all',
      act: () => bench.kubelet.end(POD, { phase: 'Failed', reason: 'OutOfcpu' }),
      end: { reason: 'OutOfcpu' },
      reason: 'OutOfcpu',
    },
  };

  it.each(Object.entries(ends))(
    '%s is replaced after 10 s',
    async (_name, { act, ...expected }) => {
      await act();
      expect(bench.condition('Ready'), expected.why).toBe('False BackOff');
      expect(bench.status).toMatchObject({
        startTimes: 1,
        consecutiveFailures: 1,
        lastTermination: expected.end,
        nextStartTime: '2026-01-01T00:00:10Z',
      });
      expect(notes().filter((note) => note.startsWith('Warning BackOff'))).toHaveLength(1);
      await bench.clock.advance(9_999);
      expect(bench.status.startTimes).toBe(1);
      await bench.clock.advance(1);
      expect(bench.status).toMatchObject({ startTimes: 2, phase: 'Pending' });
      expect(bench.status.nextStartTime).toBeUndefined();
      expect(bench.events.recorded.find(({ reason }) => reason === 'PodReplaced')?.note).toBe(
        `Recreated pod shop-immortalpod (${expected.reason}), start 2`,
      );
    },
  );

  it('counts and names the end of its own container, also behind a sidecar', async () => {
    bench.kube.edit(bench.kubelet.pod(POD), (live) => {
      const { containers = [] } = live.spec ?? {};
      return { ...live, spec: { ...live.spec, containers: [{ name: 'proxy' }, ...containers] } };
    });
    const terminated = { reason: 'OOMKilled', exitCode: 137 };
    const waiting = { reason: 'CrashLoopBackOff' };
    await bench.kubelet.setStatus(POD, {
      phase: 'Running',
      containerStatuses: [
        { name: 'proxy', restartCount: 0 },
        { name: 'acontainer', restartCount: 7, state: { waiting }, lastState: { terminated } },
      ],
    });
    expect(bench.status).toMatchObject({
      containerRestarts: 7,
      lastTermination: { reason: 'OOMKilled', exitCode: 137 },
    });
    expect(bench.condition('Ready')).toBe('False CrashLooping');
  });

  it('again and again waits twice as long each time, five minutes at most', async () => {
    const delays: number[] = [];
    for (let i = 0; i < 8; i++) {
      await bench.kubelet.exit(POD, 1);
      delays.push((Date.parse(bench.status.nextStartTime ?? '') - bench.clock.now()) / 1000);
      await bench.clock.advance((delays.at(-1) as number) * 1000);
      await bench.kubelet.run(POD);
    }
    expect(delays).toEqual([10, 20, 40, 80, 160, 300, 300, 300]);
    expect(bench.status).toMatchObject({ startTimes: 9, consecutiveFailures: 8 });
  });

  it('after ten minutes of running starts that count again', async () => {
    for (const seconds of [599, 599, 600]) {
      await bench.clock.advance(seconds * 1000);
      await bench.kubelet.exit(POD, 1);
      await bench.clock.advance(300_000);
      await bench.kubelet.run(POD);
    }
    expect(bench.status.consecutiveFailures).toBe(1);
  });

  it('after ten minutes of running starts that count again, although its container started late', async () => {
    await bench.kubelet.exit(POD, 1);
    await bench.clock.advance(10_000);
    await bench.kubelet.run(POD);
    await bench.clock.advance(540_000);
    const startedAt = bench.kubelet.now;
    await bench.clock.advance(60_000);
    const terminated = { reason: 'Error', exitCode: 137, startedAt, finishedAt: bench.kubelet.now };
    await bench.kubelet.end(POD, {
      phase: 'Failed',
      reason: 'Evicted',
      containerStatuses: [{ name: 'acontainer', restartCount: 1, state: { terminated } }],
    });
    expect(bench.status.consecutiveFailures).toBe(1);
  });

  it('is replaced once behind a silent watch, although a repair alone has shown its end', async () => {
    await bench.kubelet.run(POD);
    bench.takeWrites();
    bench.kube.editMeta(bench.kubelet.pod(POD), { labels: { ...podLabels } });
    bench.pods.hold();
    await bench.kubelet.exit(POD, 1);
    await bench.clock.advance(9_000);
    expect(bench.condition('Ready')).toBe('False BackOff');
    expect(bench.takeWrites().length).toBeLessThan(5);
    await bench.clock.advance(20_000);
    expect(bench.kubelet.pods).toEqual([]);
    bench.pods.catchUp();
    await bench.clock.settle();
    expect(bench.kubelet.pods).toHaveLength(1);
    expect(bench.status.startTimes).toBe(2);
  });

  it('waits on across a restart of the operator', async () => {
    await bench.kubelet.exit(POD, 1);
    await bench.clock.advance(4_000);
    bench.crash();
    await bench.start();
    expect(bench.status).toMatchObject({ consecutiveFailures: 1, startTimes: 1 });
    await bench.clock.advance(5_999);
    expect(bench.status.startTimes).toBe(1);
    await bench.clock.advance(1);
    expect(bench.status.startTimes).toBe(2);
  });

  it('comes back at once, whichever user deletes it', async () => {
    await bench.kubelet.exit(POD, 1);
    await bench.kubelet.delete(POD);
    expect(bench.status).toMatchObject({ startTimes: 2, phase: 'Pending' });
    expect(bench.condition('Reconciling')).toBe('True Starting');
  });

  it('comes back at once with a new image, and has a clean record', async () => {
    await bench.kubelet.exit(POD, 1);
    await bench.edit('nginx:1.27');
    expect(bench.kubelet.pod(POD)).toMatchObject({
      spec: { containers: [{ image: 'nginx:1.27' }] },
    });
    expect(bench.status).toMatchObject({ startTimes: 2, consecutiveFailures: 0 });
  });
});

describe('a clock of the API server that was an hour ahead, and is right again', () => {
  beforeEach(async () => {
    const ahead = { ...bench.status, lastStartTime: '2026-01-01T01:00:00Z' };
    bench.kube.server.applyStatus(bench.object, { ...ahead });
    await bench.clock.settle();
  });

  it('hides no start', async () => {
    await bench.kubelet.delete(POD);
    expect(bench.status).toMatchObject({
      startTimes: 2,
      currentPodUID: bench.kubelet.pod(POD).metadata.uid,
      lastStartTime: '2026-01-01T00:00:00Z',
    });
  });

  it('keeps no pod that has ended, although its start is not counted after a crash', async () => {
    bench.crash();
    const { metadata } = bench.kubelet.pod(POD);
    const status = { ...bench.status, currentPodUID: 'uid-of-another' };
    bench.kube.server.applyStatus(bench.object, { ...status });
    await bench.kubelet.exit(POD, 1);
    await bench.start();
    expect(bench.status).toMatchObject({ consecutiveFailures: 1 });
    await bench.clock.advance(10_000);
    expect(bench.kubelet.pod(POD).metadata.uid).not.toBe(metadata.uid);
    expect(bench.status).toMatchObject({ startTimes: 2, consecutiveFailures: 1 });
  });
});

describe('a pod that cannot be deleted', () => {
  it('is reported once, however often that is tried', async () => {
    const away = {
      reason: 'ApiServerError',
      message: 'webhook is away',
      healedBy: 'time',
    } as const;
    bench.kube.refuse('delete', POD, new OperatorError(away));
    await bench.edit('nginx:2');
    await bench.clock.advance(3_600_000);
    expect(bench.events.reasons).toEqual(['Replacing', 'ApiServerError']);
  });
});

describe('an object that is paused while its pod is about to be replaced', () => {
  it('keeps its pod', async () => {
    const before = bench.kubelet.pod(POD).metadata.uid;
    const answer = bench.kube.holdNext('applyStatus');
    await bench.edit('nginx:1.27');
    await bench.annotate({ 'albridge.io/paused': 'true' });
    answer();
    await bench.clock.advance(60_000);
    expect(bench.kubelet.pod(POD).metadata.uid).toBe(before);
    await bench.annotate({});
    expect(bench.kubelet.pod(POD).metadata.uid).not.toBe(before);
    expect(bench.status.startTimes).toBe(2);
  });
});

describe('an edit that is refused', () => {
  it('keeps the pod that runs', async () => {
    const options = { reason: 'Forbidden', message: 'a policy', healedBy: 'person' } as const;
    bench.kube.refuse('check', POD, new OperatorError(options));
    const before = bench.kubelet.pod(POD);
    await bench.edit('nginx:1.27');
    expect(bench.kubelet.pod(POD)).toEqual(before);
    expect(bench.condition('Stalled')).toBe('True Forbidden');
  });
});

it('an object whose podTemplate is too long says that its pod is gone', async () => {
  expect(bench.condition('PodReady')).toBe('True PodReady');
  await bench.edit('nginx:latest', { tooLong: true } as never);
  await bench.kubelet.delete(POD);
  expect(bench.condition('Stalled')).toBe('True PodTemplateTooLong');
  expect(bench.kubelet.pods).toEqual([]);
  expect(bench.condition('PodReady')).toBe('False NoPod');
});
