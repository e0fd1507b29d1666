import { digest, type Identity } from '../identity.ts';
import type { RouteBackend } from '../routes/routes.ts';

type Owner = Omit<Identity, 'uid'>;

/** The immutable settings of a target group; AWS's ModifyTargetGroup takes health checks only. */
export interface FixedSettings {
  readonly protocol: string;
  readonly protocolVersion: string;
  readonly targetType: string;
  readonly ipAddressType: string;
  readonly vpcId: string;
}

/**
 * `<head>-<8 hex digits>`, at most 32 characters. Frozen for good, a golden test holds it: a crash is healed
 * by reading back under this name, and settings that are changed and changed back find their group again.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateTargetGroup.html
 */
export function nameTargetGroup(
  { cluster, namespace, name }: Owner,
  backend: Pick<RouteBackend, 'source' | 'name'>,
  fixed: FixedSettings,
): string {
  const { protocol, protocolVersion, targetType, ipAddressType, vpcId } = fixed;
  const hash = digest([
    ...[cluster, namespace, name, backend.source, backend.name],
    ...[protocol, protocolVersion, targetType, ipAddressType, vpcId],
  ]);
  return `${shortenText(`${name}-${backend.name}`, LONGEST_HEAD)}-${hash}`;
}

const LONGEST_HEAD = 23;

/** True where `nameTargetGroup` may have made it for a backend of this object, which need not be known any more. */
export function isTargetGroupName(name: string, owner: Pick<Owner, 'name'>): boolean {
  const [, head = ''] = /^(.+)-[0-9a-f]{8}$/.exec(name) ?? [];
  const start = shortenText(owner.name, LONGEST_HEAD);
  // The name of the backend is cut, and with it the hyphen where no more than that has room.
  return start.length < LONGEST_HEAD - 1 ? head.startsWith(`${start}-`) : head === start;
}

/**
 * Unique in a VPC, at most 255 characters, and does not begin with `sg-`. Frozen for good as well.
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html
 */
export function nameSecurityGroup({ cluster, namespace, name }: Owner): string {
  const hash = digest([cluster, namespace, name]);
  return `albridge-${shortenText(`${namespace}-${name}`, 237)}-${hash}`;
}

/** Letters, digits and single hyphens. */
function shortenText(text: string, longest: number): string {
  return text
    .replace(/[^A-Za-z0-9]+/g, '-')
    .slice(0, longest)
    .replace(/^-+|-+$/g, '');
}
