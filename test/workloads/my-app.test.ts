import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../surroundings/until.ts';
import { conditionOf, type Namespace, SharedPlace, type Stored } from './place.ts';

const place = new SharedPlace();

const NAME = 'example-app';
const POD = 'example-app-pod';
const BANNER = 'This pod was created by MyApp operator 🚀';

const example = (name: string): Promise<string> =>
  readFile(resolve(import.meta.dirname, '../../examples', name), 'utf8');

/** The article's manifest, but for its namespace, so that tests keep out of each other's way. */
async function articleIn(namespace: Namespace): Promise<string> {
  const text = await example('myapp-01-article.yaml');
  return text.replace('namespace: default', `namespace: ${namespace.name}`);
}

async function running(prefix: string): Promise<Namespace> {
  const namespace = await place.createNamespace(prefix);
  await namespace.apply(await articleIn(namespace));
  await namespace.whenReady('myapp', NAME);
  return namespace;
}

async function patch(namespace: Namespace, spec: object): Promise<void> {
  const body = JSON.stringify({ spec });
  await namespace.kubectl(['patch', 'myapp', NAME, '--type=merge', '-p', body]);
  await namespace.whenReady('myapp', NAME);
}

async function podNames(namespace: Namespace): Promise<readonly string[]> {
  return (await namespace.list('pods')).map(({ metadata }) => metadata.name).toSorted();
}

describe("the article's MyApp", { concurrent: true }, () => {
  it('becomes a pod that runs, as the article shows', async () => {
    const namespace = await place.createNamespace('myapp-article');
    const applied = await namespace.apply(await articleIn(namespace));
    expect(applied).toBe('myapp.demo.rtfm.co.ua/example-app created\n');
    await namespace.kubectl(['wait', `myapp/${NAME}`, '--for=condition=Ready', '--timeout=120s']);
    const [, ...pods] = await namespace.table('pods');
    expect(pods.map((row) => row.slice(0, 4))).toEqual([[POD, '1/1', 'Running', '0']]);
    const pod = await namespace.get('pod', POD);
    expect(pod.metadata.labels).toMatchObject({ app: NAME });
    expect(pod.spec?.['containers']).toMatchObject([
      {
        name: NAME,
        image: 'nginx:latest',
        ports: [{ containerPort: 80 }],
        env: [{ name: 'BANNER', value: BANNER }],
        command: ['/bin/sh', '-c'],
        args: [expect.stringContaining('exec sleep infinity')],
      },
    ]);
    const [line] = await namespace.whenLogged(NAME, () => true);
    expect(line?.msg).toBe(`Pod ${POD} created.`);
    expect((await namespace.event(NAME, 'PodCreated')).note).toBe(`Pod ${POD} created.`);
  });

  it('prints its columns, under each of its names', async () => {
    const namespace = await running('myapp-table');
    for (const name of ['myapps', 'myapp', 'ma']) {
      expect(await namespace.table(name)).toEqual([
        ['NAME', 'IMAGE', 'POD', 'PHASE', 'READY', 'AGE'],
        [NAME, 'nginx:latest', POD, 'Running', 'True', expect.stringMatching(/^\d+s$/)],
      ]);
    }
    const [head, row] = await namespace.table('myapp', '-o', 'wide');
    expect(head?.slice(6)).toEqual(['BANNER', 'REPLICAS', 'REASON', 'MESSAGE']);
    expect(row?.slice(6)).toEqual([BANNER, '1', 'Running', '1 pod is running']);
  });

  it('is applied as it is written, in its own namespace, and takes its pod with it', async () => {
    const apply = await place.cluster.kubectl(['apply', '-f', '-'], {
      input: await example('myapp-01-article.yaml'),
    });
    expect(apply.stderr).toBe('');
    const wait = ['wait', `myapp/${NAME}`, '--for=condition=Ready', '--timeout=120s'];
    expect((await place.cluster.kubectl(['-n', 'default', ...wait])).code).toBe(0);
    await place.cluster.kubectl(['-n', 'default', 'delete', 'myapp', NAME, '--timeout=120s']);
    await until('the pod is gone', async () => {
      const get = ['-n', 'default', 'get', 'pod', POD, '--ignore-not-found'];
      return (await place.cluster.kubectl(get)).stdout === '';
    });
  });

  it('has as many pods as replicas says, in the second example, and scales', async () => {
    const namespace = await place.createNamespace('myapp-replicas');
    await namespace.apply(await example('myapp-02-replicas.yaml'));
    await namespace.whenReady('myapp', NAME);
    expect(await podNames(namespace)).toEqual([POD, `${POD}-1`, `${POD}-2`]);
    await namespace.kubectl(['scale', 'myapp', NAME, '--replicas=1']);
    await until('one pod is left', async () => (await podNames(namespace)).length === 1);
    const isScaled = ({ status }: Stored): boolean => status?.['replicas'] === 1;
    const { status } = await namespace.when('myapp', NAME, isScaled);
    expect(status).toMatchObject({ readyReplicas: 1, podName: POD });
    await namespace.whenReady('myapp', NAME);
  });

  it("runs the image's own entrypoint, in the third example", async () => {
    const namespace = await place.createNamespace('myapp-entrypoint');
    await namespace.apply(await example('myapp-03-entrypoint.yaml'));
    await namespace.whenReady('myapp', 'served');
    const pod = await namespace.get('pod', 'served-pod');
    expect(pod.spec).toMatchObject({ containers: [{ env: [{ name: 'BANNER', value: 'Hello' }] }] });
    expect(pod.spec).not.toHaveProperty('containers[0].command');
  });
});

describe('the pods of a MyApp', { concurrent: true }, () => {
  it('are replaced when banner or image are edited', async () => {
    const namespace = await running('myapp-edit');
    const before = await namespace.get('pod', POD);
    await patch(namespace, { banner: '$(rm) "$$"', image: 'nginx:1.27' });
    const after = await namespace.get('pod', POD);
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(after.spec?.['containers']).toMatchObject([
      { image: 'nginx:1.27', env: [{ name: 'BANNER', value: '$$(rm) "$$$$"' }] },
    ]);
    expect((await namespace.event(NAME, 'PodReplaced')).note).toContain('SpecChanged');
  });

  it('are not written again by a further pass', async () => {
    const namespace = await running('myapp-quiet');
    const before = (await namespace.get('pod', POD)).metadata.resourceVersion;
    const annotation = 'albridge.io/reconcile-requested-at=now-1';
    await namespace.kubectl(['annotate', 'myapp', NAME, annotation]);
    await namespace.when('myapp', NAME, ({ status }) => {
      return status?.lastHandledReconcileAt === 'now-1';
    });
    expect((await namespace.get('pod', POD)).metadata.resourceVersion).toBe(before);
    await namespace.pause('myapp', NAME);
    const story = ['Paused', 'PodCreated', 'Running', 'Starting'];
    expect(await namespace.whenTold(NAME, story)).toEqual(story);
  });

  it('are recreated when they are deleted', async () => {
    const namespace = await running('myapp-deleted');
    const { uid } = (await namespace.get('pod', POD)).metadata;
    // kubectl would take the successor, which has the name, for a pod that does not go.
    await namespace.kubectl(['delete', 'pod', POD, '--wait=false']);
    const { status } = await namespace.when('myapp', NAME, (object) => {
      const { podUID } = object.status ?? {};
      return podUID !== uid && conditionOf(object, 'Ready')?.status === 'True';
    });
    expect(status?.['podUID']).toBe((await namespace.get('pod', POD)).metadata.uid);
  });

  it('are none of a foreign one of the same name', async () => {
    const namespace = await place.createNamespace('myapp-foreign');
    const containers = [{ name: 'theirs', image: 'redis' }];
    const metadata = { name: POD };
    await namespace.apply({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers } });
    const before = (await namespace.get('pod', POD)).metadata.uid;
    await namespace.apply(await articleIn(namespace));
    await namespace.when('myapp', NAME, (object) => {
      return conditionOf(object, 'Stalled')?.reason === 'NameConflict';
    });
    const pod = await namespace.get('pod', POD);
    expect(pod.metadata.uid).toBe(before);
    expect(pod.metadata.ownerReferences).toBeUndefined();
  });

  it('keep to the words of the article where the cluster refuses one', async () => {
    const namespace = await place.createNamespace('myapp-quota');
    await namespace.createQuota('none', 0);
    await namespace.apply(await articleIn(namespace));
    const object = await namespace.when('myapp', NAME, (seen) => {
      return conditionOf(seen, 'Stalled') !== undefined;
    });
    const stalled = conditionOf(object, 'Stalled');
    expect(stalled?.reason).toBe('Forbidden');
    expect(stalled?.message).toMatch(`Failed to create pod ${POD}: `);
    expect(stalled?.message).toContain('exceeded quota');
  });
});
