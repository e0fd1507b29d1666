// Lives here: what a spec leaves out, found in AWS: subnets by their tags.
// May import it: src/controllers/my-ingress; src/cli takes choose-subnets.ts.
// Start with: this file, the choice, which is pure; then discover-subnets.ts, which alone calls AWS.

import type { Subnet } from '../../../aws/ec2/subnets.ts';
import { abridge } from '../../../core/objects/abridge.ts';
import { compareText } from '../../../core/objects/kube-object.ts';

export interface SubnetRequest {
  /** As in the tags `kubernetes.io/cluster/<name>`. */
  readonly clusterName: string;
  /** Undefined: that of the subnets. */
  readonly vpcId: string | undefined;
}

/** A subnet that is not chosen. */
interface LeftOut {
  readonly id: string;
  readonly why: string;
}

export type SubnetChoice =
  | { readonly kind: 'chosen'; readonly subnets: readonly string[] }
  | {
      readonly kind: 'too-few';
      readonly usable: readonly Subnet[];
      readonly leftOut: readonly LeftOut[];
    }
  /** In several VPCs, none of which is known to be the cluster's. */
  | { readonly kind: 'ambiguous'; readonly usable: readonly Subnet[] };

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/application/application-load-balancers.html#subnets-load-balancer */
const FEWEST_FREE_ADDRESSES = 8;
const FEWEST_ZONES = 2;

/**
 * Chooses one subnet for each Availability Zone of one VPC, in the order of the zones; pure. Of several in a
 * zone the one that is tagged for this cluster, then the one whose id sorts first.
 */
export function chooseSubnets(tagged: readonly Subnet[], request: SubnetRequest): SubnetChoice {
  const judged = tagged.map((subnet) => ({ subnet, why: explainUnusable(subnet, request) }));
  const usable = judged.flatMap(({ subnet, why }) => (why === undefined ? [subnet] : []));
  const leftOut = judged.flatMap(({ subnet: { id }, why }) =>
    why === undefined ? [] : { id, why },
  );
  const inVpc = narrowToVpc(usable, request);
  if (inVpc === undefined) return { kind: 'ambiguous', usable };
  const byZone = Map.groupBy(inVpc, ({ zone }) => zone);
  if (byZone.size < FEWEST_ZONES) return { kind: 'too-few', usable, leftOut };
  const zones = [...byZone.entries()].toSorted(([a], [b]) => compareText(a, b));
  return { kind: 'chosen', subnets: zones.flatMap(([, subnets]) => chooseOne(subnets, request)) };
}

/** An Availability Zone has a letter behind its region; a Local Zone has more: https://docs.aws.amazon.com/local-zones/latest/ug/available-local-zones.html */
const AVAILABILITY_ZONE = /^[a-z]+(-[a-z]+)+-\d+[a-z]$/;

/** undefined: it is usable. */
function explainUnusable(
  subnet: Subnet,
  { vpcId, clusterName }: SubnetRequest,
): string | undefined {
  const { freeAddresses, isAvailable, isOnOutpost, zone } = subnet;
  if (vpcId !== undefined && subnet.vpcId !== vpcId) return `in ${subnet.vpcId}`;
  if (readCluster(subnet, clusterName) === 'other') return 'tagged for another cluster';
  if (isOnOutpost || !AVAILABILITY_ZONE.test(zone)) return 'not in an Availability Zone';
  if (!isAvailable) return 'not available yet';
  return freeAddresses < FEWEST_FREE_ADDRESSES ? `${freeAddresses} free addresses` : undefined;
}

const CLUSTER_TAG = 'kubernetes.io/cluster/';

/** A subnet without such a tag is for every cluster: https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html#network-requirements-subnets */
function readCluster({ tags }: Subnet, clusterName: string): 'own' | 'other' | 'every' {
  if (Object.hasOwn(tags, CLUSTER_TAG + clusterName)) return 'own';
  return Object.keys(tags).some((key) => key.startsWith(CLUSTER_TAG)) ? 'other' : 'every';
}

/** The subnets of one VPC: the only one, or the only one with subnets that are tagged for this cluster. */
function narrowToVpc(
  usable: readonly Subnet[],
  { clusterName }: SubnetRequest,
): readonly Subnet[] | undefined {
  const own = usable.filter((subnet) => readCluster(subnet, clusterName) === 'own');
  const [vpcId, ...others] = new Set((own.length > 0 ? own : usable).map((subnet) => subnet.vpcId));
  if (others.length > 0) return undefined;
  return usable.filter((subnet) => subnet.vpcId === vpcId);
}

function chooseOne(subnets: readonly Subnet[], { clusterName }: SubnetRequest): readonly string[] {
  const rank = (subnet: Subnet): number => (readCluster(subnet, clusterName) === 'own' ? 0 : 1);
  const sorted = subnets.toSorted((a, b) => rank(a) - rank(b) || compareText(a.id, b.id));
  return sorted.slice(0, 1).map(({ id }) => id);
}

const MOST_LISTED = 12;

/** `subnet-a (us-east-1a), subnet-b (tagged for another cluster)`: the candidates of a choice that failed; pure. */
export function describeCandidates(choice: Exclude<SubnetChoice, { kind: 'chosen' }>): string {
  const isAmbiguous = choice.kind === 'ambiguous';
  const usable = choice.usable.map(
    ({ id, vpcId, zone }) => `${id} (${isAmbiguous ? vpcId : zone})`,
  );
  const leftOut = isAmbiguous ? [] : choice.leftOut.map(({ id, why }) => `${id} (${why})`);
  const all = [...usable.toSorted(compareText), ...leftOut.toSorted(compareText)];
  return all.length === 0 ? 'none' : abridge(all, MOST_LISTED).join(', ');
}
