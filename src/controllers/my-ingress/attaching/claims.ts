import { digest } from '../identity.ts';
import type { RouteRule } from '../routes/routes.ts';

/** A port, a host and a path: at most one source has it. */
export type Claim = string;

type Claiming = Pick<RouteRule, 'listeners' | 'hosts' | 'paths'>;

/** Every host with every path on every port; without hosts any, and so with paths. */
export function listClaims({
  listeners,
  hosts = ['*'],
  paths = ['/*'],
}: Claiming): readonly Claim[] {
  return listeners.flatMap((port) =>
    hosts.flatMap((host) => paths.map((path) => nameClaim(port, host, path))),
  );
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

/** AWS compares hosts without regard to case, and paths with it; neither has a blank. */
function nameClaim(port: number, host: string, path: string): Claim {
  return `${port} ${foldWildcards(host.toLowerCase())} ${foldPath(path)}`;
}

/** Every path begins with a slash, so that these match every one. */
function foldPath(path: string): string {
  const folded = foldWildcards(path);
  return ['*', '?*', '*/*'].includes(folded) ? '/*' : folded;
}

/** `**` matches what `*` does, and `*?` what `?*` does: one pattern, or the longer one would take all of its requests. */
function foldWildcards(pattern: string): string {
  return pattern.replaceAll(/[*?]{2,}/g, (run) => {
    const single = run.replaceAll('*', '');
    return run.length === single.length ? run : `${single}*`;
  });
}
