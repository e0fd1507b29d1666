/** What a balancer does with a request. */
export interface Answer {
  /** `closed` where nobody listens, `default`, the name of a rule of the object, or the ARN of another's rule. */
  readonly by: string;
  /** As text, target groups by the name of their backend; equal texts mean the same for every client. */
  readonly action: string;
}

export const CLOSED: Answer = { by: 'closed', action: 'closed' };

export interface Share {
  readonly backend: string;
  readonly weight: number;
}

/** Who gets nothing is left out, and of a single one the weight. */
export function describeForward(shares: readonly Share[]): string {
  const weights = new Map<string, number>();
  for (const { backend, weight } of shares) {
    if (weight > 0) weights.set(backend, weight + (weights.get(backend) ?? 0));
  }
  const [only] = weights.keys();
  if (weights.size === 1) return `forward ${only}`;
  const parts = [...weights].map(([backend, weight]) => `${backend}:${weight}`);
  return `forward ${parts.toSorted().join(' ') || 'nowhere'}`;
}

export interface RedirectParts {
  readonly statusCode: number;
  readonly protocol?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | number | undefined;
  readonly path?: string | undefined;
  readonly query?: string | undefined;
}

/** What is left out stays as it is in the request. */
export function describeRedirect(redirect: RedirectParts): string {
  const { statusCode, protocol, host, port, path, query } = redirect;
  const place = `${protocol ?? '#{protocol}'}://${host ?? '#{host}'}:${port ?? '#{port}'}`;
  return `redirect ${statusCode} ${place}${path ?? '/#{path}'}?${query ?? '#{query}'}`;
}

export interface ResponseParts {
  readonly statusCode: number;
  readonly contentType?: string | undefined;
  readonly body?: string | undefined;
}

export function describeResponse({ statusCode, contentType, body }: ResponseParts): string {
  return `answer ${statusCode} ${contentType ?? 'text/plain'} ${body ?? ''}`.trimEnd();
}

interface Substitution {
  readonly regex: string;
  readonly replace: string;
}

export interface RewriteParts {
  readonly host?: Substitution | undefined;
  readonly url?: Substitution | undefined;
}

/** Empty for none. */
export function describeRewrite({ host, url }: RewriteParts): string {
  const part = (name: string, one: Substitution | undefined): string =>
    one === undefined ? '' : ` ${name} ${one.regex} to ${one.replace}`;
  return `${part('host', host)}${part('url', url)}`;
}
