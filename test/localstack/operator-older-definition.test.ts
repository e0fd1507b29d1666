import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConfigMonitor } from '../../src/apis/config-monitor.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { until } from '../surroundings/until.ts';
import { type Place, placeOf } from './setup-place.ts';

/** The image is of today, the CRD is not: `status.progress` is in each status of a ConfigMonitor. */

const CRDS = resolve(import.meta.dirname, '../../crds');
const PROGRESS = '/spec/versions/0/schema/openAPIV3Schema/properties/status/properties/progress';

let surroundings: Surroundings;
let place: Place;
let namespace: string;

beforeAll(async () => {
  surroundings = await startSurroundings({ provisioningMs: 0 });
  place = placeOf(surroundings);
  const older = JSON.stringify([{ op: 'remove', path: PROGRESS }]);
  await place.kubectl(['patch', 'crd', 'configmonitors.magalix.com', '--type=json', '-p', older]);
  ({ namespace } = await place.createNamespace('older'));
});

afterAll(async () => {
  place?.close();
  await surroundings?.stop();
});

function kubectl(args: readonly string[], object?: object): Promise<string> {
  return place.kubectl(['-n', namespace, ...args], object && JSON.stringify(object));
}

function configure(text: string): Promise<string> {
  const metadata = { name: 'settings' };
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text } };
  return kubectl(['apply', '-f', '-'], settings);
}

/** Once it is Ready, and `isIt`. */
function whenReady(what: string, isIt: (status: ConfigMonitor['status']) => boolean) {
  return until(what, async () => {
    const json = await kubectl(['get', 'configmonitor', 'shop', '-o', 'json']);
    const { status } = JSON.parse(json) as Partial<ConfigMonitor>;
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    return status !== undefined && ready?.status === 'True' && isIt(status) && status;
  });
}

it('an operator over an older CRD restarts pods, and reports what the CRD has', async () => {
  const operator = await surroundings.startOperator();
  await operator.waitForLine(({ msg }) => msg.startsWith('the CRD is older than the operator'));
  await configure('one');
  const containers = [{ name: 'shop', image: 'nginx:1.25' }];
  const metadata = { name: 'shop', labels: { app: 'shop' } };
  await kubectl(['apply', '-f', '-'], {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { containers },
  });
  const spec = {
    ...{ configMap: 'settings', podSelector: metadata.labels, strategy: 'Evict' },
    ...{ unmanagedPods: 'Evict', debounceSeconds: 0 },
  };
  const monitor = {
    apiVersion: 'magalix.com/v1',
    kind: 'ConfigMonitor',
    metadata: { name: 'shop' },
    spec,
  };
  await kubectl(['apply', '-f', '-'], monitor);
  const before = await whenReady(
    'the data is on record',
    ({ configHash }) => configHash !== undefined,
  );

  await configure('two');
  const after = await whenReady('the restart is over', ({ restarts }) => restarts === 1);

  expect(await kubectl(['get', 'pods', '-o', 'name'])).toBe('');
  expect(after.configHash).not.toBe(before.configHash);
  expect(after).not.toHaveProperty('progress');
  expect(operator.log.filter(({ msg }) => msg === 'reconcile failed')).toEqual([]);

  await place.kubectl(['apply', '--server-side', '--force-conflicts', '-k', CRDS]);
  await configure('three');
  await whenReady('the rest is reported, too', ({ progress }) => progress === '0/0');
});
