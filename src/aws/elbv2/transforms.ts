import type * as elb from '@aws-sdk/client-elastic-load-balancing-v2';
import type { KnownTransform, Transform } from './traffic.ts';

/** As AWS wants it. */
export function toTransform({ kind, regex, replace }: KnownTransform): elb.RuleTransform {
  const config = { Rewrites: [{ Regex: regex, Replace: replace }] };
  return kind === 'host'
    ? { Type: 'host-header-rewrite', HostHeaderRewriteConfig: config }
    : { Type: 'url-rewrite', UrlRewriteConfig: config };
}

/**
 * As AWS echoes it. What albridge does not write is `unknown`.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_RuleTransform.html
 */
export function shapeTransform(from: elb.RuleTransform): Transform {
  const { Type: type = '', HostHeaderRewriteConfig, UrlRewriteConfig } = from;
  const [first, ...others] = (HostHeaderRewriteConfig ?? UrlRewriteConfig)?.Rewrites ?? [];
  const kind = KINDS[type];
  const { Regex: regex, Replace: replace } = first ?? {};
  const isKnown = kind !== undefined && others.length === 0;
  if (!isKnown || regex === undefined || replace === undefined) return { kind: 'unknown', type };
  return { kind, regex, replace };
}

const KINDS: Readonly<Record<string, KnownTransform['kind']>> = {
  'host-header-rewrite': 'host',
  'url-rewrite': 'url',
};
