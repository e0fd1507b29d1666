import {
  AddTagsCommand,
  CreateListenerCommand,
  CreateLoadBalancerCommand,
  type CreateLoadBalancerCommandInput,
  CreateTargetGroupCommand,
  DeleteListenerCommand,
  DeleteLoadBalancerCommand,
  DeleteTargetGroupCommand,
  DescribeListenersCommand,
  DescribeLoadBalancersCommand,
  DescribeRulesCommand,
  DescribeTagsCommand,
  DescribeTargetGroupsCommand,
  DescribeTargetHealthCommand,
  ElasticLoadBalancingV2Client,
  type LoadBalancer,
  ModifyLoadBalancerAttributesCommand,
  ModifyTargetGroupCommand,
  paginateDescribeLoadBalancers,
  RemoveTagsCommand,
  SetIpAddressTypeCommand,
  SetSecurityGroupsCommand,
  SetSubnetsCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { ADMINISTRATOR } from './aws-stand-in.ts';

interface SeenGroup {
  readonly path: string | undefined;
  readonly targets: readonly string[];
}

type Strings = Readonly<Record<string, string>>;

/** Somebody else with rights in the same AWS account, by the real SDK. */
export class Outsider {
  readonly #client: ElasticLoadBalancingV2Client;

  constructor(environment: Strings) {
    this.#client = new ElasticLoadBalancingV2Client({
      endpoint: environment['AWS_ENDPOINT_URL'] as string,
      region: environment['AWS_REGION'] as string,
      credentials: ADMINISTRATOR,
    });
  }

  async balancers(): Promise<readonly LoadBalancer[]> {
    // LocalStack goes on from the name that a page ended with, and somebody may have deleted that.
    const inOnePage = { client: this.#client, pageSize: 400 };
    const all: LoadBalancer[] = [];
    for await (const page of paginateDescribeLoadBalancers(inOnePage, {})) {
      all.push(...(page.LoadBalancers ?? []));
    }
    return all;
  }

  async tags(arn: string): Promise<Strings> {
    const answer = await this.#client.send(new DescribeTagsCommand({ ResourceArns: [arn] }));
    const tags = answer.TagDescriptions?.[0]?.Tags ?? [];
    return Object.fromEntries(tags.map(({ Key, Value }) => [Key as string, Value ?? '']));
  }

  async subnets(arn: string): Promise<readonly string[]> {
    const command = new DescribeLoadBalancersCommand({ LoadBalancerArns: [arn] });
    const answer = await this.#client.send(command);
    const zones = answer.LoadBalancers?.[0]?.AvailabilityZones ?? [];
    return zones.map((zone) => zone.SubnetId as string).sort();
  }

  /** Returns the ARN. */
  async createBalancer(
    settings: Omit<CreateLoadBalancerCommandInput, 'Tags'>,
    tags: Strings = {},
  ): Promise<string> {
    const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
    const input = { ...settings, ...(Tags.length > 0 && { Tags }) };
    const answer = await this.#client.send(new CreateLoadBalancerCommand(input));
    return answer.LoadBalancers?.[0]?.LoadBalancerArn as string;
  }

  async setTags(arn: string, tags: Strings): Promise<void> {
    const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
    await this.#client.send(new AddTagsCommand({ ResourceArns: [arn], Tags }));
  }

  async removeTags(arn: string, ...keys: readonly string[]): Promise<void> {
    await this.#client.send(new RemoveTagsCommand({ ResourceArns: [arn], TagKeys: [...keys] }));
  }

  async setSubnets(arn: string, subnets: readonly string[]): Promise<void> {
    await this.#client.send(new SetSubnetsCommand({ LoadBalancerArn: arn, Subnets: [...subnets] }));
  }

  async setSecurityGroups(arn: string, groups: readonly string[]): Promise<void> {
    const input = { LoadBalancerArn: arn, SecurityGroups: [...groups] };
    await this.#client.send(new SetSecurityGroupsCommand(input));
  }

  async setIpAddressType(arn: string, type: 'ipv4' | 'dualstack'): Promise<void> {
    const input = { LoadBalancerArn: arn, IpAddressType: type };
    await this.#client.send(new SetIpAddressTypeCommand(input));
  }

  async setAttributes(arn: string, attributes: Strings): Promise<void> {
    const Attributes = Object.entries(attributes).map(([Key, Value]) => ({ Key, Value }));
    await this.#client.send(
      new ModifyLoadBalancerAttributesCommand({ LoadBalancerArn: arn, Attributes }),
    );
  }

  async deleteBalancer(arn: string): Promise<void> {
    await this.#client.send(new DeleteLoadBalancerCommand({ LoadBalancerArn: arn }));
  }

  /** Ports of the listeners of a balancer, each with the paths of its rules in their order. */
  async listeners(balancerArn: string): Promise<Readonly<Record<number, readonly string[]>>> {
    const of = { LoadBalancerArn: balancerArn };
    const { Listeners = [] } = await this.#client.send(new DescribeListenersCommand(of));
    const entries = Listeners.map(async ({ ListenerArn, Port = 0 }) => {
      const { Rules = [] } = await this.#client.send(new DescribeRulesCommand({ ListenerArn }));
      const inOrder = Rules.toSorted((a, b) => Number(a.Priority) - Number(b.Priority));
      const paths = inOrder.flatMap(({ Conditions = [] }) =>
        Conditions.flatMap(({ PathPatternConfig }) => PathPatternConfig?.Values ?? []),
      );
      return [Port, paths] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  /** Names of the target groups that it uses, each with its health check's path and its targets. */
  async targetGroups(balancerArn: string): Promise<Readonly<Record<string, SeenGroup>>> {
    const of = { LoadBalancerArn: balancerArn };
    const { TargetGroups = [] } = await this.#client.send(new DescribeTargetGroupsCommand(of));
    const entries = TargetGroups.map(async (group) => {
      const { TargetGroupArn, TargetGroupName = '', HealthCheckPath: path } = group;
      const command = new DescribeTargetHealthCommand({ TargetGroupArn });
      const { TargetHealthDescriptions = [] } = await this.#client.send(command);
      const targets = TargetHealthDescriptions.map(({ Target }) => Target?.Id ?? '').toSorted();
      return [TargetGroupName, { path, targets }] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  /** Whether there is a target group of this name. */
  async hasTargetGroup(name: string): Promise<boolean> {
    const command = new DescribeTargetGroupsCommand({ Names: [name] });
    try {
      return ((await this.#client.send(command)).TargetGroups ?? []).length > 0;
    } catch (error) {
      if ((error as Error).name === 'TargetGroupNotFoundException') return false;
      throw error;
    }
  }

  /** Answers 200 to every request. Returns its ARN. */
  async createListener(balancerArn: string, port: number): Promise<string> {
    const answer = { StatusCode: '200', ContentType: 'text/plain', MessageBody: 'theirs' };
    const command = new CreateListenerCommand({
      ...{ LoadBalancerArn: balancerArn, Port: port, Protocol: 'HTTP' },
      DefaultActions: [{ Type: 'fixed-response', FixedResponseConfig: answer }],
    });
    return (await this.#client.send(command)).Listeners?.[0]?.ListenerArn as string;
  }

  async deleteListener(arn: string): Promise<void> {
    await this.#client.send(new DeleteListenerCommand({ ListenerArn: arn }));
  }

  /** Returns its ARN. */
  async createTargetGroup(name: string, vpcId: string): Promise<string> {
    const settings = { Name: name, VpcId: vpcId, Protocol: 'HTTP', Port: 8080 } as const;
    const answer = await this.#client.send(new CreateTargetGroupCommand(settings));
    return answer.TargetGroups?.[0]?.TargetGroupArn as string;
  }

  async setHealthCheckPath(arn: string, path: string): Promise<void> {
    const input = { TargetGroupArn: arn, HealthCheckPath: path };
    await this.#client.send(new ModifyTargetGroupCommand(input));
  }

  async deleteTargetGroup(arn: string): Promise<void> {
    await this.#client.send(new DeleteTargetGroupCommand({ TargetGroupArn: arn }));
  }

  close(): void {
    this.#client.destroy();
  }
}
