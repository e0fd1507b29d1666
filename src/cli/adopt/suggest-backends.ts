import type { BackendSpec } from '../../controllers/my-ingress/routes/traffic-spec.ts';
import { attributeDefaults } from '../../controllers/my-ingress/target-groups/attribute-defaults.ts';
import type { GroupWithAttributes } from './observe-balancer.ts';

/** The names of the backends, by the ARN of their target group; a group of functions or balancers has none. Pure. */
export function nameGroups(groups: readonly GroupWithAttributes[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { targetGroup } of groups) {
    if (targetGroup.targetType !== 'ip' && targetGroup.targetType !== 'instance') continue;
    const taken = new Set(names.values());
    const plain = toLabel(targetGroup.name);
    let name = plain;
    for (let number = 2; taken.has(name); number++) name = `${plain}-${number}`;
    names.set(targetGroup.arn, name);
  }
  return names;
}

/** A name that AWS accepts has at most 32 letters, digits and hyphens. */
function toLabel(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9-]/g, '-');
}

/** The backends of these names; pure. */
export function suggestBackends(
  groups: readonly GroupWithAttributes[],
  names: ReadonlyMap<string, string>,
  remarks: string[],
): readonly BackendSpec[] {
  return groups.flatMap((group) => {
    const { arn, name: own, targetType } = group.targetGroup;
    const name = names.get(arn);
    if (name !== undefined) return [suggestBackend(name, group, remarks)];
    remarks.push(`target group ${own}: its targets are of type ${targetType}`);
    return [];
  });
}

function suggestBackend(
  name: string,
  { targetGroup, attributes }: GroupWithAttributes,
  remarks: string[],
): BackendSpec {
  const { healthCheck, ipAddressType, port, protocol, protocolVersion, targetType } = targetGroup;
  const { protocol: checkProtocol, port: checkPort, ...check } = healthCheck;
  if (checkPort !== 'traffic-port' || checkProtocol !== protocol) {
    remarks.push(
      `the health check of target group ${targetGroup.name} on another port or protocol`,
    );
  }
  return {
    name,
    service: { name, port },
    ...(targetType === 'instance' && { targetType }),
    ...(ipAddressType === 'ipv6' && { ipAddressType }),
    ...(protocol === 'HTTPS' && { protocol }),
    ...(isNewer(protocolVersion) && { protocolVersion }),
    healthCheck: check,
    ...suggestStickiness(targetGroup.name, attributes, remarks),
    ...suggestAttributes(attributes),
  };
}

function isNewer(version: string): version is 'HTTP2' | 'GRPC' {
  return version === 'HTTP2' || version === 'GRPC';
}

type Strings = Readonly<Record<string, string>>;

function suggestStickiness(
  group: string,
  attributes: Strings,
  remarks: string[],
): Pick<BackendSpec, 'stickiness'> {
  if (attributes['stickiness.enabled'] !== 'true') return {};
  if (attributes['stickiness.type'] !== 'lb_cookie') {
    remarks.push(`the stickiness of target group ${group} by a cookie of the application`);
    return {};
  }
  const seconds = Number(attributes['stickiness.lb_cookie.duration_seconds']);
  return { stickiness: { durationSeconds: seconds } };
}

function suggestAttributes(attributes: Strings): Pick<BackendSpec, 'attributes'> {
  const own = Object.entries(attributes).filter(([key, value]) => {
    const byDefault = attributeDefaults[key];
    return !key.startsWith('stickiness.') && byDefault !== undefined && value !== byDefault;
  });
  return own.length === 0 ? {} : { attributes: Object.fromEntries(own) };
}
