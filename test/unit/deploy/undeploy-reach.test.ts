import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  APPLIED,
  BINDING,
  DEFINITION,
  DEPLOYMENT,
  ROLE,
  THEIRS,
  UndeployPlace,
  WEB,
} from './undeploy-place.ts';

/** That `npm run undeploy` deletes what the operator serves, and nothing else. */

let place: UndeployPlace;

beforeEach(async () => {
  place = await UndeployPlace.make();
});

afterEach(() => place.remove());

/** A Deployment whose container has these variables. */
function withEnv(env: readonly object[], more: object = {}) {
  const { template } = DEPLOYMENT.spec;
  const spec = { ...template.spec, containers: [{ env, ...more }] };
  return { ...DEPLOYMENT, spec: { template: { ...template, spec } } };
}

function settings(namespaces: string) {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'albridge-settings', namespace: 'albridge-system' },
    data: { ALBRIDGE_NAMESPACES: namespaces },
  };
}

const NAME = 'ALBRIDGE_NAMESPACES';
const ref = { name: 'albridge-settings', key: NAME, optional: true };
const BY_CONFIG_MAP = withEnv([{ name: NAME, valueFrom: { configMapKeyRef: ref } }]);

const objects = [WEB, THEIRS];
const shared = { objects, after: [THEIRS] };

describe('an operator that serves some of the namespaces', () => {
  const ways = {
    'by its own env': {
      manifests: [ROLE, BINDING, withEnv([{ name: NAME, value: ' web,' }])],
    },
    'by a ConfigMap of its directory': {
      manifests: [ROLE, BINDING, BY_CONFIG_MAP, settings('web')],
    },
    'by a ConfigMap in the cluster, which differs from that of its directory': {
      manifests: [ROLE, BINDING, BY_CONFIG_MAP, settings('otherteam')],
      configMap: settings('web'),
    },
    'by a ConfigMap in the cluster alone': {
      manifests: [ROLE, BINDING, BY_CONFIG_MAP],
      configMap: settings('web'),
    },
    'by its Deployment in the cluster': {
      manifests: APPLIED,
      deployment: withEnv([{ name: NAME, value: 'web' }]),
    },
    'by a RoleBinding to a ClusterRole': {
      manifests: [
        ROLE,
        {
          ...BINDING,
          kind: 'RoleBinding',
          metadata: { name: 'albridge-myingress', namespace: 'web' },
        },
        DEPLOYMENT,
      ],
    },
  };

  it.each(Object.entries(ways))(
    '%s loses its own objects alone',
    async (_, { manifests, ...cluster }) => {
      const { code, output, deleted } = await place.undeployApplied(manifests, {
        ...shared,
        ...cluster,
      });
      expect(code, output).toBe(0);
      expect(output).toContain('deleting 1 custom resources:\n  MyIngress web/shop\n');
      expect(deleted[0]).toEqual(['MyIngress web shop']);
      expect(deleted.flat().join()).not.toContain('theirs');
    },
  );

  const served = withEnv([{ name: NAME, value: 'web' }]);
  const theirs = {
    ...DEPLOYMENT,
    metadata: { ...DEPLOYMENT.metadata, namespace: 'otherteam' },
  };
  const policy = (name: string) => ({
    ...ROLE,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
  });

  it('leaves the CRDs and policies to other operators and their objects', async () => {
    const policies = ['albridge-myingress-status', 'albridge-guardrails-subnets'].map(policy);
    const parameters = { ...ROLE, kind: 'Namespace', metadata: { name: 'albridge-guardrails' } };
    const { code, output, deleted } = await place.undeployApplied(
      [ROLE, BINDING, DEFINITION, served, parameters, ...policies],
      { objects: [WEB, THEIRS, theirs], after: [THEIRS, theirs] },
    );
    expect(code, output).toBe(0);
    expect(output).toMatch(
      /need the CRDs and policies, which stay:\n {2}Deployment otherteam\/albridge\n {2}MyIngress otherteam\/theirs\nundeploy: nothing else of APPLIED is left in the cluster\n$/,
    );
    expect(deleted.flat().join()).not.toMatch(/CustomResourceDefinition|Policy|guardrails/);
  });

  it('is not removed while objects of other namespaces need an operator, and there is no other one', async () => {
    const { code, output, deleted } = await place.undeployApplied(
      [ROLE, BINDING, DEFINITION, served],
      { objects: [WEB, THEIRS] },
    );
    expect({ code, deleted }).toEqual({ code: 1, deleted: [] });
    expect(output).toContain('so nothing was deleted:\n  MyIngress otherteam/theirs\nAdd their');
  });

  it('may have an empty setting beside envFrom', async () => {
    const env = withEnv([{ name: NAME }], { envFrom: [{ configMapRef: { name: 'more' } }] });
    const { code, output } = await place.undeployApplied([ROLE, BINDING, env], { objects: [WEB] });
    expect(code, output).toBe(0);
  });
});

describe('an operator of one namespace', () => {
  const meta = { name: 'albridge-myingress', namespace: 'web' };
  const own = { ...DEPLOYMENT, metadata: { ...DEPLOYMENT.metadata, namespace: 'web' } };
  const manifests = [
    { ...ROLE, kind: 'Role', metadata: meta },
    {
      ...BINDING,
      kind: 'RoleBinding',
      metadata: meta,
      roleRef: { kind: 'Role', name: 'albridge-myingress' },
      subjects: [{ kind: 'ServiceAccount', name: 'albridge', namespace: 'web' }],
    },
    own,
  ];

  it('leaves the objects of other namespaces alone, also where its directory has roles for users', async () => {
    const users = { ...ROLE, metadata: { name: 'albridge-users-view' } };
    const { code, output, deleted } = await place.undeployApplied([users, ...manifests], shared);
    expect(code, output).toBe(0);
    expect(deleted[0]).toEqual(['MyIngress web shop']);
  });

  it('serves the namespace of its pod, by the setting', async () => {
    const fieldRef = { fieldPath: 'metadata.namespace' };
    const env = withEnv([{ name: NAME, valueFrom: { fieldRef } }]);
    const { deleted } = await place.undeployApplied(APPLIED, {
      objects: [{ ...WEB, metadata: { ...WEB.metadata, namespace: 'albridge-system' } }, THEIRS],
      after: [THEIRS],
      deployment: env,
    });
    expect(deleted[0]).toEqual(['MyIngress albridge-system shop']);
  });
});

describe('the CRDs', () => {
  it('stay for another operator, also where it has no object', async () => {
    const metadata = { ...DEPLOYMENT.metadata, namespace: 'otherteam' };
    const { code, output, deleted } = await place.undeployApplied([...APPLIED, DEFINITION], {
      objects: [WEB],
      after: [{ ...DEPLOYMENT, metadata }],
    });
    expect(code, output).toBe(0);
    expect(output).toContain(
      'need the CRDs and policies, which stay:\n  Deployment otherteam/albridge\n',
    );
    expect(deleted.flat().join()).not.toContain('CustomResourceDefinition');
  });
});

it.each([
  ['of a Secret', withEnv([{ name: NAME, valueFrom: { secretKeyRef: { name: 's', key: NAME } } }])],
  ['that may come by envFrom', withEnv([], { envFrom: [{ configMapRef: { name: 'more' } }] })],
])('a setting %s is refused, and nothing is deleted', async (_, deployment) => {
  const { code, output, deleted } = await place.undeployApplied([ROLE, BINDING, deployment], {
    objects,
  });
  expect({ code, deleted }).toEqual({ code: 1, deleted: [] });
  expect(output).toMatch(/^undeploy: the Deployment takes ALBRIDGE_NAMESPACES from neither .*, /);
});
