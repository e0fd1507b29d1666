import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ObservedGraph } from '../../../../../src/controllers/my-ingress/graph/graph.ts';
import {
  projectStep,
  type StandingGraph,
} from '../../../../../src/controllers/my-ingress/graph/projection.ts';
import type { Step } from '../../../../../src/controllers/my-ingress/graph/steps.ts';
import { desireTags } from '../../../../../src/controllers/my-ingress/graph/tags.ts';
import { readReferences } from '../../../../../src/controllers/my-ingress/traffic/references.ts';
import { embeddedTraffic } from './embedded-traffic.ts';
import { MemoryAws } from './memory-aws.ts';
import { spec } from './random-traffic.ts';
import { type Aws, IDENTITY, TrafficWorld } from './traffic-world.ts';

/** Projects each step before it is carried out, and compares that with what is read afterwards. */
class Projecting implements Aws {
  readonly #aws: Aws;
  readonly operations = new Set<string>();

  constructor(aws: Aws) {
    this.#aws = aws;
  }

  get defaultGroup(): string {
    return this.#aws.defaultGroup;
  }

  observed(): ObservedGraph {
    return this.#aws.observed();
  }

  apply(step: Step): void {
    const before = this.observed() as StandingGraph;
    this.#aws.apply(step);
    this.operations.add(step.operation);
    const after = this.observed();
    const known = new Set(listIds(before));
    const made = listIds(after).find((id) => !known.has(id));
    expect(simplify(projectStep(before, step, made)), step.operation).toEqual(simplify(after));
  }
}

function listIds({ securityGroups, targetGroups, listeners }: ObservedGraph): readonly string[] {
  return [
    ...securityGroups.map(({ securityGroup: { id } }) => id),
    ...targetGroups.map(({ targetGroup: { arn } }) => arn),
    ...listeners.flatMap(({ listener: { arn }, rules }) => [
      arn,
      ...rules.map(({ rule }) => rule.arn),
    ]),
  ];
}

/** Without what no plan looks at: the default rule, the order of a list, attributes that are never written. */
function simplify(graph: ObservedGraph): object {
  const { loadBalancer, securityGroups, targetGroups, listeners } = graph;
  return {
    loadBalancer,
    securityGroups: securityGroups.map(({ securityGroup, tags }) => ({
      ...{ ...securityGroup, tags },
      ingress: byName(
        securityGroup.ingress,
        ({ fromPort, source }) => `${fromPort} ${source.value}`,
      ),
    })),
    targetGroups: byName(
      targetGroups.map(({ targetGroup, tags, attributes = {} }) => ({
        ...{ ...targetGroup, tags },
        attributes: Object.fromEntries(
          Object.entries(attributes).filter(([key]) => !NEVER_WRITTEN.test(key)),
        ),
      })),
      ({ arn }) => arn,
    ),
    listeners: byName(
      listeners.map(({ listener, certificates = [], tags, attributes, rules }) => ({
        ...{ ...listener, certificates, tags, attributes },
        rules: byName(
          rules.filter(({ rule }) => rule.priority !== 'default'),
          ({ rule: { arn } }) => arn,
        ),
      })),
      ({ arn }) => arn,
    ),
  };
}

const NEVER_WRITTEN = /cookie_name|dns_failover.*count/;

function byName<T>(items: readonly T[], name: (item: T) => string): Readonly<Record<string, T>> {
  return Object.fromEntries(items.map((item) => [name(item), item]));
}

it('of two groups of one object the one in the VPC of the balancer is changed and attached', () => {
  const aws = new MemoryAws();
  const tags = desireTags('security-group/frontend', {}, IDENTITY);
  const old = { id: 'sg-old', name: 'albridge-old', vpcId: 'vpc-other', ingress: [] };
  aws.meddle(() => ({ securityGroups: [{ securityGroup: old, tags }] }));
  const world = new TrafficWorld(aws);
  world.spec = { listeners: [{ port: 80, protocol: 'HTTP' }] };
  const steps = world.plan().steps.filter(({ operation }) => operation !== 'DeleteSecurityGroup');
  for (const step of steps) aws.apply(step);
  const { loadBalancer, securityGroups } = aws.observed();
  const [first, own] = securityGroups;
  expect(first?.securityGroup).toEqual(old);
  expect(own?.securityGroup.ingress).toHaveLength(2);
  expect(loadBalancer.securityGroups).toEqual([own?.securityGroup.id]);
  const references = readReferences(aws.observed(), IDENTITY, loadBalancer.arn);
  expect(references.securityGroup).toBe(own?.securityGroup.id);
});

it('what a step makes of a graph is what the stand-in shows afterwards', () => {
  const operations = new Set<string>();
  fc.assert(
    fc.property(fc.array(spec, { minLength: 1, maxLength: 4 }), (edits) => {
      const aws = new Projecting(embeddedTraffic());
      const world = new TrafficWorld(aws);
      for (const edited of edits) {
        world.spec = edited;
        world.converge();
      }
      for (const operation of aws.operations) operations.add(operation);
    }),
    { numRuns: 40 },
  );
  expect(operations.size).toBeGreaterThan(12);
});
