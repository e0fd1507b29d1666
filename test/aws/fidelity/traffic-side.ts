import type {
  Action,
  Listener,
  Rule,
  TagDescription,
  TargetGroup,
  TargetHealthDescription,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { AwsApi, AwsOperations } from '../../../src/aws/client/aws-api.ts';
import { codeFrom } from '../adapter.ts';
import type { Outcome } from './side.ts';
import type { TrafficOperation, TrafficStep } from './traffic-steps.ts';

const PREFIX = 'arn:aws:elasticloadbalancing:us-east-1:000000000000:';
const HASH = '0123456789abcdef';

/** Of what there has never been. */
const NEVER = {
  group: (slot: number) => `${PREFIX}targetgroup/never${slot}/${HASH}`,
  listener: `${PREFIX}listener/app/never/${HASH}/${HASH}`,
  rule: `${PREFIX}listener-rule/app/never/${HASH}/${HASH}/${HASH}`,
} as const;

/** The fields of all answers together. */
interface Answer {
  readonly TargetGroups?: readonly TargetGroup[];
  readonly Listeners?: readonly Listener[];
  readonly Rules?: readonly Rule[];
  readonly TargetHealthDescriptions?: readonly TargetHealthDescription[];
  readonly TagDescriptions?: readonly TagDescription[];
}

export interface TrafficPlace {
  readonly vpcId: string;
  /** ARNs of two balancers. */
  readonly balancers: readonly string[];
  /** Of names, of this sequence alone. */
  readonly prefix: string;
}

type Inputs = Readonly<Partial<Record<TrafficOperation, object>>>;

/** One backend with two balancers, and what one sequence makes around them. */
export class TrafficSide {
  readonly #api: AwsApi;
  readonly #place: TrafficPlace;
  /** The ARN that a create of this slot has answered last, by `group 0`; it stays after a deletion. */
  readonly #arns = new Map<string, string>();
  readonly #made = new Set<string>();

  constructor(api: AwsApi, place: TrafficPlace) {
    this.#api = api;
    this.#place = place;
  }

  async run(step: TrafficStep): Promise<Outcome> {
    try {
      const input = this.#inputOf(step) as AwsOperations[TrafficOperation][0];
      const answer = (await this.#api.send(step.operation, input)) as unknown as Answer;
      return { code: 'ok', said: this.#said(step, answer) };
    } catch (error) {
      return { code: codeFrom(error), said: undefined };
    }
  }

  /** Deletes what the sequence has left. */
  async clear(): Promise<void> {
    for (const balancer of this.#place.balancers) {
      const { Listeners = [] } = await this.#api.send('DescribeListeners', {
        LoadBalancerArn: balancer,
      });
      for (const { ListenerArn } of Listeners)
        await this.#api.send('DeleteListener', { ListenerArn });
    }
    const groups = [...this.#made].filter((arn) => arn.includes(':targetgroup/'));
    for (const TargetGroupArn of groups) {
      await this.#api.send('DeleteTargetGroup', { TargetGroupArn }).catch(() => undefined);
    }
  }

  #inputOf(step: TrafficStep): object {
    const inputs: Partial<Record<TrafficOperation, object>> = {
      ...this.#groupInputs(step),
      ...this.#listenerInputs(step),
      ...this.#ruleInputs(step),
      ...this.#tagInputs(step),
    };
    return inputs[step.operation] ?? {};
  }

  #groupInputs({ balancer, group, interval, tags, targets }: TrafficStep): Inputs {
    const TargetGroupArn = this.#groupOf(group);
    const Targets = targets.map((Id) => ({ Id, Port: 8080 }));
    const HealthCheckIntervalSeconds = interval;
    return {
      CreateTargetGroup: {
        ...{ Name: `${this.#place.prefix}${group}`, Protocol: 'HTTP', Port: 80, TargetType: 'ip' },
        ...{ VpcId: this.#place.vpcId, HealthCheckIntervalSeconds, Tags: pairsOf(tags) },
      },
      ModifyTargetGroup: { TargetGroupArn, HealthCheckIntervalSeconds },
      DeleteTargetGroup: { TargetGroupArn },
      RegisterTargets: { TargetGroupArn, Targets },
      DeregisterTargets: { TargetGroupArn, Targets },
      DescribeTargetGroups: { LoadBalancerArn: this.#place.balancers[balancer] },
      DescribeTargetHealth: { TargetGroupArn },
    };
  }

  #listenerInputs(step: TrafficStep): Inputs {
    const LoadBalancerArn = this.#place.balancers[step.balancer];
    const ListenerArn = this.#listenerOf(step);
    const DefaultActions = this.#actionsOf(step);
    const place = { LoadBalancerArn, Protocol: 'HTTP', Port: 8000 + step.listener };
    return {
      CreateListener: { ...place, DefaultActions, Tags: pairsOf(step.tags) },
      ModifyListener: { ListenerArn, DefaultActions },
      DeleteListener: { ListenerArn },
      DescribeListeners: { LoadBalancerArn },
    };
  }

  #ruleInputs(step: TrafficStep): Inputs {
    const ListenerArn = this.#listenerOf(step);
    const RuleArn = this.#ruleOf(step.rule);
    const Priority = step.priority;
    const Conditions = [{ Field: 'path-pattern', PathPatternConfig: { Values: [step.path] } }];
    const Actions = this.#actionsOf(step);
    return {
      CreateRule: { ListenerArn, Priority, Conditions, Actions, Tags: pairsOf(step.tags) },
      ModifyRule: { RuleArn, Conditions, Actions },
      DeleteRule: { RuleArn },
      SetRulePriorities: { RulePriorities: [{ RuleArn, Priority }] },
      DescribeRules: { ListenerArn },
    };
  }

  #tagInputs(step: TrafficStep): Inputs {
    const arns = [this.#groupOf(step.group), this.#listenerOf(step), this.#ruleOf(step.rule)];
    const ResourceArns = [arns[step.rule % 3]];
    return {
      DescribeTags: { ResourceArns },
      AddTags: { ResourceArns, Tags: pairsOf(step.tags) },
      RemoveTags: { ResourceArns, TagKeys: step.tags.map(([key]) => key) },
    };
  }

  #actionsOf({ forwards }: TrafficStep): readonly object[] {
    if (forwards.length === 0) {
      return [{ Type: 'fixed-response', FixedResponseConfig: { StatusCode: '404' } }];
    }
    const TargetGroups = forwards.map(([slot, Weight]) => {
      return { TargetGroupArn: this.#groupOf(slot), Weight };
    });
    return [{ Type: 'forward', ForwardConfig: { TargetGroups } }];
  }

  #said(step: TrafficStep, answer: Answer): unknown {
    const isNew = step.operation.startsWith('Create') ? this.#remember(step, answer) : undefined;
    const { TargetGroups, Listeners, Rules, TagDescriptions, TargetHealthDescriptions } = answer;
    return {
      isNew,
      groups: TargetGroups?.map((group) => this.#describeGroup(group)).toSorted(byText),
      listeners: Listeners?.map((listener) => this.#describeListener(listener)).toSorted(byText),
      rules: Rules?.map((rule) => this.#describeRule(rule)).toSorted(byText),
      tags: TagDescriptions?.map(({ Tags = [] }) => {
        return Tags.map(({ Key, Value }) => `${Key}=${Value}`).toSorted();
      }),
      targets: TargetHealthDescriptions?.map(
        ({ Target }) => `${Target?.Id}:${Target?.Port}`,
      ).toSorted(),
    };
  }

  /** True if no create has answered with this resource before. */
  #remember(step: TrafficStep, answer: Answer): boolean {
    const [slot, arn = ''] = findMade(step, answer);
    const isNew = !this.#made.has(arn);
    this.#made.add(arn);
    this.#arns.set(slot, arn);
    return isNew;
  }

  #describeGroup(group: TargetGroup): object {
    const { Protocol, Port, HealthCheckIntervalSeconds, LoadBalancerArns = [] } = group;
    return {
      group: this.#slotOf(group.TargetGroupArn),
      ...{ Protocol, Port, HealthCheckIntervalSeconds, TargetType: group.TargetType },
      balancers: LoadBalancerArns.map((arn) => this.#place.balancers.indexOf(arn)).toSorted(byText),
    };
  }

  #describeListener({ ListenerArn, Port, Protocol, DefaultActions = [] }: Listener): object {
    const actions = DefaultActions.map((action) => this.#describeAction(action));
    return { listener: this.#slotOf(ListenerArn), Port, Protocol, actions };
  }

  #describeRule({ RuleArn, Priority, Conditions = [], Actions = [], IsDefault }: Rule): object {
    return {
      rule: IsDefault ? 'default' : this.#slotOf(RuleArn),
      Priority,
      paths: Conditions.flatMap(({ PathPatternConfig }) => PathPatternConfig?.Values ?? []),
      actions: Actions.map((action) => this.#describeAction(action)),
    };
  }

  #describeAction({ Type, ForwardConfig, FixedResponseConfig }: Action): object {
    const groups = ForwardConfig?.TargetGroups?.map(({ TargetGroupArn, Weight }) => {
      return [this.#slotOf(TargetGroupArn), Weight];
    });
    return { Type, groups, status: FixedResponseConfig?.StatusCode };
  }

  #groupOf(slot: number): string {
    return this.#arns.get(`group ${slot}`) ?? NEVER.group(slot);
  }

  #listenerOf({ balancer, listener }: TrafficStep): string {
    return this.#arns.get(`listener ${balancer} ${listener}`) ?? NEVER.listener;
  }

  #ruleOf(slot: number): string {
    return this.#arns.get(`rule ${slot}`) ?? NEVER.rule;
  }

  #slotOf(arn: string | undefined): string {
    return [...this.#arns].find(([, known]) => known === arn)?.[0] ?? 'unknown';
  }
}

/** The slot of what a create has made, and its ARN. */
function findMade(
  { balancer, group, listener, rule }: TrafficStep,
  { Listeners, Rules, TargetGroups }: Answer,
): readonly [string, string | undefined] {
  if (TargetGroups) return [`group ${group}`, TargetGroups[0]?.TargetGroupArn];
  if (Listeners) return [`listener ${balancer} ${listener}`, Listeners[0]?.ListenerArn];
  return [`rule ${rule}`, Rules?.[0]?.RuleArn];
}

function pairsOf(tags: TrafficStep['tags']): readonly object[] {
  return tags.map(([Key, Value]) => ({ Key, Value }));
}

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}
