import { pairsOf, type RawHeaders } from './forwarded-headers.ts';

/** Keeps a client at a target, or at one of the target groups of an action. */
export type StickyCookie = 'AWSALB' | 'AWSALBTG';

/** For how long a client keeps the cookie; for how long it counts is part of its value. */
const KEPT_MS = 7 * 24 * 3_600_000;

/**
 * The ARN, or ARN and target, that the cookie of this request was made for; undefined where there is none
 * that counts.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/sticky-sessions.html
 */
export function readCookie(
  headers: RawHeaders,
  cookie: StickyCookie,
  nowMs: number,
): string | undefined {
  const value = listCookies(headers).find(([name]) => name === cookie)?.[1];
  const [until = '', ...names] = Buffer.from(value ?? '', 'base64url')
    .toString()
    .split(' ');
  return names.length > 0 && Number(until) > nowMs ? names.join(' ') : undefined;
}

/**
 * Set-Cookie headers, as a flat list: the cookie, and one that browsers send across sites as well. AWS
 * encrypts the value. That each answer begins the duration anew, and that only HTTPS has `Secure`, is unverified.
 */
export function makeCookies(
  cookie: StickyCookie,
  made: { readonly for: string; readonly seconds: number; readonly isSecure: boolean },
  nowMs: number,
): readonly string[] {
  const value = Buffer.from(`${nowMs + made.seconds * 1000} ${made.for}`).toString('base64url');
  const rest = `=${value}; Expires=${new Date(nowMs + KEPT_MS).toUTCString()}; Path=/`;
  const across = `; SameSite=None${made.isSecure ? '; Secure' : ''}`;
  return ['Set-Cookie', `${cookie}${rest}`, 'Set-Cookie', `${cookie}CORS${rest}${across}`];
}

/** HTTP/2 may have several headers of them. */
function listCookies(headers: RawHeaders): readonly (readonly [name: string, value: string])[] {
  const sent = pairsOf(headers).filter(([name]) => name.toLowerCase() === 'cookie');
  return sent
    .flatMap(([, text]) => text.split(';'))
    .map((pair) => {
      const [name = '', ...value] = pair.trim().split('=');
      return [name, value.join('=')] as const;
    });
}
