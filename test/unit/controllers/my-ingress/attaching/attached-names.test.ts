import { expect, it } from 'vitest';
import { decideAttachments } from '../../../../../src/controllers/my-ingress/attaching/decide.ts';
import { desireGraph } from '../../../../../src/controllers/my-ingress/graph/desired-graph.ts';
import type { DesiredGraph } from '../../../../../src/controllers/my-ingress/graph/graph.ts';
import { readRoutes } from '../../../../../src/controllers/my-ingress/routes/read-routes.ts';
import type { JoinedSpec } from '../../../../../src/controllers/my-ingress/routes/traffic-spec.ts';
import { draftApp } from './app.ts';

const SPEC: JoinedSpec = {
  backends: [{ name: 'app', service: { name: 'web', port: 80 } }],
  rules: [{ name: 'app', paths: ['/own'], forward: [{ backend: 'app' }] }],
};

function desire(spec: JoinedSpec): DesiredGraph {
  const identity = { cluster: 'c-1', namespace: 'web', name: 'shared', uid: 'u-1' };
  const frontend = {
    ...{ scheme: 'internal', ipAddressType: 'ipv4', securityGroups: ['sg-1'], isAdopted: false },
    ...{
      servedPorts: [],
      backendGroups: [],
      defaultGroup: undefined,
      previousGroups: [],
      isManagedAttached: false,
    },
  };
  return desireGraph(readRoutes(spec), frontend, { identity, userTags: {}, vpcId: 'vpc-1' });
}

function names({ targetGroups, listeners }: DesiredGraph): readonly (readonly string[])[] {
  return [
    ...targetGroups.map(({ id, name }) => [id, name]),
    ...listeners.flatMap(({ rules }) => rules.map(({ id }) => [id])),
  ];
}

// Frozen for good: a change would make new target groups and rules for every object there is.
const OWN = [['target-group/spec/app', 'shared-app-fb77fb61'], ['rule/80/spec/app/0']];

it('what attaches leaves the names of what the spec has as they are', () => {
  expect(names(desire(SPEC))).toEqual(OWN);
  const attached = decideAttachments(SPEC, [draftApp('app')], { held: new Map() });
  const [group, rule] = names(desire({ ...SPEC, attached })).filter(([id = '']) =>
    id.includes('/spec/'),
  );
  expect([group, rule]).toEqual(OWN);
});

it('an attached rule has an identity of its own, by kind, namespace and name', () => {
  const attached = decideAttachments(SPEC, [draftApp('app', { namespace: 'team' })], {
    held: new Map(),
  });
  const graph = desire({ ...SPEC, attached });
  const others = names(graph).filter(([id = '']) => !id.includes('/spec/'));
  expect(others).toEqual([
    ['target-group/WebApp/team/app/app', 'shared-app-3fa7b278'],
    ['rule/80/WebApp/team/app/app/0'],
  ]);
  const [rule] = graph.listeners.flatMap(({ rules }) => rules.slice(1));
  expect(rule?.action).toMatchObject({ targetGroups: [{ name: 'shared-app-3fa7b278' }] });
});
