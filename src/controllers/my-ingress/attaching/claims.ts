import { digest } from '../identity.ts';
import type { RouteRule } from '../routes/routes.ts';

/** A port, a host and a path: at most one source has it. */
export type Claim = string;

/** A claim without its port. */
export type Place = string;

type Placed = Pick<RouteRule, 'hosts' | 'paths'>;

/** Every host with every path on every port; without hosts any, and so with paths. */
export function listClaims({
  listeners,
  ...rule
}: Placed & Pick<RouteRule, 'listeners'>): readonly Claim[] {
  const places = listPlaces(rule);
  return listeners.flatMap((port) => places.map((place) => nameClaim(port, place)));
}

export function listPlaces({ hosts = ['*'], paths = ['/*'] }: Placed): readonly Place[] {
  return hosts.flatMap((host) => paths.map((path) => namePlace(host, path)));
}

export function nameClaim(port: number, place: Place): Claim {
  return `${port} ${place}`;
}

export function getPort(claim: Claim): number {
  return Number.parseInt(claim, 10);
}

export function getPlace(claim: Claim): Place {
  return claim.slice(claim.indexOf(' ') + 1);
}

/** A rule that asks for more than host and path leaves the rest of the requests to others. */
export function takesAll(rule: RouteRule): boolean {
  const { methods, headers, queryStrings, sourceCIDRs } = rule;
  return [methods, headers, queryStrings, sourceCIDRs].every((values = []) => values.length === 0);
}

/** In the words of a message: `shop.example.com/cart on port 443`. */
export function describeClaim(claim: Claim): string {
  const [port = '', host = '', path = ''] = claim.split(' ');
  return `${host}${path} on port ${port}`;
}

/** For the record. Two of 32 bits, because whoever finds another host with the same digest could take the one of others. */
export function digestClaim(claim: Claim): string {
  const parts = claim.split(' ');
  return digest(parts) + digest([...parts, 'second']);
}

function namePlace(host: string, path: string): Place {
  return `${foldHost(host)} ${foldPath(path)}`;
}

/**
 * Hosts that match the same, in one form. AWS compares them without regard to case, and no label of a name is empty.
 * Neither hosts nor paths have a blank.
 */
export function foldHost(host: string): string {
  return foldWildcards(host.toLowerCase()).replaceAll(/(^|\.)\?\*(?=\.)/g, '$1*');
}

/** Paths that match the same, in one form. Case counts, and every path begins with a slash. */
export function foldPath(path: string): string {
  return foldWildcards(path)
    .replace(/^\?/, '/')
    .replace(/^\*(?=\/\?*\*)/, '')
    .replace(/^\*(?!\/)/, '/*');
}

/** `**` matches what `*` does, and `*?` what `?*` does: one pattern, or the longer one would take all of its requests. */
function foldWildcards(pattern: string): string {
  return pattern.replaceAll(/[*?]{2,}/g, (run) => {
    const single = run.replaceAll('*', '');
    return run.length === single.length ? run : `${single}*`;
  });
}
