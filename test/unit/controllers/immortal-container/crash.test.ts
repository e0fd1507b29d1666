import { describe, expect, it } from 'vitest';
import type { CrashPlan } from '../my-ingress/crashing-ports.ts';
import { ImmortalBench, POD } from './bench.ts';

interface Story {
  readonly why: string;
  /** Before the process that is to die begins. */
  readonly before: (bench: ImmortalBench) => Promise<void>;
  /** What happens while it runs. */
  readonly act: (bench: ImmortalBench) => Promise<void>;
  readonly ends: (bench: ImmortalBench) => void;
}

const stories: Readonly<Record<string, Story>> = {
  'the first start': {
    why: 'the crash may come between the creation of the pod and the status write',
    before: async () => {},
    act: async (bench) => void (await bench.apply()),
    ends: (bench) => expect(bench.status.startTimes).toBe(1),
  },
  'a deletion': {
    why: 'the same, with a pod before it',
    before: async (bench) => void (await bench.apply()),
    act: (bench) => bench.kubelet.delete(POD),
    ends: (bench) => expect(bench.status.startTimes).toBe(2),
  },
  'an edit': {
    why: 'the old pod is deleted by the process that dies',
    before: async (bench) => void (await bench.apply()),
    act: (bench) => bench.edit('nginx:1.27'),
    ends: (bench) => {
      expect(bench.status.startTimes).toBe(2);
      expect(bench.kubelet.pod(POD)).toMatchObject({
        spec: { containers: [{ image: 'nginx:1.27' }] },
      });
    },
  },
  'an edit behind a start that was not counted': {
    why: 'who deletes the old pod deletes the only trace of its start',
    before: async (bench) => {
      bench.crash();
      await bench.start({ port: 'kube', at: 1, when: 'unanswered' });
      await bench.apply();
      expect(bench.status).toBeUndefined();
      await bench.edit('nginx:1.27');
    },
    act: async () => {},
    ends: (bench) => expect(bench.status.startTimes).toBe(2),
  },
  'a pod that ends': {
    why: 'its delay is on record, and is waited for, whoever waits',
    before: async (bench) => {
      await bench.apply();
      await bench.kubelet.run(POD);
    },
    act: async (bench) => {
      await bench.kubelet.exit(POD, 1);
      await bench.clock.advance(15_000);
    },
    ends: (bench) => {
      expect(bench.status).toMatchObject({ startTimes: 2, consecutiveFailures: 1 });
      expect(bench.status.lastTermination).toMatchObject({ reason: 'Error', exitCode: 1 });
    },
  },
};

const moments = ['before', 'unanswered', 'after'] as const;

async function play(story: Story, plan?: CrashPlan): Promise<ImmortalBench> {
  const bench = new ImmortalBench();
  await bench.start();
  await story.before(bench);
  bench.crash();
  await bench.start(plan);
  await story.act(bench);
  await bench.clock.advance(1_000);
  return bench;
}

/** Every place where the story can be cut, by running it once without a crash. */
async function cutsOf(story: Story): Promise<readonly CrashPlan[]> {
  const bench = await play(story);
  bench.stop();
  return Array.from({ length: bench.incarnation.count('kube') }, (_, i) => i + 1).flatMap((at) =>
    moments.map((when) => ({ port: 'kube' as const, at, when })),
  );
}

describe('a process that dies at any of its writes', () => {
  it.each(Object.entries(stories))('leaves an exact count: %s', async (_name, story) => {
    const cuts = await cutsOf(story);
    expect(cuts.length, story.why).toBeGreaterThan(5);
    for (const cut of cuts) {
      const bench = await play(story, cut);
      expect(bench.incarnation.isOver, JSON.stringify(cut)).toBe(true);
      await bench.start();
      await bench.clock.advance(60_000);
      expect(bench.kubelet.pods, JSON.stringify(cut)).toHaveLength(1);
      story.ends(bench);
      expect(bench.status.currentPodUID).toBe(bench.kubelet.pod(POD).metadata.uid);
      bench.takeWrites();
      await bench.clock.advance(3600_000);
      expect(bench.takeWrites(), 'a second pass changes nothing').toEqual([]);
      bench.stop();
    }
  });
});
