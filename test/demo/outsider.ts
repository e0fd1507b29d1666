import {
  AddTagsCommand,
  DeleteLoadBalancerCommand,
  DescribeLoadBalancersCommand,
  DescribeTagsCommand,
  ElasticLoadBalancingV2Client,
  type LoadBalancer,
} from '@aws-sdk/client-elastic-load-balancing-v2';

/** Somebody else with rights in the same AWS account, by the real SDK. */
export class Outsider {
  readonly #client: ElasticLoadBalancingV2Client;

  constructor(environment: Readonly<Record<string, string>>) {
    this.#client = new ElasticLoadBalancingV2Client({
      endpoint: environment['AWS_ENDPOINT_URL'] as string,
      region: environment['AWS_REGION'] as string,
      credentials: {
        accessKeyId: environment['AWS_ACCESS_KEY_ID'] as string,
        secretAccessKey: environment['AWS_SECRET_ACCESS_KEY'] as string,
      },
    });
  }

  async balancers(): Promise<readonly LoadBalancer[]> {
    const answer = await this.#client.send(new DescribeLoadBalancersCommand({}));
    return answer.LoadBalancers ?? [];
  }

  async tags(arn: string): Promise<Readonly<Record<string, string>>> {
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

  async setTag(arn: string, key: string, value: string): Promise<void> {
    const Tags = [{ Key: key, Value: value }];
    await this.#client.send(new AddTagsCommand({ ResourceArns: [arn], Tags }));
  }

  async deleteBalancer(arn: string): Promise<void> {
    await this.#client.send(new DeleteLoadBalancerCommand({ LoadBalancerArn: arn }));
  }

  close(): void {
    this.#client.destroy();
  }
}
