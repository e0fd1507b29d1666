import type { Request, Rewrite } from './rule.ts';
import { readHostname } from './rule.ts';

/** The request as a target receives it; an absent part is unchanged. */
export interface Rewritten {
  readonly host?: string;
  /** Path and query. */
  readonly url?: string;
}

/**
 * The request as the transforms of its rule leave it; undefined where that is no request, for which AWS
 * answers 500. Without a match everything stays. That the query is part of what is matched follows from
 * AWS's words: it rewrites path and query.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-transforms.html
 */
export function rewriteRequest(rewrite: Rewrite, request: Request): Rewritten | undefined {
  const bare = readHostname(request.host);
  const sent = `${request.path}${request.query === '' ? '' : `?${request.query}`}`;
  const host = rewrite.host?.apply(bare) ?? bare;
  const url = rewrite.url?.apply(sent) ?? sent;
  if (!/^[!-.0-~]+$/.test(host) || !/^\/[!-~]*$/.test(url)) return undefined;
  return { ...(host !== bare && { host }), ...(url !== sent && { url }) };
}
