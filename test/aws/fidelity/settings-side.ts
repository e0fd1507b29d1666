import type { Rule } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { AwsApi, AwsOperations } from '../../../src/aws/client/aws-api.ts';
import { codeFrom } from '../adapter.ts';
import type { SettingsOperation, SettingsStep } from './settings-steps.ts';
import { createBalancer, type Outcome } from './side.ts';

interface Answer {
  readonly Rules?: readonly Rule[];
  readonly Listeners?: readonly { readonly ListenerArn?: string }[];
  readonly TargetGroups?: readonly { readonly TargetGroupArn?: string }[];
  readonly Attributes?: readonly { readonly Key?: string; readonly Value?: string }[];
}

interface Made {
  readonly ListenerArn?: string | undefined;
  readonly TargetGroupArn?: string | undefined;
  readonly RuleArn?: string | undefined;
}

export interface SettingsPlace {
  readonly api: AwsApi;
  readonly vpcId: string;
  readonly subnets: readonly string[];
  /** Of names, of this sequence alone. */
  readonly prefix: string;
}

/** One backend with a balancer, a listener, a target group and rules of one sequence. */
export class SettingsSide {
  readonly #place: SettingsPlace;
  readonly #balancer: Promise<string>;
  /** The latest of each kind. */
  #made: Made = {};
  #priority = 0;

  constructor(place: SettingsPlace) {
    this.#place = place;
    this.#balancer = createBalancer(place.api, `${place.prefix}b`, place.subnets);
  }

  async run(step: SettingsStep): Promise<Outcome> {
    try {
      const input = (await this.#inputOf(step)) as AwsOperations[SettingsOperation][0];
      const answer = await this.#place.api.send(step.operation, input);
      return { code: 'ok', said: this.#said(answer as unknown as Answer) };
    } catch (error) {
      return { code: codeFrom(error), said: undefined };
    }
  }

  /** Deletes all that the sequence has made. */
  async clear(): Promise<void> {
    const { api } = this.#place;
    await api.send('DeleteLoadBalancer', { LoadBalancerArn: await this.#balancer });
    await api.send('DeleteTargetGroup', { TargetGroupArn: this.#made.TargetGroupArn });
  }

  async #inputOf(step: SettingsStep): Promise<object> {
    const { vpcId: VpcId, prefix } = this.#place;
    const LoadBalancerArn = await this.#balancer;
    const notFound = [{ Type: 'fixed-response', FixedResponseConfig: { StatusCode: '404' } }];
    const rule = { Conditions: step.conditions, Actions: notFound };
    const attributesOf = ([Key, Value]: readonly [string, string]) => [{ Key, Value }];
    const group = { TargetGroupArn: this.#made.TargetGroupArn };
    const inputs: Readonly<Record<SettingsOperation, object>> = {
      CreateListener: { LoadBalancerArn, Protocol: 'HTTP', Port: 80, DefaultActions: notFound },
      CreateTargetGroup: {
        ...{ Name: `${prefix}g`, Protocol: 'HTTP', Port: 80, VpcId, TargetType: 'ip' },
      },
      CreateRule: { ListenerArn: this.#made.ListenerArn, Priority: ++this.#priority, ...rule },
      ModifyRule: { RuleArn: this.#made.RuleArn, ...rule },
      DescribeRules: { ListenerArn: this.#made.ListenerArn },
      DescribeTargetGroupAttributes: group,
      ModifyTargetGroupAttributes: { ...group, Attributes: attributesOf(step.groupAttribute) },
      DescribeLoadBalancerAttributes: { LoadBalancerArn },
      ModifyLoadBalancerAttributes: {
        ...{ LoadBalancerArn, Attributes: attributesOf(step.balancerAttribute) },
      },
    };
    return inputs[step.operation];
  }

  #said(answer: Answer): unknown {
    this.#remember(answer);
    const { Rules, Attributes } = answer;
    return {
      rules: Rules?.map(({ Priority, Conditions }) => ({ Priority, conditions: Conditions })),
      attributes: Attributes?.map(({ Key, Value }) => `${Key}=${Value}`).toSorted(),
    };
  }

  /** DescribeRules answers with two at least. */
  #remember({ Rules, Listeners, TargetGroups }: Answer): void {
    for (const [made, ...others] of [Rules ?? [], Listeners ?? [], TargetGroups ?? []]) {
      if (others.length === 0) this.#made = { ...this.#made, ...made };
    }
  }
}
