import { expect, it } from 'vitest';
import type { WebApp } from '../../../../src/apis/web-app.ts';
import { desireDeployment } from '../../../../src/controllers/web-app/desired.ts';
import { GATE_LABELS, READINESS_GATE } from '../../../../src/pods/pod.ts';

const OURS = { conditionType: READINESS_GATE };
const THEIRS = { conditionType: 'example.com/warm' };

it.each([
  ['no load balancer sends requests any more', false],
  ['that is not known yet', undefined],
])(
  'pods whose podTemplate has the gate keep the label by which it is opened, where %s',
  (_, isBalanced) => {
    const object = {
      metadata: { name: 'shop', namespace: 'web', uid: 'u' },
      spec: {
        ...{ image: 'nginx:1', port: 80, replicas: 1 },
        podTemplate: { spec: { readinessGates: [THEIRS, OURS] } },
      },
    } as unknown as WebApp;
    const observed = desireDeployment(object, { isBalanced: true });
    const { spec } = desireDeployment(object, { isBalanced, observed }) as never as {
      spec: { template: { metadata: { labels: object }; spec: { readinessGates: object[] } } };
    };
    expect(spec.template.spec.readinessGates).toContainEqual(OURS);
    expect(spec.template.metadata.labels).toMatchObject(GATE_LABELS);
  },
);
