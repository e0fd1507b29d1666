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
    const LoadBalancerArn = this.#place.balancers[step.balancer];
    const TargetGroupArn = this.#groupOf(step.group);
    const ListenerArn = this.#listenerOf(step);
    const RuleArn = this.#ruleOf(step.rule);
    const Targets = step.targets.map((Id) => ({ Id, Port: 8080 }));
    const Tags = step.tags.map(([Key, Value]) => ({ Key, Value }));
    const tagged = [TargetGroupArn, ListenerArn, RuleArn][step.rule % 3] as string;
    const DefaultActions = this.#actionsOf(step);
    const conditions = [{ Field: 'path-pattern', PathPatternConfig: { Values: [step.path] } }];
    const HealthCheckIntervalSeconds = step.interval;
    const inputs: Readonly<Record<TrafficOperation, () => object>> = {
      CreateTargetGroup: () => ({
        ...{ Name: `${this.#place.prefix}${step.group}`, Protocol: 'HTTP', Port: 80 },
        ...{ VpcId: this.#place.vpcId, TargetType: 'ip', HealthCheckIntervalSeconds, Tags },
      }),
      ModifyTargetGroup: () => ({ TargetGroupArn, HealthCheckIntervalSeconds }),
      DeleteTargetGroup: () => ({ TargetGroupArn }),
      RegisterTargets: () => ({ TargetGroupArn, Targets }),
      DeregisterTargets: () => ({ TargetGroupArn, Targets }),
      CreateListener: () => ({
        ...{ LoadBalancerArn, Protocol: 'HTTP', Port: 8000 + step.listener, DefaultActions, Tags },
      }),
      ModifyListener: () => ({ ListenerArn, DefaultActions }),
      DeleteListener: () => ({ ListenerArn }),
      CreateRule: () => ({
        ...{
          ListenerArn,
          Priority: step.priority,
          Conditions: conditions,
          Actions: DefaultActions,
        },
        Tags,
      }),
      ModifyRule: () => ({ RuleArn, Conditions: conditions, Actions: DefaultActions }),
      DeleteRule: () => ({ RuleArn }),
      SetRulePriorities: () => ({ RulePriorities: [{ RuleArn, Priority: step.priority }] }),
      DescribeTargetGroups: () => ({ LoadBalancerArn }),
      DescribeListeners: () => ({ LoadBalancerArn }),
      DescribeRules: () => ({ ListenerArn }),
      DescribeTargetHealth: () => ({ TargetGroupArn }),
      DescribeTags: () => ({ ResourceArns: [tagged] }),
      AddTags: () => ({ ResourceArns: [tagged], Tags }),
      RemoveTags: () => ({ ResourceArns: [tagged], TagKeys: step.tags.map(([key]) => key) }),
    };
    return inputs[step.operation]();
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
  #remember(step: TrafficStep, { TargetGroups, Listeners, Rules }: Answer): boolean {
    const arn =
      TargetGroups?.[0]?.TargetGroupArn ?? Listeners?.[0]?.ListenerArn ?? Rules?.[0]?.RuleArn ?? '';
    const isNew = !this.#made.has(arn);
    this.#made.add(arn);
    if (TargetGroups) this.#arns.set(`group ${step.group}`, arn);
    else if (Listeners) this.#arns.set(`listener ${step.balancer} ${step.listener}`, arn);
    else this.#arns.set(`rule ${step.rule}`, arn);
    return isNew;
  }

  #describeGroup(group: TargetGroup): object {
    const { Protocol, Port, HealthCheckIntervalSeconds, LoadBalancerArns = [] } = group;
    return {
      group: this.#slotOf(group.TargetGroupArn),
      ...{ Protocol, Port, HealthCheckIntervalSeconds, TargetType: group.TargetType },
      balancers: LoadBalancerArns.map((arn) => this.#place.balancers.indexOf(arn)).toSorted(),
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

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}
