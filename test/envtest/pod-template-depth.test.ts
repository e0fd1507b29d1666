import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { WebApp } from '../../src/apis/web-app.ts';
import { IndexedCache } from '../../src/kube/watch/object-cache.ts';
import { Reflector } from '../../src/kube/watch/reflector.ts';
import { describeLongTemplate, trimTemplateOwner } from '../../src/pods/pod-template.ts';
import { systemClock } from '../../src/system-clock.ts';
import { accessCluster } from '../control-plane/cluster-access.ts';
import { RecordingMetrics } from '../fakes/recording-metrics.ts';
import { SilentLogger } from '../fakes/silent-logger.ts';
import { readDefinition } from '../unit/crds/custom-resource-definition.ts';
import { createNamespace, installDefinition, movedTo, pathOf } from './crd-api.ts';
import { type Connection, connect, eventually } from './reflector-harness.ts';

// A group of this file's own: nobody else meets these objects.
const group = 'deep-apps.example.com';
const cluster = accessCluster(inject('controlPlane'));
const definition = movedTo(group, readDefinition('webapps.apps.example.com'));
const kind = { group, version: 'v1', kind: 'WebApp', plural: 'webapps' };
/** Of the 10,000 that the API server reads at most. */
const LEVELS = 9_000;

let admin: Connection;
let namespace = '';
let reflector: Reflector | undefined;

beforeAll(async () => {
  admin = connect(cluster);
  await installDefinition(cluster, definition);
  namespace = await createNamespace(cluster, 'pod-template-depth');
});
afterAll(async () => {
  await reflector?.stop();
  await admin.close();
});

async function create(name: string, podTemplate: string): Promise<void> {
  const object = { apiVersion: `${group}/v1`, kind: 'WebApp', metadata: { name } };
  const spec = `{"image":"nginx:1","podTemplate":${podTemplate}}`;
  const body = `${JSON.stringify(object).slice(0, -1)},"spec":${spec}}`;
  await admin.client.request({ method: 'POST', path: pathOf(definition, namespace), body });
}

it('a tenant’s pod template that is nested thousands of levels deep does not end the watch on all WebApps', async () => {
  const deep = '['.repeat(LEVELS) + ']'.repeat(LEVELS);
  const variable = `{"name":"A","value":${deep}}`;
  await create('deep', `{"spec":{"containers":[{"name":"app","env":[${variable}]}]}}`);
  await create('plain', '{"spec":{}}');
  const ports = { clock: systemClock, log: new SilentLogger(), metrics: new RecordingMetrics() };
  const cache = new IndexedCache<WebApp>({ ...ports, kind, transform: trimTemplateOwner });
  reflector = new Reflector<WebApp>({ ...ports, client: admin.client, kind, namespace, cache });
  await reflector.synced;
  await create('later', '{"spec":{}}');
  await eventually(() => expect(cache.list()).toHaveLength(3));
  const held = cache.get(`${namespace}/deep`)?.spec.podTemplate;
  expect(describeLongTemplate(held)).toContain('more than 64 levels');
  expect(reflector.findFault()).toBeUndefined();
});
