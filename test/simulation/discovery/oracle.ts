/** What is to be found, by docs/myingress.md, without any of the code that finds it. */

export interface TaggedSubnet {
  readonly id: string;
  readonly vpc: string;
  readonly zone: string;
  readonly tags: ReadonlySet<string>;
}

export type Subnets = readonly string[] | 'SubnetsNotFound' | 'SubnetsAmbiguous';

const CLUSTER = 'kubernetes.io/cluster/';

export function chooseSubnets(all: readonly TaggedSubnet[], cluster: string): Subnets {
  const own = `${CLUSTER}${cluster}`;
  const usable = all
    .filter(({ tags }) => tags.has('kubernetes.io/role/elb'))
    .filter(({ tags }) => tags.has(own) || ![...tags].some((key) => key.startsWith(CLUSTER)));
  const ours = usable.filter(({ tags }) => tags.has(own));
  const vpcs = new Set((ours.length > 0 ? ours : usable).map(({ vpc }) => vpc));
  if (vpcs.size > 1) return 'SubnetsAmbiguous';
  const inVpc = usable.filter(({ vpc }) => vpcs.has(vpc));
  const zones = [...new Set(inVpc.map(({ zone }) => zone))];
  if (zones.length < 2) return 'SubnetsNotFound';
  return zones.flatMap((zone) => {
    const ids = inVpc.filter((one) => one.zone === zone);
    const first = ids.filter(({ tags }) => tags.has(own));
    return (first.length > 0 ? first : ids).map(({ id }) => id).toSorted()[0] ?? [];
  });
}

export interface Issued {
  readonly arn: string;
  readonly names: readonly string[];
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface Certificates {
  /** In the order of the hosts. */
  readonly chosen: readonly string[];
  readonly missing: readonly string[];
  /** Those that a listener may still have: they cover what is missing. */
  readonly kept: readonly string[];
}

export function chooseCertificates(
  hosts: readonly string[],
  issued: readonly Issued[],
  nowMs: number,
): Certificates {
  const valid = issued.filter(({ fromMs, untilMs }) => fromMs <= nowMs && nowMs < untilMs);
  const found = hosts.map((host) => {
    const exact = valid.filter(({ names }) => names.includes(host));
    const wide = valid.filter(({ names }) => names.includes(widen(host)));
    const [newest] = (exact.length > 0 ? exact : wide).toSorted(compareAge);
    return { host, arn: newest?.arn };
  });
  const chosen = [...new Set(found.flatMap(({ arn }) => arn ?? []))];
  const missing = found.flatMap(({ host, arn }) => (arn === undefined ? [host] : []));
  const replacing = issued.filter(({ arn }) => chosen.includes(arn)).flatMap(({ names }) => names);
  const kept = issued.filter(({ names }) => {
    const isLeftOut = names.some((name) => !covers(replacing, name));
    const mayServe = (host: string): boolean => {
      return covers(names, host) || (host.includes('*') && isLeftOut);
    };
    return chosen.length === 0 || missing.some(mayServe);
  });
  return { chosen, missing, kept: kept.map(({ arn }) => arn) };
}

/** Whether clients accept the certificate for this host, its time aside. */
export function covers(names: readonly string[], host: string): boolean {
  return names.includes(host) || names.includes(widen(host));
}

function widen(host: string): string {
  return host.replace(/^[^.]+/, '*');
}

/** Both times are whole seconds; of two that are the same in both the ARN decides. */
function compareAge(a: Issued, b: Issued): number {
  return b.fromMs - a.fromMs || b.untilMs - a.untilMs || (a.arn < b.arn ? -1 : 1);
}
