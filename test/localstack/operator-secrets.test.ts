import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CoreStatus } from '../../src/core/controller/status.ts';
import type { KubeObject } from '../../src/core/objects/kube-object.ts';
import { findFreePort } from '../control-plane/free-port.ts';
import type { OperatorProcess } from '../surroundings/operator-process.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { until } from '../surroundings/until.ts';
import { type Place, placeOf } from './setup-place.ts';

/** In no file that the operator or the cluster reads. */
const MARKER = 'hunter2-9f31';
const COMPONENT = resolve(import.meta.dirname, '../../deploy/components/secrets');
const NAMESPACE = 'web';
const OWN = 'albridge-system';

let surroundings: Surroundings;
let place: Place;

beforeAll(async () => {
  surroundings = await startSurroundings({ controllerManager: true, scheduler: true, nodes: 1 });
  place = placeOf(surroundings);
  await place.kubectl(['create', 'namespace', NAMESPACE]);
  await apply(secret('db', '1'));
  await apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm' }, data: { a: '1' } });
  const env = [{ name: 'P', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }];
  await apply(deployment('uses-db', { env }));
  await apply(deployment('uses-cm', { envFrom: [{ configMapRef: { name: 'cm' } }] }));
  await apply(monitor('of-db', { secret: 'db', minReadySeconds: 0 }));
  await apply(monitor('of-cm', { configMap: 'cm', minReadySeconds: 0 }));
  for (const name of ['uses-db', 'uses-cm']) {
    await kubectl(['rollout', 'status', `deployment/${name}`, '--timeout=120s']);
  }
});

afterAll(async () => {
  place?.close();
  await surroundings?.stop();
});

function kubectl(args: readonly string[], input?: string): Promise<string> {
  return place.kubectl(['-n', NAMESPACE, ...args], input);
}

/** On the server's side: no annotation of kubectl repeats the data. */
async function apply(object: object): Promise<void> {
  await kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], JSON.stringify(object));
}

function secret(name: string, version: string): object {
  const stringData = { password: `${MARKER}-${version}` };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData };
}

function monitor(name: string, spec: object): object {
  return { apiVersion: 'magalix.com/v1', kind: 'ConfigMonitor', metadata: { name }, spec };
}

function deployment(name: string, container: object): object {
  const labels = { app: name };
  const containers = [{ name: 'app', image: 'app', ...container }];
  return {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name } },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}

type Monitor = KubeObject & { readonly status: CoreStatus & { readonly restarts?: number } };

/** Waits for a reason of Ready, and gives the object. */
function whenReason(name: string, reason: string, restarts?: number): Promise<Monitor> {
  return until(`${name} is ${reason}`, async () => {
    const object = JSON.parse(await kubectl(['get', 'cmon', name, '-o', 'json'])) as Monitor;
    const ready = object.status.conditions?.find(({ type }) => type === 'Ready');
    const isRestarted = restarts === undefined || object.status.restarts === restarts;
    return ready?.reason === reason && isRestarted && object;
  });
}

async function listPods(app: string): Promise<readonly string[]> {
  const text = await kubectl(['get', 'pods', '-l', `app=${app}`, '-o', 'name']);
  return text.trim().split('\n').toSorted();
}

async function start(extra: Readonly<Record<string, string>> = {}): Promise<OperatorProcess> {
  return surroundings.startOperator({
    ...{ ALBRIDGE_KINDS: 'configmonitor', POD_NAMESPACE: OWN, LOG_LEVEL: 'debug' },
    ...extra,
  });
}

describe('Secrets', () => {
  it('are not watched without the component, which the object names', async () => {
    const operator = await start();
    const { status } = await whenReason('of-db', 'SecretsOff');
    const stalled = status.conditions?.find(({ type }) => type === 'Stalled');
    expect(stalled?.message).toContain('deploy/components/secrets');
    await whenReason('of-cm', 'Watching');
    expect(await operator.stop()).toBe(0);
  });

  it('restart their users once the right is granted, and do not leave the process', async () => {
    const port = await findFreePort();
    const operator = await start({
      ALBRIDGE_SECRETS: 'on',
      ALBRIDGE_METRICS_ADDRESS: `127.0.0.1:${port}`,
    });
    await whenReason('of-db', 'SecretsUnread');
    await whenReason('of-cm', 'Watching');
    await place.kubectl(['apply', '-f', `${COMPONENT}/rights.yaml`]);
    const grantedMs = performance.now();
    await place.kubectl(['apply', '-f', `${COMPONENT}/operator/policy.yaml`]);
    await whenReason('of-db', 'Watching');
    // test/unit/simulation/secrets-heal.test.ts has the bound, in virtual time.
    const seconds = ((performance.now() - grantedMs) / 1000).toFixed(1);
    process.stdout.write(`Secrets are watched ${seconds} s after the right was granted\n`);
    const [using, other] = [await listPods('uses-db'), await listPods('uses-cm')];
    await apply(secret('db', '2'));
    await whenReason('of-db', 'Watching', 1);
    await kubectl(['rollout', 'status', 'deployment/uses-db', '--timeout=120s']);
    await until('the old pods are gone', async () => {
      const now = await listPods('uses-db');
      return now.length === 2 && !now.some((name) => using.includes(name));
    });
    expect(await listPods('uses-cm')).toEqual(other);
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const objects = await place.kubectl(
      ['get', 'cmon,events,leases,deployments,rs,pods,configmaps', '-A', '-o', 'yaml'].concat(
        '--show-managed-fields',
      ),
    );
    const out = [JSON.stringify(operator.log), metrics, objects].join('\n');
    expect(out).toContain('Modification detected');
    for (const text of [MARKER, Buffer.from(MARKER).toString('base64').slice(0, 12)]) {
      expect(out).not.toContain(text);
    }
    const key = await place.kubectl([
      '-n',
      OWN,
      'get',
      'secret',
      'albridge-hash-key',
      '-o',
      'jsonpath={.data.key}',
    ]);
    expect(Buffer.from(key, 'base64')).toHaveLength(32);
    expect(out).not.toContain(key);
    expect(await operator.stop()).toBe(0);
  });

  it('restart nothing when the process starts again', async () => {
    const operator = await start({ ALBRIDGE_SECRETS: 'on' });
    const before = await listPods('uses-db');
    await operator.waitForLine(({ msg }) => msg === 'working');
    await kubectl(['annotate', 'cmon', 'of-db', 'albridge.io/reconcile-requested-at=again']);
    await until('the object is reconciled', async () => {
      const object = JSON.parse(await kubectl(['get', 'cmon', 'of-db', '-o', 'json'])) as Monitor;
      return object.status.lastHandledReconcileAt === 'again';
    });
    await whenReason('of-db', 'Watching', 1);
    expect(await listPods('uses-db')).toEqual(before);
    expect(await operator.stop()).toBe(0);
  });
});
