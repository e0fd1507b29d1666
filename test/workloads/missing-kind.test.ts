import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../control-plane/free-port.ts';
import { kubectlOrThrow } from '../surroundings/deploy-base.ts';
import { KubeApi } from '../surroundings/kube-api.ts';
import { MyIngresses } from '../surroundings/my-ingresses.ts';
import type { OperatorProcess } from '../surroundings/operator-process.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { until } from '../surroundings/until.ts';

const CRD = 'webapps.apps.example.com';
const DEPLOY = resolve(import.meta.dirname, '../../deploy');

let surroundings: Surroundings;
let operator: OperatorProcess;
let api: KubeApi;
let objects: MyIngresses;
let port: number;

function kubectl(...args: readonly string[]): Promise<string> {
  return kubectlOrThrow(surroundings.controlPlane, args);
}

async function readiness(): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz?verbose`);
  return { status: response.status, text: await response.text() };
}

/** The controller of one kind runs its passes. */
function started(controller: string): Promise<unknown> {
  return operator.waitForLine((line) => {
    return line.msg === 'controller started' && line['controller'] === controller;
  });
}

async function createWebApp(name: string): Promise<void> {
  const body = {
    apiVersion: 'apps.example.com/v1',
    kind: 'WebApp',
    metadata: { name },
    spec: { image: 'nginx' },
  };
  const path = '/apis/apps.example.com/v1/namespaces/default/webapps';
  await until(
    `${name} is accepted`,
    async () => (await api.send({ method: 'POST', path, body })).code < 300,
  );
}

beforeAll(async () => {
  surroundings = await startSurroundings({ provisioningMs: 0 });
  api = new KubeApi(surroundings.controlPlane);
  objects = new MyIngresses(api, 'default');
  port = await findFreePort();
  await kubectl('delete', 'crd', CRD, '--timeout=120s');
  operator = surroundings.launchOperator({ ALBRIDGE_HEALTH_ADDRESS: `127.0.0.1:${port}` });
});

afterAll(async () => {
  api.close();
  await surroundings.stop();
});

describe('an operator that lacks one kind', () => {
  it('works on the others', async () => {
    await started('myingress');
    await objects.create('shop', { subnets: [...surroundings.aws.network.subnets.slice(0, 2)] });
    await objects.whenReady('shop');
    expect(operator.log.map(({ msg }) => msg)).not.toContain('working');
  });

  it('names it and what to do, in its log and in its readiness', async () => {
    const line = await operator.waitForLine(({ msg }) => msg === 'cannot watch');
    expect(line['sentence']).toContain(CRD);
    const { status, text } = await readiness();
    expect(status).toBe(500);
    expect(text).toContain(CRD);
    expect(text).toContain('kubectl apply --server-side -k crds');
    expect(text).not.toContain('myingresses');
  });

  it('begins with it as soon as it is installed, without a restart', async () => {
    await kubectl('apply', '--server-side', '-k', resolve(DEPLOY, '../crds'));
    await createWebApp('late');
    await started('webapp');
    await operator.waitForLine(({ msg }) => msg === 'working');
    await until('the Deployment of late', async () => {
      const path = '/apis/apps/v1/namespaces/default/deployments/late';
      return (await api.send({ method: 'GET', path })).code === 200;
    });
    await until('readiness', async () => (await readiness()).status === 200);
  });

  it('continues with the other kinds when the CRD of one is deleted', async () => {
    await kubectl('delete', 'clusterrolebinding', 'albridge-webapp');
    await kubectl('delete', 'crd', CRD, '--timeout=120s');
    await until('the lack is reported', async () => (await readiness()).status === 500);
    await objects.edit('shop', { tags: { team: 'web' } });
    await objects.whenReady('shop');
    await kubectl('apply', '--server-side', '-k', DEPLOY);
    await createWebApp('later');
    await until('the Deployment of later', async () => {
      const path = '/apis/apps/v1/namespaces/default/deployments/later';
      return (await api.send({ method: 'GET', path })).code === 200;
    });
    await until('readiness', async () => (await readiness()).status === 200);
  });
});
