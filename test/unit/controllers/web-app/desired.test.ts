import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { WebApp } from '../../../../src/apis/web-app.ts';
import type { Deployment } from '../../../../src/controllers/web-app/deployment.ts';
import { desireDeployment } from '../../../../src/controllers/web-app/desired.ts';

const object = {
  metadata: { name: 'shop', namespace: 'web' },
  spec: { image: 'nginx:1.25', replicas: 3, port: 8080 },
} as WebApp;

function containerOf(observed?: Deployment): unknown {
  const { spec } = desireDeployment(object, { observed }) as Deployment;
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

  it.each(['httpGet', 'exec', 'grpc'])('keep the %s probe of a user who set one', (mechanism) => {
    const containers = [
      { name: 'proxy' },
      { name: 'app', readinessProbe: { [mechanism]: {}, tcpSocket: {} } },
    ];
    const observed = { spec: { template: { spec: { containers } } } } as Partial<Deployment>;
    expect(containerOf(observed as Deployment)).not.toHaveProperty('readinessProbe');
  });

  it('have no CPU requests, and the example of an autoscaler asks for no share of them', async () => {
    const file = resolve(import.meta.dirname, '../../../../examples/webapp-03-autoscaler.yaml');
    expect(JSON.stringify(desireDeployment(object))).not.toContain('requests');
    expect(await readFile(file, 'utf8')).not.toContain('averageUtilization');
  });
});

describe('a WebApp with a pod template behind a load balancer', () => {
  const preStop = { exec: { command: ['drain'] } };
  const theirs = [{ conditionType: 'example.com/warm' }];
  const ours = [{ conditionType: 'albridge.io/targets-healthy' }];

  function desire(podTemplate: object, observed?: Deployment): Deployment {
    const templated = { ...object, spec: { ...object.spec, podTemplate } };
    return desireDeployment(templated, { isBalanced: true, observed });
  }

  const cases: Readonly<Record<string, { readonly podTemplate: object; readonly pod: object }>> = {
    'another hook': {
      podTemplate: { spec: { containers: [{ name: 'app', lifecycle: { preStop } }] } },
      pod: {
        terminationGracePeriodSeconds: 60,
        readinessGates: ours,
        containers: [{ lifecycle: { preStop } }],
      },
    },
    'another grace period': {
      podTemplate: { spec: { terminationGracePeriodSeconds: 300 } },
      pod: {
        terminationGracePeriodSeconds: 300,
        containers: [{ lifecycle: { preStop: { sleep: { seconds: 20 } } } }],
      },
    },
    'another gate': {
      podTemplate: { spec: { readinessGates: theirs } },
      pod: { readinessGates: [...ours, ...theirs] },
    },
  };

  it.each(Object.entries(cases))(
    'keeps %s, also in the next pass',
    (_name, { podTemplate, pod }) => {
      const first = desire(podTemplate);
      expect(first.spec?.template?.spec).toMatchObject(pod);
      expect(desire(podTemplate, first)).toEqual(first);
    },
  );

  it('leaves out a sleep for which a short grace period has no time', () => {
    const { spec } = desire({ spec: { terminationGracePeriodSeconds: 10 } });
    expect(JSON.stringify(spec)).not.toContain('sleep');
  });
});
