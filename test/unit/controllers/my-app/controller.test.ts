import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { desirePods } from '../../../../src/controllers/my-app/desired-pods.ts';
import type { KubeObject } from '../../../../src/core/objects/kube-object.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { MyAppBench, PODS } from './bench.ts';

let bench: MyAppBench;
const [POD, POD_1, POD_2] = PODS;

beforeEach(async () => {
  bench = new MyAppBench();
  await bench.start();
});
afterEach(() => bench.stop());

/** Applied with so many pods, all of them ready. */
async function running(replicas = 1): Promise<void> {
  await bench.apply({ replicas, banner: 'hello' });
  for (const pod of PODS.slice(0, replicas)) await bench.kubelet.run(pod);
  forget();
}

function forget(): void {
  bench.takeWrites();
  bench.log.lines.splice(0);
  bench.events.recorded.splice(0);
}

function notes(): readonly string[] {
  return bench.events.recorded.map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
}

function imageOf(pod: (typeof PODS)[number]): string | undefined {
  return bench.kubelet.pod(pod).spec?.containers?.[0]?.image;
}

function uids(): readonly (string | undefined)[] {
  return bench.kubelet.pods.map(({ metadata }) => metadata.uid);
}

describe('a new MyApp', () => {
  it('has one spec for all of its pods, so that a long one is hashed once', async () => {
    const pods = desirePods(await bench.apply({ replicas: 1000, banner: 'x'.repeat(4096) }));
    expect(pods).toHaveLength(1000);
    expect(new Set(pods.map((pod) => (pod as { spec?: object }).spec)).size).toBe(1);
  });

  it("becomes the article's pod, which it owns", async () => {
    const { metadata } = await bench.apply({ banner: 'hello' });
    expect(bench.names).toEqual(['shop-pod']);
    expect(bench.kubelet.pod(POD)).toMatchObject({
      metadata: {
        labels: { app: 'shop', 'app.kubernetes.io/managed-by': 'albridge' },
        ownerReferences: [{ kind: 'MyApp', name: 'shop', uid: metadata.uid, controller: true }],
      },
      spec: {
        containers: [
          {
            name: 'shop',
            image: 'nginx:latest',
            ports: [{ containerPort: 80 }],
            env: [{ name: 'BANNER', value: 'hello' }],
            command: ['/bin/sh', '-c'],
          },
        ],
      },
    });
    expect(bench.object.metadata).not.toHaveProperty('finalizers');
  });

  it('gives the image neither a token of the namespace nor a way to more privileges', async () => {
    await bench.apply();
    expect(bench.kubelet.pod(POD).spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
      containers: [{ securityContext: { allowPrivilegeEscalation: false } }],
    });
  });

  it("is reported in the article's words, and is ready when its pod is", async () => {
    await bench.apply();
    expect(bench.condition('Ready')).toBe('False Starting');
    expect(bench.status).toMatchObject({ podName: 'shop-pod', phase: 'Pending', replicas: 1 });
    await bench.kubelet.run(POD);
    expect(bench.condition('Ready')).toBe('True Running');
    expect(bench.condition('PodReady')).toBe('True PodReady');
    expect(bench.status).toMatchObject({
      podName: 'shop-pod',
      podUID: bench.kubelet.pod(POD).metadata.uid,
      phase: 'Running',
      replicas: 1,
      updatedReplicas: 1,
      readyReplicas: 1,
      selector: 'app=shop,app.kubernetes.io/managed-by=albridge',
    });
    expect(bench.log.lines[0]).toMatchObject({
      level: 'info',
      message: 'Pod shop-pod created.',
      fields: { controller: 'myapp', key: 'web/shop' },
    });
    expect(notes()).toEqual([
      'Normal PodCreated: Pod shop-pod created.',
      'Normal Starting: pod shop-pod is not running yet',
      'Normal Running: 1 pod is running',
    ]);
  });

  it('is left alone by a second pass', async () => {
    await running(3);
    await bench.annotate({ 'example.com/note': 'read me' });
    await bench.clock.advance(3600_000);
    expect(bench.takeWrites()).toEqual([]);
    expect(bench.log.lines).toEqual([]);
    expect(bench.events.recorded).toEqual([]);
  });

  it('without an image is answered with the sentence of the article, and holds up no other object', async () => {
    const other = await bench.apply({}, 'other');
    bench.kube.edit(other, (live) => ({ ...live, spec: { replicas: 1 } }));
    await bench.clock.settle();
    await bench.apply();
    const stalled = bench.kube
      .get(other)
      ?.status.conditions?.find(({ type }) => type === 'Stalled');
    expect(stalled).toMatchObject({
      reason: 'ImageMissing',
      message: "Field 'spec.image' must be provided.",
    });
    expect(bench.status.podName).toBe('shop-pod');
  });

  it('with a long name has names and labels that the API server takes', async () => {
    await bench.apply({ replicas: 2 }, `shop.${'x'.repeat(248)}`);
    const shown = bench.kubelet.pods.map(({ metadata, spec }) => [
      metadata.name,
      metadata.labels,
      spec?.containers,
    ]);
    const name = (suffix: string): object =>
      expect.stringMatching(new RegExp(`^shop\\.x{231}-[0-9a-f]{8}${suffix}$`)) as object;
    const label = expect.stringMatching(/^shop\.x{49}-[0-9a-f]{8}$/) as string;
    const container = expect.stringMatching(/^shop-x{49}-[0-9a-f]{8}$/) as string;
    const rest = [
      expect.objectContaining({ app: label }),
      [expect.objectContaining({ name: container })],
    ];
    expect(shown).toEqual([
      [name('-pod'), ...rest],
      [name('-pod-1'), ...rest],
    ]);
  });

  it('with a dotted name keeps it, but for the container', async () => {
    await bench.apply({}, 'a.b');
    expect(bench.kubelet.pod('web/a.b-pod')).toMatchObject({
      metadata: { labels: { app: 'a.b' } },
      spec: { containers: [{ name: 'a-b' }] },
    });
  });
});

describe('the number of pods', () => {
  it('is as desired, under the names of the article and numbers behind', async () => {
    await running(3);
    expect(bench.names).toEqual(['shop-pod', 'shop-pod-1', 'shop-pod-2']);
    expect(bench.status).toMatchObject({ replicas: 3, readyReplicas: 3, podName: 'shop-pod' });
    expect(bench.condition('Ready')).toBe('True Running');
  });

  it('shrinks from behind, and grows again', async () => {
    await running(3);
    await bench.edit({ replicas: 1 });
    expect(bench.names).toEqual(['shop-pod']);
    expect(bench.condition('Ready')).toBe('True Running');
    await bench.edit({ replicas: 2 });
    expect(bench.names).toEqual(['shop-pod', 'shop-pod-1']);
    expect(bench.condition('Ready')).toBe('False Starting');
  });

  it('may be none', async () => {
    await running(2);
    await bench.edit({ replicas: 0 });
    expect(bench.names).toEqual([]);
    expect(bench.condition('Ready')).toBe('True Stopped');
    expect(bench.status).toMatchObject({ replicas: 0, readyReplicas: 0 });
    expect(bench.status.podName).toBeUndefined();
  });

  it('is not reached while a pod too many has still to go', async () => {
    await running(2);
    bench.kube.editMeta(bench.kubelet.pod(POD_1), { finalizers: ['test/slow'] });
    await bench.edit({ replicas: 1 });
    expect(bench.condition('Ready')).toBe('False Replacing');
    expect(bench.status.replicas).toBe(2);
    await bench.kubelet.go(POD_1);
    expect(bench.condition('Ready')).toBe('True Running');
  });
});

describe('an edit', () => {
  const edits: Readonly<Record<string, { why: string; spec: Parameters<MyAppBench['edit']>[0] }>> =
    {
      'of the image': { why: 'another program', spec: { image: 'nginx:1.27' } },
      'of the banner': { why: 'another text', spec: { banner: 'good-bye' } },
      'that takes the banner away': { why: 'no text', spec: { banner: undefined } },
      'of the command': { why: 'another program', spec: { command: ['sleep', '1'] } },
    };

  it.each(Object.entries(edits))('%s replaces the pod', async (_name, { spec, why }) => {
    await running();
    const before = uids();
    await bench.edit(spec);
    expect(bench.names, why).toEqual(['shop-pod']);
    expect(uids()).not.toEqual(before);
    expect(bench.condition('Ready')).toBe('False Starting');
    expect(notes()).toContain('Normal PodReplaced: Replacing pod shop-pod: SpecChanged');
  });

  it('takes one ready pod at a time, while all others are ready', async () => {
    await running(3);
    await bench.edit({ image: 'nginx:1.27' });
    expect(PODS.map(imageOf)).toEqual(['nginx:latest', 'nginx:latest', 'nginx:1.27']);
    expect(bench.status).toMatchObject({ updatedReplicas: 1, readyReplicas: 2 });
    await bench.clock.advance(300_000);
    expect(PODS.map(imageOf)).toEqual(['nginx:latest', 'nginx:latest', 'nginx:1.27']);
    await bench.kubelet.run(POD_2);
    expect(PODS.map(imageOf)).toEqual(['nginx:latest', 'nginx:1.27', 'nginx:1.27']);
    await bench.kubelet.run(POD_1);
    expect(PODS.map(imageOf)).toEqual(['nginx:1.27', 'nginx:1.27', 'nginx:1.27']);
    await bench.kubelet.run(POD);
    expect(bench.condition('Ready')).toBe('True Running');
  });

  it('takes every pod that is not ready at once: nothing is lost with it', async () => {
    await bench.apply({ replicas: 3, image: 'mistyped' });
    for (const pod of PODS) await bench.kubelet.wait(pod, 'ErrImagePull');
    expect(bench.condition('Reconciling')).toBe('True ImagePullFailing');
    await bench.edit({ image: 'nginx' });
    expect(PODS.map(imageOf)).toEqual(['nginx', 'nginx', 'nginx']);
  });

  it('waits for a pod that is slow to go, and makes no second one beside it', async () => {
    await running();
    bench.kube.editMeta(bench.kubelet.pod(POD), { finalizers: ['test/slow'] });
    await bench.edit({ image: 'nginx:1.27' });
    expect(bench.condition('Ready')).toBe('False Replacing');
    expect(bench.status.phase).toBe('Terminating');
    await bench.kubelet.go(POD);
    expect(imageOf(POD)).toBe('nginx:1.27');
  });
});

describe('a pod that goes', () => {
  it('comes back at once when someone deletes it', async () => {
    await running();
    const before = uids();
    await bench.kubelet.delete(POD);
    expect(bench.names).toEqual(['shop-pod']);
    expect(uids()).not.toEqual(before);
  });

  it('on a lost node is reported once its grace is over', async () => {
    await running();
    await bench.kubelet.deleteSlowly(POD); // with a deletionTimestamp of the day after the start
    await bench.clock.advance(24 * 3600_000 + 30_000);
    expect(bench.condition('Ready')).toBe('False PodTerminating');
    expect(bench.names).toEqual(['shop-pod']);
  });

  it.each([
    { state: 'while it may still run, and its node', hasEnded: false },
    { state: 'and not its node once it has ended', hasEnded: true },
  ])('and is held by finalizers is reported with their names, $state', async ({ hasEnded }) => {
    await running();
    const finalizers = ['example.com/drain', 'example.com/backup'];
    bench.kube.editMeta(bench.kubelet.pod(POD), { finalizers });
    await bench.kubelet.deleteSlowly(POD);
    if (hasEnded) await bench.kubelet.exit(POD, 0);
    await bench.clock.advance(24 * 3600_000 + 30_000);
    const { message } = bench.status.conditions?.find(({ type }) => type === 'Ready') ?? {};
    expect(message).toContain('finalizers example.com/drain, example.com/backup');
    expect(message?.includes('--force')).toBe(!hasEnded);
  });

  it('by its own end is replaced ten seconds later', async () => {
    await running();
    await bench.kubelet.exit(POD, 3);
    expect(bench.condition('Ready')).toBe('False BackOff');
    expect(notes().filter((note) => note.startsWith('Warning BackOff'))).toHaveLength(1);
    const before = uids();
    await bench.clock.advance(9_999);
    expect(uids()).toEqual(before);
    await bench.clock.advance(1);
    expect(uids()).not.toEqual(before);
    expect(notes()).toContain('Normal PodReplaced: Replacing pod shop-pod: Error');
  });

  it('by its own end is replaced ten seconds later, also behind a sidecar', async () => {
    await running();
    bench.kube.edit(bench.kubelet.pod(POD), (live) => {
      const { containers = [] } = live.spec ?? {};
      return { ...live, spec: { ...live.spec, containers: [{ name: 'proxy' }, ...containers] } };
    });
    const finishedAt = bench.kubelet.now;
    const terminated = { reason: 'Error', exitCode: 3, finishedAt };
    await bench.kubelet.end(POD, {
      phase: 'Failed',
      containerStatuses: [{ name: 'proxy' }, { name: 'shop', state: { terminated } }],
    });
    expect(notes().join()).toContain('pod shop-pod has ended (Error, exit code 3)');
  });

  it('by eviction is replaced without touching the others', async () => {
    await running(3);
    const [first, , third] = uids();
    await bench.kubelet.end(POD_1, { phase: 'Failed', reason: 'Evicted' });
    await bench.clock.advance(10_000);
    await bench.kubelet.run(POD_1);
    expect(uids()).toEqual(expect.arrayContaining([first, third]));
    expect(bench.condition('Ready')).toBe('True Running');
  });
});

describe('a foreign pod of a desired name', () => {
  const foreign = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'shop-pod', namespace: 'web' },
    spec: { containers: [{ name: 'theirs', image: 'redis' }] },
  } as KubeObject;

  it('is refused and not touched, and the object heals when it goes', async () => {
    const before = bench.kube.create(foreign);
    await bench.apply();
    expect(bench.kube.get(before)).toEqual(before);
    expect(bench.condition('Stalled')).toBe('True NameConflict');
    expect(bench.status).toMatchObject({ replicas: 0, readyReplicas: 0 });
    await bench.kubelet.delete(POD);
    await bench.clock.advance(300_000);
    expect(bench.condition('Stalled')).toBeUndefined();
    expect(imageOf(POD)).toBe('nginx:latest');
  });

  it('of an earlier object of the same name is waited for', async () => {
    await running();
    bench.kube.delete(bench.object);
    await bench.apply();
    expect(bench.condition('Ready')).toBe('False Replacing');
    await bench.kubelet.delete(POD); // as the garbage collector does
    expect(bench.kubelet.pod(POD)).toMatchObject({
      metadata: { ownerReferences: [{ uid: bench.object.metadata.uid }] },
    });
  });
});

describe('a pod of ours that others have changed', () => {
  it('gets its labels back without being replaced', async () => {
    await running();
    const before = uids();
    bench.kube.editMeta(bench.kubelet.pod(POD), { labels: { app: 'other', theirs: 'yes' } });
    await bench.clock.settle();
    expect(bench.kubelet.pod(POD).metadata.labels).toEqual({
      app: 'shop',
      'app.kubernetes.io/managed-by': 'albridge',
      theirs: 'yes',
    });
    expect(uids()).toEqual(before);
    expect(bench.events.reasons).toEqual(['DriftRepaired']);
  });

  it('in fields that no update can change is left alone', async () => {
    await running();
    bench.kube.edit(bench.kubelet.pod(POD), (live) => ({
      ...live,
      spec: { ...live.spec, terminationGracePeriodSeconds: 60, automountServiceAccountToken: true },
    }));
    await bench.clock.settle();
    expect(bench.takeWrites()).not.toContain('apply');
    expect(bench.condition('Ready')).toBe('True Running');
  });
});

describe('a failure to create a pod', () => {
  it('is reported once, in the words of the article, and tried again', async () => {
    await running();
    const options = { reason: 'Forbidden', message: 'quota', healedBy: 'person' } as const;
    bench.kube.failNext('create', new OperatorError(options));
    await bench.kubelet.delete(POD);
    expect(bench.condition('Stalled')).toBe('True Forbidden');
    expect(notes()).toEqual(['Warning Forbidden: Failed to create pod shop-pod: quota']);
    await bench.clock.advance(300_000);
    expect(bench.names).toEqual(['shop-pod']);
  });
});

describe('a MyApp that is being deleted', () => {
  it('gets no new pod', async () => {
    await running();
    bench.kube.editMeta(bench.object, { finalizers: ['foregroundDeletion'] });
    bench.kube.delete(bench.object);
    await bench.clock.settle();
    bench.takeWrites();
    await bench.kubelet.delete(POD);
    expect(bench.names).toEqual([]);
    expect(bench.takeWrites()).toEqual([]);
  });
});

describe('the annotations of every kind', () => {
  it('pause: no pod is created or deleted until it is taken off', async () => {
    await running();
    await bench.annotate({ 'albridge.io/paused': 'true' });
    expect(bench.condition('Ready')).toBe('Unknown Paused');
    await bench.kubelet.delete(POD);
    await bench.edit({ replicas: 3 });
    expect(bench.names).toEqual([]);
    await bench.annotate({});
    expect(bench.names).toHaveLength(3);
  });

  it('ask for a pass, which answers in the status', async () => {
    await running();
    await bench.annotate({ 'albridge.io/reconcile-requested-at': 'now-1' });
    expect(bench.status.lastHandledReconcileAt).toBe('now-1');
  });
});
