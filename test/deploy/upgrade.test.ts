import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isolatedEnvironment } from '../control-plane/environment.ts';
import { arnOf } from '../surroundings/my-ingresses.ts';
import { startOperatorProcess } from '../surroundings/operator-process.ts';
import { quietFor } from '../surroundings/until.ts';
import { DeployPlace, ROOT } from './place.ts';
import type { Pod } from './pod-environment.ts';

/** From each release's manifests to those of now, with objects present. */

const RELEASES = resolve(import.meta.dirname, 'releases');
const releases = (await readdir(RELEASES)).sort();

let place: DeployPlace;

beforeAll(async () => {
  place = await DeployPlace.start();
});

afterAll(() => place?.stop());

describe('an upgrade', () => {
  it('has somewhere to start from', () => {
    expect(releases.length).toBeGreaterThan(0);
  });

  it.each(releases)('from %s changes nothing in AWS and no object', async (release) => {
    await place.kubectl(['apply', '--server-side', '-f', join(RELEASES, release)]);
    await place.established();
    const old = await startOld();
    const objects = await place.createNamespace('upgrade');
    const attributes = { 'idle_timeout.timeout_seconds': '120' };
    const tags = { team: 'web' };
    await objects.create('web', { subnets: place.aws.network.articleSubnets, tags, attributes });
    const before = await objects.whenReady('web');
    const balancer = await place.standIn.balancer(arnOf(before));

    await place.kubectl(['apply', '--server-side', '-k', resolve(ROOT, 'deploy')]);
    const [pod] = await place.pods();
    await old.stop();
    await place.standIn.clearCalls();
    await place.work(pod as Pod, { ALBRIDGE_SWEEP_INTERVAL: '1s' });
    await quietFor(3000);

    const calls = await place.standIn.operatorCalls();
    expect(calls.length).toBeGreaterThan(1);
    expect(calls.filter(({ operation }) => !operation.startsWith('Describe'))).toEqual([]);
    expect(await place.standIn.balancer(arnOf(before))).toEqual(balancer);
    const after = await objects.get('web');
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    await objects.startDeleting('web');
    await objects.isGone('web');
  });
});

/** Before there was a Deployment, the operator ran with the ServiceAccount's rights from elsewhere. */
async function startOld(): Promise<ReturnType<typeof startOperatorProcess>> {
  const kubeconfig = await place.cluster.serviceAccountKubeconfig('albridge-system', 'albridge');
  const operator = startOperatorProcess({
    environment: {
      ...isolatedEnvironment(process.env, place.cluster.directory),
      ...place.aws.environment,
      KUBECONFIG: kubeconfig,
      ALBRIDGE_METRICS_ADDRESS: 'off',
    },
  });
  await operator.waitForLine((line) => line.msg.includes('started') || line.msg === 'working');
  return operator;
}
