import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../surroundings/until.ts';
import { conditionOf, type Namespace, SharedPlace, type Stored } from './place.ts';

const place = new SharedPlace();

const NAME = 'example-immortalcontainer';
const POD = `${NAME}-immortalpod`;

const example = (): Promise<string> =>
  readFile(
    resolve(import.meta.dirname, '../../examples/immortalcontainer-01-article.yaml'),
    'utf8',
  );

/** The article's manifest, in a namespace of its own, up and running. */
async function running(prefix: string): Promise<Namespace> {
  const namespace = await place.createNamespace(prefix);
  await namespace.apply(await example());
  await namespace.whenReady('ic', NAME);
  return namespace;
}

/** Ready with so many starts. */
function whenStarted(namespace: Namespace, startTimes: number): Promise<Stored> {
  const isIt = (object: Stored): boolean =>
    object.status?.['startTimes'] === startTimes && conditionOf(object, 'Ready')?.status === 'True';
  return namespace.when('ic', NAME, isIt);
}

async function uidOf(namespace: Namespace): Promise<string> {
  return (await namespace.get('pod', POD)).metadata.uid ?? '';
}

function isCreation({ msg }: { readonly msg: string }): boolean {
  return msg === 'Created pod';
}

/** What a kubelet says of a pod that it has ended. */
async function fail(namespace: Namespace, status: object): Promise<void> {
  const patch = JSON.stringify({ status: { phase: 'Failed', ...status } });
  await namespace.kubectl([
    'patch',
    'pod',
    POD,
    '--subresource=status',
    '--type=merge',
    '-p',
    patch,
  ]);
}

describe("the article's ImmortalContainer", { concurrent: true }, () => {
  it('becomes one pod that runs, as the article shows', async () => {
    const namespace = await place.createNamespace('immortal-article');
    const applied = await namespace.apply(await example());
    expect(applied).toBe(`immortalcontainer.immortalcontainer.flugel.it/${NAME} created\n`);
    await namespace.kubectl(['wait', `ic/${NAME}`, '--for=condition=Ready', '--timeout=120s']);
    const [head, ...rows] = await namespace.table('pods');
    expect(head?.slice(0, 4)).toEqual(['NAME', 'READY', 'STATUS', 'RESTARTS']);
    expect(rows.map((row) => row.slice(0, 4))).toEqual([[POD, '1/1', 'Running', '0']]);
    const pod = await namespace.get('pod', POD);
    expect(pod.metadata.labels).toEqual({
      controller: NAME,
      'app.kubernetes.io/managed-by': 'albridge',
    });
    expect(pod.spec?.['containers']).toMatchObject([{ name: 'acontainer', image: 'nginx:latest' }]);
  });

  it('prints its columns, under each of its names', async () => {
    const namespace = await running('immortal-table');
    for (const name of ['immortalcontainers', 'immortalcontainer', 'ic']) {
      expect(await namespace.table(name)).toEqual([
        ['NAME', 'IMAGE', 'POD', 'STARTS', 'PHASE', 'READY', 'AGE'],
        [NAME, 'nginx:latest', POD, '1', 'Running', 'True', expect.stringMatching(/^\d+s$/)],
      ]);
    }
    const [head] = await namespace.table('ic', '-o', 'wide');
    expect(head?.slice(7)).toEqual(['RESTARTS', 'LAST-EXIT', 'NEXT-START', 'REASON', 'MESSAGE']);
    expect(await namespace.kubectl(['get', 'albridge'])).toContain(NAME);
  });

  it('has its pod recreated after a deletion: same name, another UID, startTimes 2', async () => {
    const namespace = await running('immortal-deleted');
    const before = await uidOf(namespace);
    // kubectl would take the successor, which has the name, for a pod that does not go.
    const deleted = await namespace.kubectl(['delete', 'pods', POD, '--wait=false']);
    expect(deleted).toContain(`pod "${POD}" deleted`);
    const { status } = await whenStarted(namespace, 2);
    expect(status).toMatchObject({ currentPod: POD, startTimes: 2, phase: 'Running' });
    expect(await uidOf(namespace)).not.toBe(before);
    expect(status?.['currentPodUID']).toBe(await uidOf(namespace));
    expect((await namespace.event(NAME, 'PodReplaced')).note).toBe(
      `Recreated pod ${POD} (Deleted), start 2`,
    );
  });

  it('is deleted with its pod', async () => {
    const namespace = await running('immortal-gone');
    await namespace.kubectl(['delete', 'ic', NAME, '--timeout=120s']);
    await until('the pod is gone', async () => !(await namespace.exists('pod', POD)));
  });

  it('deleted in the foreground gets no further pod', async () => {
    const namespace = await running('immortal-foreground');
    await namespace.kubectl(['delete', 'ic', NAME, '--cascade=foreground', '--timeout=120s']);
    expect(await namespace.exists('ic', NAME)).toBe(false);
    expect(await namespace.exists('pod', POD)).toBe(false);
    // What is logged about another object comes later than all that was about this one.
    await namespace.apply((await example()).replace(NAME, 'later'));
    await namespace.whenLogged('later', isCreation);
    expect((await namespace.whenLogged(NAME, isCreation)).filter(isCreation)).toHaveLength(1);
  });
});

describe('the pod of an ImmortalContainer', { concurrent: true }, () => {
  it('is replaced when the image is edited', async () => {
    const namespace = await running('immortal-image');
    const patch = '{"spec":{"image":"nginx:1.27"}}';
    await namespace.kubectl(['patch', 'ic', NAME, '--type=merge', '-p', patch]);
    await whenStarted(namespace, 2);
    const pod = await namespace.get('pod', POD);
    expect(pod.spec?.['containers']).toMatchObject([{ image: 'nginx:1.27' }]);
    expect((await namespace.event(NAME, 'PodReplaced')).note).toContain('(SpecChanged)');
  });

  it('is replaced when it is evicted through the API', async () => {
    const namespace = await running('immortal-drained');
    const body = { metadata: { name: POD, namespace: namespace.name } };
    const path = `/api/v1/namespaces/${namespace.name}/pods/${POD}/eviction`;
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', ...body };
    await place.api.ask({ method: 'POST', path, body: eviction });
    await whenStarted(namespace, 2);
  });

  it('is replaced ten seconds after its node has ended it', async () => {
    const namespace = await running('immortal-evicted');
    await fail(namespace, { reason: 'Evicted', message: 'The node was low on resource: memory.' });
    const waiting = await namespace.when('ic', NAME, (object) => {
      return conditionOf(object, 'Reconciling')?.reason === 'BackOff';
    });
    expect(waiting.status).toMatchObject({
      startTimes: 1,
      phase: 'Failed',
      consecutiveFailures: 1,
      lastTermination: { reason: 'Evicted' },
      nextStartTime: expect.stringMatching(/Z$/) as string,
    });
    expect((await namespace.event(NAME, 'BackOff')).type).toBe('Warning');
    const { status } = await whenStarted(namespace, 2);
    expect(status?.['nextStartTime']).toBeUndefined();
    const { creationTimestamp = '' } = (await namespace.get('pod', POD)).metadata;
    const due = Date.parse(waiting.status?.['nextStartTime'] as string);
    expect(Date.parse(creationTimestamp)).toBeGreaterThanOrEqual(due);
  });

  it('that is foreign is refused, never adopted', async () => {
    const namespace = await place.createNamespace('immortal-foreign');
    const containers = [{ name: 'theirs', image: 'redis' }];
    await namespace.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: POD },
      spec: { containers },
    });
    const before = await uidOf(namespace);
    await namespace.apply(await example());
    const object = await namespace.when('ic', NAME, (seen) => {
      return conditionOf(seen, 'Stalled')?.reason === 'NameConflict';
    });
    expect(conditionOf(object, 'Ready')?.message).toContain(`${POD} exists and has no controller`);
    const pod = await namespace.get('pod', POD);
    expect(pod.metadata.uid).toBe(before);
    expect(pod.metadata.ownerReferences).toBeUndefined();
    expect((await namespace.event(NAME, 'NameConflict')).type).toBe('Warning');
  });

  it('has its image restored when it is changed in place', async () => {
    const namespace = await running('immortal-set-image');
    const before = await uidOf(namespace);
    await namespace.kubectl(['set', 'image', `pod/${POD}`, 'acontainer=redis:8']);
    expect((await namespace.event(NAME, 'DriftRepaired')).note).toBe(
      `Repaired pod ${POD}: spec.containers[acontainer].image`,
    );
    const pod = await namespace.get('pod', POD);
    expect(pod.spec?.['containers']).toMatchObject([{ image: 'nginx:latest' }]);
    expect(pod.metadata.uid).toBe(before);
  });

  it('is not written again by a further pass', async () => {
    const namespace = await running('immortal-quiet');
    const before = (await namespace.get('pod', POD)).metadata.resourceVersion;
    const annotation = 'albridge.io/reconcile-requested-at=now-1';
    await namespace.kubectl(['annotate', 'ic', NAME, annotation]);
    await namespace.when('ic', NAME, ({ status }) => status?.lastHandledReconcileAt === 'now-1');
    expect((await namespace.get('pod', POD)).metadata.resourceVersion).toBe(before);
    await namespace.pause('ic', NAME);
    const story = ['Paused', 'PodCreated', 'Running', 'Starting'];
    expect(await namespace.whenTold(NAME, story)).toEqual(story);
  });

  it('has its labels restored without a new start', async () => {
    const namespace = await running('immortal-labels');
    const before = await uidOf(namespace);
    await namespace.kubectl([
      'label',
      'pod',
      POD,
      'app.kubernetes.io/managed-by-',
      'controller=x',
      '--overwrite',
    ]);
    await namespace.when('pod', POD, ({ metadata }) => metadata.labels?.['controller'] !== 'x');
    const { metadata } = await namespace.get('pod', POD);
    expect(metadata.labels).toMatchObject({
      controller: NAME,
      'app.kubernetes.io/managed-by': 'albridge',
    });
    expect(metadata.uid).toBe(before);
    await namespace.pause('ic', NAME);
    const { status } = await namespace.when('ic', NAME, (object) => {
      return conditionOf(object, 'Ready')?.reason === 'Paused';
    });
    expect(status?.['startTimes']).toBe(1);
  });
});
