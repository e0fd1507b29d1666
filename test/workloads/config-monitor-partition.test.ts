import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { conditionOf, SharedPlace } from './place.ts';

const place = new SharedPlace();

const NAME = 'flakapp-config-monitor';
const SPEC = JSON.stringify({ spec: { minReadySeconds: 1, strategy: 'Rollout' } });

const example = (name: string): Promise<string> =>
  readFile(resolve(import.meta.dirname, '../../examples', name), 'utf8');

describe('a StatefulSet with a partition', () => {
  it('is restarted to its end with strategy Rollout', async () => {
    const namespace = await place.createNamespace('cmon-partition');
    await namespace.apply(await example('flaskapp/configmap.yaml'));
    const labels = { app: 'frontend' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'db' }] } };
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } };
    await namespace.apply({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db' },
      spec: { replicas: 3, selector: { matchLabels: labels }, template, updateStrategy },
    });
    await namespace.when('sts', 'db', ({ status }) => status?.['readyReplicas'] === 3);
    await namespace.apply(await example('configmonitor-01-article.yaml'));
    await namespace.kubectl(['patch', 'cmon', NAME, '--type=merge', '-p', SPEC]);
    await namespace.whenReady('configmonitor', NAME);
    const uids = async (): Promise<readonly (string | undefined)[]> =>
      (await namespace.list('pods')).map(({ metadata }) => metadata.uid);
    const before = await uids();
    const manifest = await example('flaskapp/configmap.yaml');
    await namespace.apply(manifest.replace('Kubernetes!', 'Operators!'));
    await namespace.when('configmonitor', NAME, (object) => {
      const { reason } = conditionOf(object, 'Ready') ?? {};
      return object.status?.['restarts'] === 1 && reason === 'Watching';
    });
    expect((await uids()).filter((uid) => before.includes(uid))).toEqual([]);
    const restarted = (await namespace.list('pods')).filter(({ metadata }) => {
      const { annotations = {} } = metadata;
      return 'kubectl.kubernetes.io/restartedAt' in annotations;
    });
    expect(restarted.map(({ metadata }) => metadata.name)).toEqual(['db-2']);
  });
});
