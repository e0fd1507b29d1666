import type { SeededNetwork } from '../../../localstack/seed.ts';
import type { AwsApi, AwsOperations } from '../../../src/aws/client/aws-api.ts';
import { codeFrom } from '../adapter.ts';
import type { BalancerOperation, GroupPlace, Step, SubnetPlace } from './random-steps.ts';

/** An answer in words that hold for every backend, to be compared. */
export interface Outcome {
  /** AWS's code; `ok` for a success. */
  readonly code: string;
  /** Of a success: ids as places, ARNs as slots, nothing that is drawn by lot. */
  readonly said: unknown;
}

/** The ARN of a balancer in the first two subnets. */
export async function createBalancer(
  api: AwsApi,
  Name: string,
  subnets: readonly string[],
): Promise<string> {
  const input = { Name, Subnets: subnets.slice(0, 2) };
  const { LoadBalancers } = await api.send('CreateLoadBalancer', input);
  return LoadBalancers?.[0]?.LoadBalancerArn ?? '';
}

type Pairs = readonly { readonly Key?: string | undefined; readonly Value?: string | undefined }[];

/** Of a balancer that nobody has ever had. */
const NEVER = 'arn:aws:elasticloadbalancing:us-east-1:000000000000:loadbalancer/app/never-';

/** One backend with the balancers of one sequence in it. */
export class Side {
  readonly #api: AwsApi;
  readonly #network: SeededNetwork;
  readonly #prefix: string;
  /** The ARN that a create of this slot has answered last; it stays after a deletion. */
  readonly #arns = new Map<number, string>();
  readonly #created = new Set<string>();

  constructor(api: AwsApi, network: SeededNetwork, prefix: string) {
    this.#api = api;
    this.#network = network;
    this.#prefix = prefix;
  }

  async run(step: Step): Promise<Outcome> {
    try {
      const input = this.#inputOf(step) as AwsOperations[BalancerOperation][0];
      const answer = await this.#api.send(step.operation, input);
      return { code: 'ok', said: this.#said(step, answer as unknown as Answer) };
    } catch (error) {
      return { code: codeFrom(error), said: undefined };
    }
  }

  /** Deletes what the sequence has left. */
  async clear(): Promise<void> {
    for (const arn of this.#created) {
      const off = [{ Key: 'deletion_protection.enabled', Value: 'false' }];
      const input = { LoadBalancerArn: arn, Attributes: off };
      await this.#api.send('ModifyLoadBalancerAttributes', input).catch(() => undefined);
      await this.#api.send('DeleteLoadBalancer', { LoadBalancerArn: arn });
    }
  }

  #inputOf(step: Step): object {
    const [slot = 0] = step.slots;
    const LoadBalancerArn = this.#arnOf(slot);
    const Attributes = pairsOf(step.attributes);
    const Subnets = step.subnets.map((place) => this.#subnet(place));
    const SecurityGroups = step.groups.map((place) => this.#group(place));
    const ResourceArns = step.slots.map((one) => this.#arnOf(one));
    const inputs: Readonly<Record<BalancerOperation, () => object>> = {
      CreateLoadBalancer: () => ({
        Name: this.#nameOf(slot, step),
        Subnets,
        SecurityGroups,
        Tags: pairsOf(step.tags),
        ...(step.scheme === undefined ? {} : { Scheme: step.scheme }),
        ...(step.ipAddressType === undefined ? {} : { IpAddressType: step.ipAddressType }),
      }),
      DescribeLoadBalancers: () => this.#selection(step),
      DeleteLoadBalancer: () => ({ LoadBalancerArn }),
      DescribeLoadBalancerAttributes: () => ({ LoadBalancerArn }),
      ModifyLoadBalancerAttributes: () => ({ LoadBalancerArn, Attributes }),
      SetSubnets: () => ({ LoadBalancerArn, Subnets }),
      SetSecurityGroups: () => ({ LoadBalancerArn, SecurityGroups }),
      SetIpAddressType: () => ({ LoadBalancerArn, IpAddressType: step.ipAddressType ?? 'ipv4' }),
      AddTags: () => ({ ResourceArns, Tags: pairsOf(step.tags) }),
      RemoveTags: () => ({ ResourceArns, TagKeys: step.tags.map(([key]) => key) }),
      DescribeTags: () => ({ ResourceArns }),
    };
    return inputs[step.operation]();
  }

  #selection({ slots, by, pageSize, ...step }: Step): object {
    const PageSize = pageSize;
    if (PageSize !== undefined) return { PageSize };
    if (by === 'arn') return { LoadBalancerArns: slots.map((slot) => this.#arnOf(slot)) };
    return { Names: slots.map((slot) => this.#nameOf(slot, { ...step, name: 'own' })) };
  }

  #said(step: Step, answer: Answer): unknown {
    const { LoadBalancers, Attributes, TagDescriptions, AvailabilityZones } = answer;
    if (step.operation === 'DescribeLoadBalancers' && step.pageSize !== undefined) return 'a page';
    if (LoadBalancers !== undefined) {
      const isNew = step.operation === 'CreateLoadBalancer' && this.#remember(step, LoadBalancers);
      const balancers = LoadBalancers.map((balancer) => this.#describe(balancer)).sort(byText);
      return { isNew, balancers };
    }
    if (Attributes !== undefined) return recordOf(Attributes);
    if (TagDescriptions !== undefined) {
      return TagDescriptions.map(({ ResourceArn, Tags }) => [
        this.#slotOf(ResourceArn),
        recordOf(Tags ?? []),
      ]).sort(byText);
    }
    return {
      zones: AvailabilityZones?.map((zone) => this.#placeOf(zone.SubnetId)).sort(),
      groups: answer.SecurityGroupIds?.map((id) => this.#placeOf(id)).sort(),
      ipAddressType: answer.IpAddressType,
    };
  }

  /** True if no create has answered with this balancer before. */
  #remember({ slots: [slot = 0] }: Step, [balancer]: readonly AnsweredBalancer[]): boolean {
    const arn = balancer?.LoadBalancerArn as string;
    const isNew = !this.#created.has(arn);
    this.#arns.set(slot, arn);
    this.#created.add(arn);
    return isNew;
  }

  #describe(balancer: AnsweredBalancer): object {
    const { Scheme, Type, IpAddressType, AvailabilityZones = [], SecurityGroups } = balancer;
    return {
      slot: this.#slotOf(balancer.LoadBalancerArn),
      name: balancer.LoadBalancerName?.replace(this.#prefix, ''),
      scheme: Scheme,
      type: Type,
      ipAddressType: IpAddressType,
      isOfOurVpc: balancer.VpcId === this.#network.vpcId,
      subnets: AvailabilityZones.map(({ SubnetId, ZoneName }) => [
        this.#placeOf(SubnetId),
        ZoneName,
      ]).sort(byText),
      groups: SecurityGroups?.map((id) => this.#placeOf(id)).sort(),
    };
  }

  #nameOf(slot: number, { name }: Pick<Step, 'name'>): string {
    const own = `${this.#prefix}${slot}`;
    const names: Readonly<Record<Step['name'], string>> = {
      own,
      tooLong: own.padEnd(33, 'x'),
      underscore: `${own}_`,
      edgeHyphen: `${own}-`,
      reserved: `internal-${own}`,
    };
    return names[name];
  }

  #arnOf(slot: number): string {
    return this.#arns.get(slot) ?? `${NEVER}${slot}/0123456789abcdef`;
  }

  #slotOf(arn: string | undefined): string {
    const entry = [...this.#arns].find(([, known]) => known === arn);
    return entry === undefined ? 'stranger' : `slot ${entry[0]}`;
  }

  #subnet(place: SubnetPlace): string {
    const { subnets, sameZoneSubnets } = this.#network;
    const ids: Readonly<Record<SubnetPlace, string | undefined>> = {
      one: subnets[0],
      two: subnets[1],
      three: subnets[2],
      twin: sameZoneSubnets[1],
      unknown: 'subnet-00000000000000000',
    };
    return ids[place] as string;
  }

  #group(place: GroupPlace): string {
    const [web, internal] = this.#network.securityGroups;
    return { web, internal, unknown: 'sg-00000000000000000' }[place] as string;
  }

  #placeOf(id: string | undefined): string {
    const places: readonly SubnetPlace[] = ['one', 'two', 'three', 'twin'];
    const groups: readonly GroupPlace[] = ['web', 'internal', 'unknown'];
    return (
      places.find((place) => this.#subnet(place) === id) ??
      groups.find((place) => this.#group(place) === id) ??
      'elsewhere'
    );
  }
}

interface AnsweredBalancer {
  readonly LoadBalancerArn?: string;
  readonly LoadBalancerName?: string;
  readonly Scheme?: string;
  readonly Type?: string;
  readonly IpAddressType?: string;
  readonly VpcId?: string;
  readonly AvailabilityZones?: readonly {
    readonly SubnetId?: string;
    readonly ZoneName?: string;
  }[];
  readonly SecurityGroups?: readonly string[];
}

/** The fields of all answers together. */
interface Answer extends Pick<AnsweredBalancer, 'AvailabilityZones' | 'IpAddressType'> {
  readonly LoadBalancers?: readonly AnsweredBalancer[];
  readonly Attributes?: Pairs;
  readonly TagDescriptions?: readonly { readonly ResourceArn?: string; readonly Tags?: Pairs }[];
  readonly SecurityGroupIds?: readonly string[];
}

function pairsOf(pairs: readonly (readonly [string, string])[]): { Key: string; Value: string }[] {
  return pairs.map(([Key, Value]) => ({ Key, Value }));
}

function recordOf(pairs: Pairs): Readonly<Record<string, string>> {
  const entries = pairs.map(({ Key = '', Value = '' }) => [Key, Value] as const);
  return Object.fromEntries(entries.toSorted(byText));
}

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}
