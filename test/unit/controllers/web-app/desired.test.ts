import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { WebApp } from '../../../../src/apis/web-app.ts';
import type { Deployment } from '../../../../src/controllers/web-app/deployment.ts';
import { desiredDeployment } from '../../../../src/controllers/web-app/desired.ts';

const object = {
  metadata: { name: 'shop', namespace: 'web' },
  spec: { image: 'nginx:1.25', replicas: 3, port: 8080 },
} as WebApp;

function containerOf(observed?: Deployment): unknown {
  const { spec } = desiredDeployment(object, observed) as Deployment;
  return spec?.template?.spec?.containers?.[0];
}

describe('the pods of a WebApp', () => {
  it('serve when their port answers', () => {
    const readinessProbe = { tcpSocket: { port: 8080 } };
    expect(containerOf()).toMatchObject({ readinessProbe });
    const containers = [{ name: 'app', readinessProbe }];
    const observed = { spec: { template: { spec: { containers } } } } as Partial<Deployment>;
    expect(containerOf(observed as Deployment)).toMatchObject({ readinessProbe });
  });

  it.each(['httpGet', 'exec', 'grpc'])('keep the %s probe of somebody who set one', (mechanism) => {
    const containers = [
      { name: 'proxy' },
      { name: 'app', readinessProbe: { [mechanism]: {}, tcpSocket: {} } },
    ];
    const observed = { spec: { template: { spec: { containers } } } } as Partial<Deployment>;
    expect(containerOf(observed as Deployment)).not.toHaveProperty('readinessProbe');
  });

  it('have no CPU requests, and the example of an autoscaler asks for no share of them', async () => {
    const file = resolve(import.meta.dirname, '../../../../examples/webapp-03-autoscaler.yaml');
    expect(JSON.stringify(desiredDeployment(object))).not.toContain('requests');
    expect(await readFile(file, 'utf8')).not.toContain('averageUtilization');
  });
});
