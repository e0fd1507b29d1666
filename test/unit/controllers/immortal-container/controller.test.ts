import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ImmortalContainer } from '../../../../src/apis/immortal-container.ts';
import { DESIRED_HASH_ANNOTATION } from '../../../../src/core/objects/annotations.ts';
import type { KubeObject } from '../../../../src/core/objects/kube-object.ts';
import { ImmortalBench, POD } from './bench.ts';

let bench: ImmortalBench;

beforeEach(async () => {
  bench = new ImmortalBench();
  await bench.start();
});
afterEach(() => bench.stop());

const LIMITED_SPEC = {
  automountServiceAccountToken: false,
  securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
  containers: [
    {
      name: 'acontainer',
      image: 'nginx:latest',
      securityContext: { allowPrivilegeEscalation: false },
    },
  ],
};

/** Applied, and its pod is ready. */
async function running(): Promise<void> {
  await bench.apply();
  await bench.kubelet.run(POD);
  bench.takeWrites();
  bench.log.lines.splice(0);
  bench.events.recorded.splice(0);
}

function notes(): readonly string[] {
  return bench.events.recorded.map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
}

describe('a new ImmortalContainer', () => {
  it("becomes the article's pod, which it owns", async () => {
    const { metadata } = await bench.apply();
    expect(bench.kubelet.pod(POD)).toMatchObject({
      metadata: {
        name: 'shop-immortalpod',
        labels: { controller: 'shop', 'app.kubernetes.io/managed-by': 'albridge' },
        ownerReferences: [
          { kind: 'ImmortalContainer', name: 'shop', uid: metadata.uid, controller: true },
        ],
      },
      spec: { containers: [{ name: 'acontainer', image: 'nginx:latest' }] },
    });
    expect(bench.object.metadata).not.toHaveProperty('finalizers');
  });

  it('gives the image neither a token of the namespace nor a way to more privileges', async () => {
    await bench.apply();
    expect(bench.kubelet.pod(POD).spec).toEqual(LIMITED_SPEC);
  });

  it('counts one start at once and is ready when its pod is', async () => {
    await bench.apply();
    expect(bench.status).toMatchObject({
      currentPod: 'shop-immortalpod',
      startTimes: 1,
      currentPodUID: bench.kubelet.pod(POD).metadata.uid,
      lastStartTime: bench.kubelet.pod(POD).metadata.creationTimestamp,
      phase: 'Pending',
    });
    expect(bench.condition('Ready')).toBe('False Starting');
    expect(bench.condition('Reconciling')).toBe('True Starting');
    await bench.kubelet.run(POD);
    expect(bench.condition('Ready')).toBe('True Running');
    expect(bench.condition('PodReady')).toBe('True PodReady');
    expect(bench.status).toMatchObject({ startTimes: 1, phase: 'Running' });
    expect(notes()).toEqual([
      'Normal PodCreated: Created pod shop-immortalpod',
      'Normal Starting: pod shop-immortalpod is not running yet',
      'Normal Running: pod shop-immortalpod is running, start 1',
    ]);
  });

  it('is left alone by a second pass', async () => {
    await running();
    await bench.annotate({ 'example.com/note': 'read me' });
    await bench.clock.advance(3600_000);
    expect(bench.takeWrites()).toEqual([]);
    expect(bench.log.lines).toEqual([]);
    expect(bench.events.recorded).toEqual([]);
  });

  it('with a long name has labels and a pod name that the API server takes', async () => {
    const long = 'x'.repeat(253);
    await bench.apply('nginx:latest', long);
    await bench.apply('nginx:latest', `${long.slice(1)}y`);
    const [one, other] = bench.kubelet.pods;
    for (const pod of [one, other]) {
      expect(pod?.metadata.name).toHaveLength(253);
      expect(pod?.metadata.name).toMatch(/^x{232}-[0-9a-f]{8}-immortalpod$/);
      expect(pod?.metadata.labels?.['controller']).toMatch(/^x{54}-[0-9a-f]{8}$/);
    }
    expect(one?.metadata.name).not.toBe(other?.metadata.name);
  });
});

describe('a pod that goes', () => {
  it('by the hand of a person comes back at once, under its name, and counts', async () => {
    await running();
    const { uid } = bench.kubelet.pod(POD).metadata;
    await bench.kubelet.delete(POD);
    expect(bench.kubelet.pod(POD).metadata.uid).not.toBe(uid);
    await bench.kubelet.run(POD);
    expect(bench.status).toMatchObject({ currentPod: 'shop-immortalpod', startTimes: 2 });
    expect(bench.condition('Ready')).toBe('True Running');
    expect(notes()).toContain(
      'Normal PodReplaced: Recreated pod shop-immortalpod (Deleted), start 2',
    );
  });

  it('is waited for while it ends', async () => {
    await running();
    await bench.kubelet.deleteSlowly(POD);
    expect(bench.condition('Ready')).toBe('False Replacing');
    expect(bench.status).toMatchObject({ phase: 'Terminating', startTimes: 1 });
    await bench.kubelet.go(POD);
    expect(bench.status).toMatchObject({ phase: 'Pending', startTimes: 2 });
  });

  it('on a lost node is reported once its grace is over, and no second one is started', async () => {
    await running();
    await bench.kubelet.deleteSlowly(POD); // with a deletionTimestamp of the day after the start
    await bench.clock.advance(24 * 3600_000);
    expect(bench.condition('Ready')).toBe('False Replacing');
    await bench.clock.advance(30_000);
    expect(bench.condition('Ready')).toBe('False PodTerminating');
    expect(bench.kubelet.pods).toHaveLength(1);
    expect(bench.events.reasons.filter((reason) => reason === 'PodTerminating')).toHaveLength(1);
  });

  it('comes back however often it goes, and every start counts', async () => {
    await running();
    for (let i = 0; i < 20; i++) await bench.kubelet.delete(POD);
    expect(bench.status.startTimes).toBe(21);
  });

  it('before the status could be written counts all the same', async () => {
    await running();
    // Of the pass that creates the pod, and of the one that its appearance causes.
    bench.kube.failNext('applyStatus', new Error('no answer'));
    bench.kube.failNext('applyStatus', new Error('no answer'));
    await bench.kubelet.delete(POD);
    expect(bench.status.startTimes, 'not written yet').toBe(1);
    await bench.kubelet.delete(POD);
    await bench.clock.advance(1_000);
    expect(bench.status.startTimes).toBe(3);
  });
});

describe('an edit of the image', () => {
  it('deletes the pod, waits until it is gone, and starts one with the new image', async () => {
    await running();
    bench.kube.editMeta(bench.kubelet.pod(POD), { finalizers: ['test/slow'] });
    await bench.edit('nginx:1.27');
    expect(bench.condition('Ready')).toBe('False Replacing');
    expect(bench.status).toMatchObject({ startTimes: 1, replacementReason: 'SpecChanged' });
    await bench.kubelet.go(POD);
    expect(bench.kubelet.pod(POD)).toMatchObject({
      spec: { containers: [{ image: 'nginx:1.27' }] },
    });
    expect(bench.status.startTimes).toBe(2);
    expect(bench.status.replacementReason).toBeUndefined();
    expect(notes()).toContain(
      'Normal PodReplaced: Recreated pod shop-immortalpod (SpecChanged), start 2',
    );
  });
});

describe('the write before a pod is replaced', () => {
  it.each([
    ['for an edit', (): Promise<void> => bench.edit('nginx:2')],
    [
      'that an earlier release made of the same spec',
      async (): Promise<void> => {
        const pod = bench.kubelet.pod(POD);
        const annotations = { ...pod.metadata.annotations, [DESIRED_HASH_ANNOTATION]: 'other' };
        bench.kube.editMeta(pod, { annotations });
        await bench.clock.settle();
      },
    ],
  ])('takes Ready away from one %s', async (_, act) => {
    await running();
    const written: unknown[] = [];
    bench.kube.server.watch(({ type, object }) => {
      const { status } = object as unknown as ImmortalContainer;
      const ready = status?.conditions?.find((one) => one.type === 'Ready');
      if (object.kind === 'Pod') written.push(type);
      else if (status?.replacementReason !== undefined) written.push(ready?.reason);
    });
    await act();
    expect(written.slice(written.indexOf('Replacing')).slice(0, 2)).toEqual([
      'Replacing',
      'DELETED',
    ]);
    expect(written).not.toContain('Running');
  });
});

describe('a pod that does not get ready', () => {
  const cases: Readonly<Record<string, { why: string; word: string; is: string }>> = {
    'whose image cannot be pulled': {
      why: 'the registry may come back',
      word: 'ImagePullBackOff',
      is: 'True ImagePullFailing',
    },
    'whose container crashes inside of it': {
      why: 'the kubelet restarts it, with its own delays',
      word: 'CrashLoopBackOff',
      is: 'True CrashLooping',
    },
    'whose configuration is missing': {
      why: 'it may appear',
      word: 'CreateContainerConfigError',
      is: 'True ContainerNotCreated',
    },
  };

  it.each(Object.entries(cases))('%s is reported and waited for', async (_name, { word, is }) => {
    await running();
    await bench.kubelet.wait(POD, word, 'try again');
    expect(bench.condition('Reconciling')).toBe(is);
    expect(bench.condition('Stalled')).toBeUndefined();
    expect(bench.takeWrites().filter((verb) => verb !== 'applyStatus')).toEqual([]);
  });

  it('whose image has a bad name is Stalled, and heals by an edit', async () => {
    await bench.apply('NGINX:::');
    await bench.kubelet.wait(POD, 'InvalidImageName');
    expect(bench.condition('Stalled')).toBe('True InvalidImage');
    await bench.edit('nginx:1.27');
    await bench.kubelet.run(POD);
    expect(bench.condition('Stalled')).toBeUndefined();
    expect(bench.condition('Ready')).toBe('True Running');
  });

  it('that no node takes says why', async () => {
    await bench.apply();
    await bench.kubelet.setStatus(POD, {
      phase: 'Pending',
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message: '0/4 nodes are available',
        },
      ],
    });
    expect(bench.condition('Reconciling')).toBe('True Unschedulable');
  });
});

describe('a foreign pod of the desired name', () => {
  const foreign = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'shop-immortalpod', namespace: 'web' },
    spec: { containers: [{ name: 'theirs', image: 'redis' }] },
  } as KubeObject;

  it('is refused and not touched, and the object heals when it goes', async () => {
    const before = bench.kube.create(foreign);
    await bench.apply();
    expect(bench.kube.get(before)).toEqual(before);
    expect(bench.condition('Ready')).toBe('False NameConflict');
    expect(bench.condition('Stalled')).toBe('True NameConflict');
    expect(bench.status.startTimes).toBe(0);
    expect(bench.status.currentPod).toBeUndefined();
    expect(notes().filter((note) => note.startsWith('Warning NameConflict'))).toHaveLength(1);
    await bench.kubelet.delete(POD);
    await bench.clock.advance(300_000);
    expect(bench.status.startTimes).toBe(1);
  });

  it('of an earlier object of the same name is waited for, and not counted', async () => {
    await running();
    const old = bench.object;
    bench.kube.delete(old);
    await bench.apply();
    expect(bench.condition('Ready')).toBe('False Replacing');
    expect(bench.status.startTimes).toBe(0);
    await bench.kubelet.delete(POD); // as the garbage collector does
    expect(bench.status.startTimes).toBe(1);
    expect(bench.kubelet.pod(POD)).toMatchObject({
      metadata: { ownerReferences: [{ uid: bench.object.metadata.uid }] },
    });
  });
});

describe('a pod of ours that others have changed', () => {
  it('gets its labels back, and is no new start', async () => {
    await running();
    bench.kube.editMeta(bench.kubelet.pod(POD), { labels: { theirs: 'yes', controller: 'other' } });
    await bench.clock.settle();
    expect(bench.kubelet.pod(POD).metadata.labels).toEqual({
      theirs: 'yes',
      controller: 'shop',
      'app.kubernetes.io/managed-by': 'albridge',
    });
    expect(bench.status.startTimes).toBe(1);
    expect(bench.events.reasons).toEqual(['DriftRepaired']);
  });

  it('in fields that no update can change is left alone', async () => {
    await running();
    bench.kube.edit(bench.kubelet.pod(POD), (live) => ({
      ...live,
      spec: { ...live.spec, automountServiceAccountToken: true },
    }));
    await bench.clock.settle();
    expect(bench.takeWrites()).not.toContain('apply');
    expect(bench.condition('Ready')).toBe('True Running');
  });

  it('is found by its name where the cache has lost sight of it', async () => {
    await running();
    bench.pods.hold();
    bench.kube.editMeta(bench.kubelet.pod(POD), { labels: {} });
    bench.crash();
    await bench.start();
    await bench.clock.advance(10_000);
    expect(bench.kubelet.pods).toHaveLength(1);
    expect(bench.kubelet.pod(POD).metadata.labels).toMatchObject({ controller: 'shop' });
    expect(bench.status.startTimes).toBe(1);
  });
});

describe('an ImmortalContainer that is being deleted', () => {
  it('gets no new pod', async () => {
    await running();
    bench.kube.editMeta(bench.object, { finalizers: ['foregroundDeletion'] });
    bench.kube.delete(bench.object);
    await bench.clock.settle();
    bench.takeWrites();
    await bench.kubelet.delete(POD);
    expect(bench.kubelet.pods).toEqual([]);
    expect(bench.takeWrites()).toEqual([]);
  });
});

describe('the annotations of every kind', () => {
  it('pause: no pod is started or deleted until it is taken off', async () => {
    await running();
    await bench.annotate({ 'albridge.io/paused': 'true' });
    expect(bench.condition('Ready')).toBe('Unknown Paused');
    await bench.edit('nginx:1.27');
    await bench.kubelet.delete(POD);
    expect(bench.kubelet.pods).toEqual([]);
    await bench.annotate({});
    expect(bench.kubelet.pods).toHaveLength(1);
  });

  it('ask for a pass, which answers in the status', async () => {
    await running();
    await bench.annotate({ 'albridge.io/reconcile-requested-at': 'now-1' });
    expect(bench.status.lastHandledReconcileAt).toBe('now-1');
  });
});

describe('bad input', () => {
  it('of an object without an image is reported, and holds up no other object', async () => {
    const object = await bench.apply('nginx', 'other');
    bench.kube.edit(object, ({ spec: _spec, ...live }) => live as typeof object);
    await bench.clock.settle();
    await bench.apply();
    const conditions = bench.kube.get(object)?.status.conditions ?? [];
    expect(conditions.map(({ type, reason }) => `${type} ${reason}`)).toContain(
      'Stalled SpecMissing',
    );
    expect(bench.status.startTimes).toBe(1);
  });
});

describe('a pod whose annotations others have removed', () => {
  it('keeps its limits, which cannot be taken from a pod', async () => {
    await running();
    const { uid } = bench.kubelet.pod(POD).metadata;
    bench.kube.editMeta(bench.kubelet.pod(POD), { annotations: {} });
    await bench.clock.settle();
    const { metadata, spec } = bench.kubelet.pod(POD);
    expect(metadata.uid).toBe(uid);
    expect(spec).toEqual(LIMITED_SPEC);
  });
});

describe('a running pod of release 0.1.0, which set no security context', () => {
  /** As that release stored it. */
  async function runningSince010(): Promise<void> {
    await running();
    bench.kube.edit(bench.kubelet.pod(POD), (live) => ({
      ...live,
      metadata: {
        ...live.metadata,
        annotations: { 'albridge.io/desired-hash': '8e6ad0fd7db79615' },
      },
      spec: { containers: [{ name: 'acontainer', image: 'nginx:latest' }] },
    }));
    await bench.clock.settle();
  }

  it('is not replaced by an upgrade, and not written', async () => {
    await runningSince010();
    await bench.clock.advance(3600_000);
    expect(bench.takeWrites()).toEqual([]);
    expect(bench.condition('Ready')).toBe('True Running');
  });

  it('keeps its limits where it lost its label, which it gets back', async () => {
    await runningSince010();
    const { uid } = bench.kubelet.pod(POD).metadata;
    bench.kube.editMeta(bench.kubelet.pod(POD), { labels: {} });
    await bench.clock.advance(60_000);
    const { metadata, spec } = bench.kubelet.pod(POD);
    expect(metadata).toMatchObject({ uid, labels: { controller: 'shop' } });
    expect(spec).toEqual({ containers: [{ name: 'acontainer', image: 'nginx:latest' }] });
  });

  it('has a limited successor', async () => {
    await runningSince010();
    await bench.kubelet.delete(POD);
    expect(bench.kubelet.pod(POD).spec).toEqual(LIMITED_SPEC);
  });

  it('is replaced by an edit of the image', async () => {
    await runningSince010();
    await bench.edit('nginx:1.27');
    await bench.kubelet.go(POD);
    expect(bench.kubelet.pod(POD).spec?.automountServiceAccountToken).toBe(false);
  });
});
