import type { IpPermission } from './operations.ts';
import type { Permission } from './security-groups.ts';

type Kind = Permission['source']['kind'];

/** As EC2 wants them: one for each port range, with all its sources. */
export function toPermissions(permissions: readonly Permission[]): IpPermission[] {
  const byPorts = Map.groupBy(permissions, ({ protocol, fromPort, toPort }) =>
    [protocol, fromPort, toPort].join(' '),
  );
  return [...byPorts.values()].map((some) => {
    const [{ protocol, fromPort, toPort }] = some as [Permission];
    const valuesOf = (kind: Kind): string[] =>
      some.flatMap(({ source }) => (source.kind === kind ? source.value : []));
    const lists = {
      IpRanges: valuesOf('ipv4').map((CidrIp) => ({ CidrIp })),
      Ipv6Ranges: valuesOf('ipv6').map((CidrIpv6) => ({ CidrIpv6 })),
      PrefixListIds: valuesOf('prefix-list').map((PrefixListId) => ({ PrefixListId })),
      UserIdGroupPairs: valuesOf('security-group').map((GroupId) => ({ GroupId })),
    };
    const present = Object.entries(lists).filter(([, list]) => list.length > 0);
    return {
      IpProtocol: protocol,
      ...(fromPort !== undefined && { FromPort: fromPort }),
      ...(toPort !== undefined && { ToPort: toPort }),
      ...Object.fromEntries(present),
    };
  });
}

/** As EC2 answers, one for each source; sources that lack their value are none. */
export function shapePermissions(from: readonly IpPermission[]): readonly Permission[] {
  return from.flatMap((permission) => {
    const { IpProtocol, FromPort, ToPort } = permission;
    const ports = {
      protocol: IpProtocol ?? '-1',
      ...(FromPort !== undefined && { fromPort: FromPort }),
      ...(ToPort !== undefined && { toPort: ToPort }),
    };
    return listSources(permission).flatMap(([kind, value]) =>
      value ? [{ ...ports, source: { kind, value } }] : [],
    );
  });
}

function listSources(from: IpPermission): readonly (readonly [Kind, string | undefined])[] {
  const { IpRanges = [], Ipv6Ranges = [], PrefixListIds = [], UserIdGroupPairs = [] } = from;
  return [
    ...IpRanges.map(({ CidrIp }) => ['ipv4', CidrIp] as const),
    ...Ipv6Ranges.map(({ CidrIpv6 }) => ['ipv6', CidrIpv6] as const),
    ...PrefixListIds.map(({ PrefixListId }) => ['prefix-list', PrefixListId] as const),
    ...UserIdGroupPairs.map(({ GroupId }) => ['security-group', GroupId] as const),
  ];
}
