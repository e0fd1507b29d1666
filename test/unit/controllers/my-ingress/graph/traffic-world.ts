import { expect } from 'vitest';
import { desireGraph } from '../../../../../src/controllers/my-ingress/graph/desired-graph.ts';
import {
  beginFacts,
  isRouting,
  listConcerned,
  type RoutingChange,
  recordJoined,
  recordStep,
  recordUnused,
  type TrafficFacts,
} from '../../../../../src/controllers/my-ingress/graph/facts.ts';
import type {
  DesiredGraph,
  ObservedGraph,
} from '../../../../../src/controllers/my-ingress/graph/graph.ts';
import { type Plan, planTraffic } from '../../../../../src/controllers/my-ingress/graph/plan.ts';
import type { Step } from '../../../../../src/controllers/my-ingress/graph/steps.ts';
import { listSettings } from '../../../../../src/controllers/my-ingress/listeners/settings.ts';
import { readRoutes } from '../../../../../src/controllers/my-ingress/routes/read-routes.ts';
import type { TrafficSpec } from '../../../../../src/controllers/my-ingress/routes/traffic-spec.ts';
import { areApart } from '../../../../../src/controllers/my-ingress/rules/overlap.ts';
import { readMarks } from '../../../../../src/controllers/my-ingress/rules/transforms.ts';
import { findPrevious } from '../../../../../src/controllers/my-ingress/security-group/previous.ts';
import {
  listJoined,
  listWeights,
} from '../../../../../src/controllers/my-ingress/target-groups/succession.ts';
import { MemoryAws } from './memory-aws.ts';

export const IDENTITY = {
  cluster: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  ...{ namespace: 'web', name: 'shop', uid: 'uid-1' },
};
export const PLACE = { identity: IDENTITY, userTags: { team: 'web' }, vpcId: 'vpc-main' };

/** What carries out steps and shows what came of them. */
export interface Aws {
  /** The VPC's default security group. */
  readonly defaultGroup: string;
  observed(): ObservedGraph;
  apply(step: Step): void;
}

/** One object's passes against an AWS, with a clock that moves when a plan waits. */
export class TrafficWorld {
  readonly aws: Aws;
  nowMs = 0;
  facts: TrafficFacts = beginFacts(0);
  /** Of rules and listeners. */
  readonly #changes: RoutingChange[] = [];
  spec: TrafficSpec = {};
  securityGroups: readonly string[] | undefined;
  isAdopted = false;
  /** `ALBRIDGE_BACKEND_SECURITY_GROUPS` */
  backendGroups: readonly string[] = [];
  /** As in `status.owned`, which never forgets here. */
  listenerSettings: readonly string[] = [];

  constructor(aws: Aws = new MemoryAws()) {
    this.aws = aws;
  }

  desired(): DesiredGraph {
    const observed = this.aws.observed();
    const { loadBalancer, listeners, securityGroups } = observed;
    const { isAdopted } = this;
    const own = securityGroups[0]?.securityGroup.id ?? 'none';
    const frontend = {
      ...{ scheme: 'internet-facing', ipAddressType: 'dualstack', isAdopted },
      ...{
        backendGroups: this.backendGroups,
        defaultGroup: this.aws.defaultGroup,
        securityGroups: this.securityGroups,
        previousGroups: findPrevious(observed, { identity: IDENTITY, isAdopted }),
      },
      isManagedAttached: loadBalancer?.securityGroups.includes(own) ?? false,
      servedPorts: listeners.map(({ listener }) => listener.port),
      listenerSettings: this.listenerSettings,
    };
    return desireGraph(readRoutes(this.spec), frontend, PLACE);
  }

  plan(): Plan {
    const observed = this.aws.observed();
    const settings = [...this.listenerSettings, ...listSettings(readRoutes(this.spec))];
    this.listenerSettings = [...new Set(settings)];
    const unused = recordUnused(this.facts, observed, this.nowMs);
    const names = listJoined(listWeights(observed, IDENTITY));
    this.facts = recordJoined(unused, { names }, this.nowMs);
    const { facts, nowMs } = this;
    return planTraffic(this.desired(), observed, {
      ...{ identity: IDENTITY, appliedTags: [], facts, nowMs },
    });
  }

  /** Carries out the first `count` steps of a plan; with fewer than all the process dies. */
  execute(plan: Plan, count = plan.steps.length): void {
    for (const step of plan.steps.slice(0, count)) {
      this.nowMs += 100;
      const before = this.aws.observed();
      this.aws.apply(step);
      this.#watch(step, before);
      this.#watchMarks(step, before);
      this.facts = recordStep(this.facts, step, this.nowMs);
    }
    if (count < plan.steps.length) this.facts = beginFacts(this.nowMs);
  }

  /** Passes until nothing is left to do or to wait for; returns the last plan. */
  converge(onPass: (plan: Plan) => void = (plan) => this.execute(plan)): Plan {
    for (let pass = 0; pass < 60; pass += 1) {
      const plan = this.plan();
      if (plan.steps.length > 0) {
        onPass(plan);
      } else {
        const waits = plan.postponed.map(({ inMs }) => inMs);
        if (waits.length === 0) return plan;
        this.nowMs += Math.min(...waits);
      }
    }
    throw new Error(`does not converge: ${JSON.stringify(this.plan(), undefined, 1)}`);
  }

  /** A transform that is not known as ours is never taken off again. */
  #watchMarks({ operation, input }: Step, before: ObservedGraph): void {
    if (operation !== 'ModifyRule' || input.transforms === undefined) return;
    const rules = before.listeners.flatMap((listener) => listener.rules);
    const marks = readMarks(rules.find(({ rule }) => rule.arn === input.arn)?.tags ?? {});
    const kinds = input.transforms.map(({ kind }) => kind);
    expect(marks, 'a rewrite follows its mark').toEqual(expect.arrayContaining(kinds));
  }

  /** Nothing is deleted within 15 s of what may replace it. */
  #watch(step: Step, before: ObservedGraph): void {
    const conditions = listConcerned(step);
    if (isRouting(step)) this.#changes.push({ atMs: this.nowMs, conditions });
    if (step.operation !== 'DeleteRule' && step.operation !== 'DeleteListener') return;
    const { arn } = step.input;
    const rules = before.listeners.flatMap((listener) => listener.rules);
    const own = rules.find(({ rule }) => rule.arn === arn)?.rule.conditions ?? [];
    const near = this.#changes.filter((one) => {
      return one.conditions === undefined || !areApart(one.conditions, own);
    });
    const lastMs = near.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY;
    expect(this.nowMs - lastMs, 'a removal follows a change').toBeGreaterThan(14_999);
  }
}
