import { randomBytes, timingSafeEqual } from 'node:crypto'; // oxlint-disable-line no-restricted-imports -- a secret needs chance that cannot be guessed, and Clock.random can be

/** The token of a run, and the check of each request. */

/** 128 bits in the letters that a path may have. */
export function createToken(): string {
  return randomBytes(16).toString('hex');
}

export interface Asked {
  readonly method: string;
  readonly host: string | undefined;
  /** Path and query. */
  readonly url: string;
}

export type Admission =
  | { readonly kind: 'admitted'; readonly path: string; readonly query: URLSearchParams }
  | { readonly kind: 'refused'; readonly status: 400 | 403 | 405; readonly why: string };

/**
 * Only GET; only under this server's own name, because a page of others may point a name of its own at
 * 127.0.0.1 (https://en.wikipedia.org/wiki/DNS_rebinding); only with the token as the first part of the path.
 */
export function admit(
  { method, host, url }: Asked,
  { port, token }: { readonly port: number; readonly token: string },
): Admission {
  if (!isOwnName(host, port))
    return refuse(403, `this server answers under 127.0.0.1:${port} alone`);
  if (method !== 'GET') return refuse(405, 'this server only answers GET');
  const base = 'http://127.0.0.1';
  if (!url.startsWith('/') || !URL.canParse(base + url))
    return refuse(400, 'this is not a path of this server');
  const { pathname, searchParams } = new URL(base + url);
  const [, given = '', ...rest] = pathname.split('/');
  if (!isEqual(given, token))
    return refuse(403, 'open the URL that albridge ui has printed: it has the token of this run');
  return { kind: 'admitted', path: `/${rest.join('/')}`, query: searchParams };
}

/** A client leaves out port 80: https://www.rfc-editor.org/rfc/rfc9110#section-7.2 */
function isOwnName(host: string | undefined, port: number): boolean {
  const suffixes = port === 80 ? [':80', ''] : [`:${port}`];
  return suffixes.some((suffix) => host === `127.0.0.1${suffix}` || host === `localhost${suffix}`);
}

function refuse(status: 400 | 403 | 405, why: string): Admission {
  return { kind: 'refused', status, why };
}

/** In a time that does not depend on how much is equal. */
function isEqual(given: string, token: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}
