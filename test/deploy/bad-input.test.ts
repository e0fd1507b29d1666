import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { reasonsOfMyIngress } from '../../src/cli/objects/kinds.ts';
import { limitOperator } from '../surroundings/limited-operator.ts';
import { conditionOf, isReady, readyOf } from '../surroundings/my-ingresses.ts';
import type { LogLine } from '../surroundings/operator-process.ts';
import { until } from '../surroundings/until.ts';
import { CredentialDesk } from './credential-desk.ts';
import { ownKinds } from './own-kinds.ts';
import { DeployPlace } from './place.ts';
import type { Pod } from './pod-environment.ts';

/** What a new user gets wrong, as a pod of the Deployment answers it. */

let place: DeployPlace;
let other: DeployPlace | undefined;
let pod: Pod;

beforeAll(async () => {
  place = await DeployPlace.start();
  await place.apply('deploy');
  [pod] = (await place.pods()) as readonly [Pod];
});

afterAll(async () => {
  await other?.stop();
  await place?.stop();
});
afterEach(() => place.stopPods());

describe('credentials that have expired', () => {
  it('are reported once on the object and once in the log, and fresh ones resolve it', async () => {
    const desk = await CredentialDesk.open();
    const tokenFile = join(await place.openDirectory(), 'token');
    await writeFile(tokenFile, 'pod-identity-token');
    await place.standIn.addFault({
      operation: '*',
      times: 3,
      effect: { kind: 'error', code: 'ExpiredToken', status: 403, message: 'said by AWS' },
    });
    const { AWS_ENDPOINT_URL = '', AWS_REGION = '' } = place.aws.environment;
    const { operator } = await place.play(pod, {
      injected: {
        AWS_ENDPOINT_URL,
        AWS_REGION,
        AWS_EC2_METADATA_DISABLED: 'true',
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${desk.url}/v1/credentials`,
        AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: tokenFile,
      },
    });
    await operator.waitForLine((line) => line.msg === 'working');
    const objects = await place.createNamespace('expired');
    await objects.create('web', { subnets: place.aws.network.articleSubnets });
    const refused = await objects.whenReason('web', 'CredentialsRefused');
    expect(readyOf(refused)?.message).toContain(reasonsOfMyIngress.CredentialsRefused.next);
    expect(conditionOf(refused, 'Stalled')?.status).toBe('True');
    const isErrorAboutIt = (line: LogLine): boolean =>
      line['key'] === 'expired/web' && line.level === 'error';
    await operator.waitForLine(isErrorAboutIt);

    await place.standIn.clearFaults();
    await objects.annotate('web', { 'albridge.io/reconcile-requested-at': 'now' });
    await objects.when('web', isReady);
    await objects.startDeleting('web');
    await objects.isGone('web');
    expect(operator.log.filter(isErrorAboutIt)).toHaveLength(1);
    desk.close();
  });
});

describe('no CRDs', () => {
  it('are one sentence each in log and readiness, with the command that installs them', async () => {
    await place.stopPods();
    const names = (await ownKinds()).map(({ plural, group }) => `${plural}.${group}`);
    await place.kubectl(['delete', 'crds', ...names, '--timeout=60s']);
    const played = await place.play(pod, { injected: place.aws.environment });
    for (const name of names) {
      const line = await played.operator.waitForLine((one) => one['resource'] === name);
      expect(line.level).toBe('error');
      expect(line['sentence']).toContain('kubectl apply --server-side -k crds');
    }
    const body = await until('readiness names all', async () => {
      const verbose = await played.probe('/readyz?verbose');
      const isNamed = (name: string): boolean => verbose.body.includes(name);
      return verbose.status === 500 && names.every(isNamed) && verbose.body;
    });
    expect(body).toContain('kubectl apply --server-side -k crds');
    const errors = played.operator.log.filter(({ level }) => level === 'error');
    expect(errors).toHaveLength(names.length);

    await place.apply('crds');
    await expect.poll(async () => (await played.probe('/readyz')).status, patient).toBe(200);
    expect(played.operator.log.filter(({ level }) => level === 'error')).toHaveLength(names.length);
  });
});

const patient = { timeout: 90_000, interval: 200 } as const;

describe('two clusters with one id', () => {
  it('end their quarrel over a balancer with a sentence that names the id', async () => {
    other = await DeployPlace.start();
    await limitOperator(place.aws.environment, 'twice');
    await other.apply('deploy');
    const [otherPod] = (await other.pods()) as readonly [Pod];
    const injected = {
      ...place.aws.environment,
      ALBRIDGE_CLUSTER_ID: 'twice',
      ALBRIDGE_SWEEP_INTERVAL: '1s',
      ALBRIDGE_AWS_BUDGET: 'off',
    };
    await place.play(pod, { injected });
    await other.play(otherPod, { injected });
    const spec = { subnets: place.aws.network.articleSubnets };
    const mine = await place.createNamespace('shared');
    const theirs = await other.createNamespace('shared');
    await mine.create('web', spec);
    await theirs.create('web', spec);

    const message = await until(
      'one of them gives up',
      async () => {
        const both = await Promise.all([mine.get('web'), theirs.get('web')]);
        return both.map(readyOf).find((ready) => ready?.reason === 'NameConflict')?.message;
      },
      240_000,
    );
    expect(message).toMatch(/flaps between two operators with the same cluster id/);
    expect(await place.standIn.balancersOf('shared')).toHaveLength(1);
  });
});
