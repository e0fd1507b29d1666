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

describe('a WebApp whose pod template loses a field', () => {
  const held = ['terminationGracePeriodSeconds', 'readinessGates', 'preStop', 'httpGet'] as const;
  const gates = [{ conditionType: 'example.com/warm' }];
  const sleep = { preStop: { sleep: { seconds: 45 } } };
  const httpGet = { path: '/healthz', port: 8080 };

  function desire(pod: object, container: object, observed?: Deployment): Deployment {
    const podTemplate = { spec: { ...pod, containers: [{ name: 'app', ...container }] } };
    const templated = { ...object, spec: { ...object.spec, podTemplate } };
    return desireDeployment(templated, { isBalanced: true, observed });
  }

  type Parts = readonly [pod: object, container: object];
  const cases: Readonly<Record<string, { readonly before: Parts; readonly after: Parts }>> = {
    'the request of its probe': {
      before: [{}, { readinessProbe: { httpGet, periodSeconds: 10 } }],
      after: [{}, { readinessProbe: { periodSeconds: 10 } }],
    },
    'its probe': { before: [{}, { readinessProbe: { httpGet } }], after: [{}, {}] },
    'the grace period that its sleep needs': {
      before: [{ terminationGracePeriodSeconds: 120 }, { lifecycle: sleep }],
      after: [{}, { lifecycle: sleep }],
    },
    'a hook': { before: [{}, { lifecycle: { preStop: { exec: {} } } }], after: [{}, {}] },
    'a gate': { before: [{ readinessGates: gates }, {}], after: [{}, {}] },
  };

  it.each(Object.entries(cases))('is as a new one without %s', (_name, { before, after }) => {
    const observed = { ...desire(...before), held };
    expect(desire(...after, observed)).toEqual(desire(...after));
  });

  it('keeps the grace period that a sleep of others needs', () => {
    const containers = [{ name: 'app', lifecycle: sleep }];
    const spec = { template: { spec: { terminationGracePeriodSeconds: 60, containers } } };
    const observed = { spec, held: ['terminationGracePeriodSeconds'] } as unknown as Deployment;
    const desired = desireDeployment(object, { isBalanced: false, observed });
    expect(desired.spec).toMatchObject({
      template: { spec: { terminationGracePeriodSeconds: 60 } },
    });
  });

  it('keeps the gate while it is not known whether it is needed', () => {
    const observed = { ...desire({ readinessGates: gates }, {}), held };
    const desired = desireDeployment(object, { isBalanced: undefined, observed });
    expect(desired).toEqual(desireDeployment(object, { isBalanced: true }));
  });
});

it('a WebApp that only starts by a hook of its template leaves the end to the hook of others', () => {
  const lifecycle = { preStop: { exec: { command: ['drain'] } } };
  const observed = {
    spec: { template: { spec: { containers: [{ name: 'app', lifecycle }] } } },
  } as unknown as Deployment;
  const container = { name: 'app', lifecycle: { postStart: { exec: { command: ['warm'] } } } };
  const podTemplate = { spec: { containers: [container] } };
  const templated = { ...object, spec: { ...object.spec, podTemplate } };
  const desired = desireDeployment(templated, { isBalanced: true, observed });
  expect(JSON.stringify(desired.spec)).not.toContain('preStop');
});

describe('a pod template behind a load balancer', () => {
  const observed = desireDeployment(object, { isBalanced: true }) as Deployment;

  function desire(pod: object, container: object = {}): unknown {
    const podTemplate = { spec: { ...pod, containers: [{ name: 'app', ...container }] } };
    const templated = { ...object, spec: { ...object.spec, podTemplate } };
    return desireDeployment(templated, { isBalanced: true, observed });
  }

  it('chooses nothing by a field that is null', () => {
    const nothing = desire({});
    expect(desire({ terminationGracePeriodSeconds: null, readinessGates: null })).toEqual(nothing);
    expect(desire({}, { lifecycle: null })).toEqual(nothing);
    expect(desire({}, { lifecycle: { preStop: null } })).toEqual(nothing);
  });

  it.each([['warm'], [{ warm: true }], [[null]]])(
    'leaves it to the API server to refuse %j as gates',
    (readinessGates) => {
      expect(JSON.stringify(desire({ readinessGates }))).toContain(
        JSON.stringify(readinessGates).slice(1, -1),
      );
    },
  );
});
