import type { TargetGroup } from '../../../aws/elbv2/traffic.ts';
import type { ServedGroup } from '../targets.ts';

/** The kind of targets that a group takes. AWS does not change it: one that is replaced takes what it always took. */
export type TargetKind = Pick<ServedGroup, 'targetType' | 'ipAddressType'>;

export function readTargetKind(
  group: Pick<TargetGroup, 'targetType' | 'ipAddressType'>,
): TargetKind {
  return {
    targetType: group.targetType === 'instance' ? 'instance' : 'ip',
    ipAddressType: group.ipAddressType === 'ipv6' ? 'ipv6' : 'ipv4',
  };
}
