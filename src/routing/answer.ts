import type { Redirect, Request, WeightedTargetGroup } from './rule.ts';
import { readHostname } from './rule.ts';

/**
 * The target group that a draw from [0, 1) falls to, in proportion to the weights; undefined where all
 * weights are 0 or there is no group.
 */
export function chooseTargetGroup(
  groups: readonly WeightedTargetGroup[],
  draw: number,
): WeightedTargetGroup | undefined {
  let left = draw * groups.reduce((sum, { weight }) => sum + weight, 0);
  return groups.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
}

/**
 * The Location header of a redirect. The port is always written, as AWS does it (observed in answers of
 * public balancers; not documented).
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-action-types.html
 */
export function formatLocation(redirect: Redirect, request: Request): string {
  const fill = (text: string): string => fillIn(text, request);
  const protocol = fill(redirect.protocol ?? '#{protocol}').toLowerCase();
  const host = fill(redirect.host ?? '#{host}');
  const port = fill(redirect.port ?? '#{port}');
  const path = fill(redirect.path ?? '/#{path}');
  const query = fill(redirect.query ?? '#{query}');
  return `${protocol}://${host}:${port}${path}${query === '' ? '' : `?${query}`}`;
}

function fillIn(text: string, request: Request): string {
  const values: Readonly<Record<string, string>> = {
    protocol: request.protocol,
    host: readHostname(request.host),
    port: String(request.port),
    path: request.path.replace(/^\//, ''),
    query: request.query,
  };
  return text.replace(/#\{(protocol|host|port|path|query)\}/g, (_, name: string) => {
    return values[name] ?? '';
  });
}
