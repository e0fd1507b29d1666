import { desireGraph } from '../../../src/controllers/my-ingress/graph/desired-graph.ts';
import { beginFacts } from '../../../src/controllers/my-ingress/graph/facts.ts';
import { type Plan, planTraffic } from '../../../src/controllers/my-ingress/graph/plan.ts';
import { readRoutes } from '../../../src/controllers/my-ingress/routes/read-routes.ts';
import {
  listWeights,
  stageSuccessors,
} from '../../../src/controllers/my-ingress/target-groups/succession.ts';
import { MemoryAws } from '../../unit/controllers/my-ingress/graph/memory-aws.ts';
import { type Figure, repeat, type Sample } from '../figure.ts';

const RULES = 99;
const PASSES = 200;
const IDENTITY = { cluster: 'bench', namespace: 'web', name: 'shop', uid: 'uid-1' };
const PLACE = { identity: IDENTITY, userTags: { team: 'web' }, vpcId: 'vpc-main' };
const BACKENDS = ['web', 'api', 'files'].map((name) => ({ name, service: { name, port: 80 } }));
const SPEC = {
  backends: BACKENDS,
  rules: Array.from({ length: RULES }, (_, index) => ({
    ...{ name: `rule-${index}`, hosts: ['shop.example.com'], paths: [`/${index}/*`] },
    forward: [{ backend: BACKENDS[index % BACKENDS.length]?.name ?? '' }],
  })),
  defaultAction: { forward: [{ backend: 'web' }] },
};

export const unchangedPass: Figure = {
  what: `the plan of a pass over ${RULES} rules in which nothing differs, from spec to no step`,
  quantities: { cpuMs: { what: 'CPU for each', unit: 'ms', bound: 5 } },
  measure: (_, options) => {
    const aws = new MemoryAws();
    for (let plan = planOnce(aws); plan.steps.length > 0; plan = planOnce(aws)) {
      for (const step of plan.steps) aws.apply(step);
    }
    return repeat(options, () => Promise.resolve(measureOnce(aws)));
  },
};

function measureOnce(aws: MemoryAws): Sample {
  const before = process.cpuUsage();
  for (let pass = 0; pass < PASSES; pass++) {
    const { steps, postponed } = planOnce(aws);
    if (steps.length + postponed.length > 0) throw new Error('something differs');
  }
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1000 / PASSES };
}

function planOnce(aws: MemoryAws): Plan {
  const observed = aws.observed();
  const facts = beginFacts(0);
  const frontend = {
    ...{ scheme: 'internet-facing', ipAddressType: 'ipv4', isAdopted: false, backendGroups: [] },
    ...{
      securityGroups: undefined,
      previousGroups: [],
      isManagedAttached: true,
      defaultGroup: aws.defaultGroup,
    },
    servedPorts: observed.listeners.map(({ listener }) => listener.port),
  };
  const whole = desireGraph(readRoutes(SPEC), frontend, PLACE);
  const weights = listWeights(observed, IDENTITY);
  const judge = () => 'healthy' as const;
  const given = { identity: IDENTITY, weights, judge, refused: facts.refused };
  const { desired } = stageSuccessors(whole, observed, given);
  return planTraffic(desired, observed, {
    ...{ identity: IDENTITY, appliedTags: [], facts, nowMs: 60_000 },
  });
}
