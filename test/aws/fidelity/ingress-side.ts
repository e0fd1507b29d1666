import type { AwsApi, AwsOperations } from '../../../src/aws/client/aws-api.ts';
import type { Ec2SecurityGroup, IpPermission } from '../../../src/aws/ec2/operations.ts';
import { codeFrom } from '../adapter.ts';
import type { IngressOperation, IngressStep, Permission, Source } from './ingress-steps.ts';
import type { Outcome } from './side.ts';

const NEVER = 'sg-0123456789abcdef0';

interface Answer {
  readonly GroupId?: string;
  readonly SecurityGroups?: readonly Ec2SecurityGroup[];
}

/** One backend with the security groups of one sequence in it. */
export class IngressSide {
  readonly #api: AwsApi;
  readonly #place: { readonly vpcId: string; readonly prefix: string };
  /** The group that a create of this slot has answered last; it stays after a deletion. */
  readonly #ids = new Map<number, string>();
  readonly #made = new Set<string>();

  constructor(api: AwsApi, place: { readonly vpcId: string; readonly prefix: string }) {
    this.#api = api;
    this.#place = place;
  }

  async run(step: IngressStep): Promise<Outcome> {
    try {
      const input = this.#inputOf(step) as AwsOperations[IngressOperation][0];
      const answer = (await this.#api.send(step.operation, input)) as Answer;
      return { code: 'ok', said: this.#said(step, answer) };
    } catch (error) {
      return { code: codeFrom(error), said: undefined };
    }
  }

  /** Rules first, since groups may name each other. */
  async clear(): Promise<void> {
    for (const id of this.#made) {
      const selection = { GroupIds: [id] };
      const { SecurityGroups: [group] = [] } = await this.#api
        .send('DescribeSecurityGroups', selection)
        .catch(() => ({ SecurityGroups: [] }));
      const IpPermissions = group?.IpPermissions ?? [];
      if (IpPermissions.length > 0)
        await this.#api
          .send('RevokeSecurityGroupIngress', { GroupId: id, IpPermissions })
          .catch(() => undefined);
    }
    for (const GroupId of this.#made)
      await this.#api.send('DeleteSecurityGroup', { GroupId }).catch(() => undefined);
  }

  #inputOf({ operation, group, permissions }: IngressStep): object {
    const GroupId = this.#idOf(group);
    const change = { GroupId, IpPermissions: permissions.map((one) => this.#permission(one)) };
    const inputs: Readonly<Record<IngressOperation, object>> = {
      CreateSecurityGroup: {
        ...{ GroupName: `${this.#place.prefix}${group}`, Description: 'a sequence' },
        ...{ VpcId: this.#place.vpcId, TagSpecifications: [] },
      },
      DeleteSecurityGroup: { GroupId },
      DescribeSecurityGroups: { GroupIds: [GroupId] },
      AuthorizeSecurityGroupIngress: change,
      RevokeSecurityGroupIngress: change,
    };
    return inputs[operation];
  }

  #permission({ protocol, ports, sources, description }: Permission): IpPermission {
    const sourcesOf = (kind: Source['kind'], key: string): readonly object[] =>
      sources
        .filter((one) => one.kind === kind)
        .map((one) => ({
          [key]: one.kind === 'group' ? this.#idOf(one.slot) : one.value,
          ...(description !== undefined && { Description: description }),
        }));
    return {
      IpProtocol: protocol,
      ...(ports !== undefined && { FromPort: ports[0], ToPort: ports[1] }),
      IpRanges: sourcesOf('ipv4', 'CidrIp'),
      Ipv6Ranges: sourcesOf('ipv6', 'CidrIpv6'),
      UserIdGroupPairs: sourcesOf('group', 'GroupId'),
      PrefixListIds: sourcesOf('prefixList', 'PrefixListId'),
    };
  }

  #said({ group }: IngressStep, { GroupId, SecurityGroups }: Answer): unknown {
    if (GroupId !== undefined) {
      this.#ids.set(group, GroupId);
      this.#made.add(GroupId);
    }
    return { rules: SecurityGroups?.flatMap((one) => this.#rulesOf(one)).toSorted() };
  }

  /** One text for each source of each permission. */
  #rulesOf({ IpPermissions = [] }: Ec2SecurityGroup): readonly string[] {
    return IpPermissions.flatMap((permission) => {
      const { IpProtocol, FromPort, ToPort, ...lists } = permission;
      const entries = Object.values(lists).flat() as readonly Readonly<Record<string, string>>[];
      return entries.map(({ Description, ...one }) => {
        const [value = ''] = Object.values(one);
        const source = value.startsWith('sg-') ? this.#slotOf(value) : value;
        return `${IpProtocol} ${FromPort}-${ToPort} ${source} ${Description ?? ''}`;
      });
    });
  }

  #idOf(slot: number): string {
    return this.#ids.get(slot) ?? NEVER;
  }

  #slotOf(id: string): string {
    const [slot] = [...this.#ids].find(([, known]) => known === id) ?? [];
    return `group ${slot}`;
  }
}
