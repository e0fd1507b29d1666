import type { Permission } from '../../../aws/ec2/security-groups.ts';
import type { DesiredSecurityGroup } from '../graph/graph.ts';
import { nameSecurityGroup } from '../graph/names.ts';
import type { Place } from '../graph/place.ts';
import { SECURITY_GROUP_ID } from '../graph/resource-id.ts';
import { desireTags } from '../graph/tags.ts';
import type { Inbound } from '../routes/routes.ts';
import { normaliseCidr } from './cidr.ts';
import { recordPrevious } from './previous.ts';

export interface Frontend {
  readonly scheme: string;
  readonly ipAddressType: string;
  readonly ports: readonly number[];
  readonly inbound: Inbound | undefined;
  /** As `findPrevious` gives them. */
  readonly previousGroups: readonly string[];
}

/** The managed group: its listeners' ports for each source. */
export function desireSecurityGroup(frontend: Frontend, place: Place): DesiredSecurityGroup {
  const { namespace, name } = place.identity;
  const sources = desireSources(frontend);
  const ports = [...new Set(frontend.ports)].toSorted((a, b) => a - b);
  return {
    id: SECURITY_GROUP_ID,
    name: nameSecurityGroup(place.identity),
    description: `load balancer of MyIngress ${namespace}/${name}`.slice(0, LONGEST_DESCRIPTION),
    vpcId: place.vpcId,
    ingress: ports.flatMap((port) => {
      return sources.map((source) => ({ protocol: 'tcp', fromPort: port, toPort: port, source }));
    }),
    tags: desireTags(SECURITY_GROUP_ID, place.userTags, place.identity),
    record: recordPrevious(frontend.previousGroups),
  };
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html */
const LONGEST_DESCRIPTION = 255;

type Source = Permission['source'];

/** An empty list of sources is none at all, and admits nobody. */
function desireSources({ inbound, scheme, ipAddressType }: Frontend): readonly Source[] {
  const {
    cidrs = [],
    prefixListIDs = [],
    securityGroupIDs = [],
  } = inbound ?? {
    cidrs: getDefaultCidrs(scheme, ipAddressType),
  };
  const sources: readonly Source[] = [
    ...cidrs.map(normaliseCidr).map((value): Source => {
      return { kind: value.includes(':') ? 'ipv6' : 'ipv4', value };
    }),
    ...prefixListIDs.map((value): Source => ({ kind: 'prefix-list', value })),
    ...securityGroupIDs.map((value): Source => ({ kind: 'security-group', value })),
  ];
  return [...new Map(sources.map((source) => [`${source.kind} ${source.value}`, source])).values()];
}

/** Everybody, or for an internal balancer the private ranges and the shared one. */
function getDefaultCidrs(scheme: string, ipAddressType: string): readonly string[] {
  if (scheme === 'internal')
    return ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'];
  return ipAddressType === 'ipv4' ? ['0.0.0.0/0'] : ['0.0.0.0/0', '::/0'];
}
