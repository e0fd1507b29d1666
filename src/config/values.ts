import type { ListenAddress } from '../telemetry/http-server.ts';

/** Of a single setting: it gives undefined for a text that it does not accept. */
export interface Parser<T> {
  (text: string): T | undefined;
  /** A regular expression that each accepted text matches, also in RE2's syntax, by which others can check earlier. */
  readonly pattern?: string;
  /** As another type of JSON than a text: in files of YAML people write numbers and `on` without quotes. */
  readonly json?: JsonType;
}

type JsonType =
  | { readonly type: 'boolean' }
  | { readonly type: 'integer'; readonly minimum: number; readonly maximum: number };

export function parseOneOf<const Word extends string>(...words: readonly Word[]): Parser<Word> {
  const parse = (text: string): Word | undefined => words.find((word) => word === text);
  return Object.assign(parse, { pattern: `^(?:${words.join('|')})$` });
}

export function parseMatching(pattern: RegExp): Parser<string> {
  const parse = (text: string): string | undefined => (pattern.test(text) ? text : undefined);
  return Object.assign(parse, { pattern: pattern.source });
}

export function parseText(text: string): string {
  return text;
}

export function parseWholeNumber(least: number, most: number): Parser<number> {
  const form = /^\d{1,9}$/;
  const parse = (text: string): number | undefined => {
    const value = form.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most ? value : undefined;
  };
  const json = { type: 'integer', minimum: least, maximum: most } as const;
  return Object.assign(parse, { pattern: form.source, json });
}

export const parseFlag: Parser<boolean> = Object.assign(
  (text: string): boolean | undefined => {
    if (text === 'on' || text === 'true') return true;
    return text === 'off' || text === 'false' ? false : undefined;
  },
  { pattern: '^(?:on|true|off|false)$', json: { type: 'boolean' } as const },
);

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** `90s`, `1h30m`: as Go writes durations (https://pkg.go.dev/time#ParseDuration). Milliseconds. */
export function parseDurationMs(leastMs: number, mostMs: number): Parser<number> {
  const form = /^(\d{1,9}(ms|s|m|h))+$/;
  const parse = (text: string): number | undefined => {
    if (!form.test(text)) return undefined;
    const parts = [...text.matchAll(/(\d+)(ms|s|m|h)/g)];
    const totalMs = parts.reduce(
      (sum, [, amount, unit]) => sum + Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS],
      0,
    );
    return totalMs >= leastMs && totalMs <= mostMs ? totalMs : undefined;
  };
  return Object.assign(parse, { pattern: form.source });
}

/** An http or https address; name and password in it would end up in logs, and are refused. */
export function parsePlainUrl(text: string): string | undefined {
  const url = parseHttpUrl(text);
  return url?.username === '' && url.password === '' ? text : undefined;
}

/** The address of a proxy. Without a scheme it means http, as for Go and curl. */
export function parseProxyUrl(text: string): string | undefined {
  const address = text.includes('://') ? text : `http://${text}`;
  const url = parseHttpUrl(address);
  return url && isPercentEncoded(`${url.username}:${url.password}`) ? address : undefined;
}

function parseHttpUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol) ? url : undefined;
}

/** A percent sign that stands for itself would come up as an error when the proxy is first used. */
function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Texts of this form between commas, of which there may be more than it takes; blanks and repetitions do not matter. */
function parseListOf(form: string, most: number): Parser<readonly string[]> {
  const pattern = `^[\\s,]*${form}(?:\\s*,[\\s,]*${form})*[\\s,]*$`;
  const whole = new RegExp(pattern);
  const parse = (text: string): readonly string[] | undefined => {
    const given = whole.test(text) ? splitNames(text) : [];
    return given.length > 0 && given.length <= most ? given : undefined;
  };
  return Object.assign(parse, { pattern });
}

/** Names of namespaces. */
export const parseNamespaces = parseListOf('[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?', Infinity);

/**
 * AWS allows 16 for each network interface at most, of which albridge manages one.
 * https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html#vpc-limits-security-groups
 */
const MOST_SECURITY_GROUPS = 15;

/** Ids of security groups. */
export const parseSecurityGroups = parseListOf('sg-[0-9A-Za-z-]{1,61}', MOST_SECURITY_GROUPS);

/** Some of `words` between commas, in the order of `words`. */
export function parseSomeOf<const Word extends string>(
  words: readonly Word[],
): (text: string) => readonly Word[] | undefined {
  return (text) => {
    const given = splitNames(text);
    const chosen = words.filter((word) => given.includes(word));
    return chosen.length > 0 && chosen.length === given.length ? chosen : undefined;
  };
}

function splitNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ''))];
}

const parsePort = parseWholeNumber(0, 65_535);

const ADDRESS = /^(?:\[([^\]]+)\]|([^:[\]\s]*)):(\d+)$/;

/** `:8080`, `127.0.0.1:0`, `[::1]:8080`; `off` for `off` and, as controller-runtime has it, `0`. */
export const parseListenAddress: Parser<ListenAddress | 'off'> = Object.assign(
  (text: string): ListenAddress | 'off' | undefined => {
    if (text === 'off' || text === '0') return 'off';
    const [, bracketed, plain, digits = ''] = ADDRESS.exec(text) ?? [];
    const port = parsePort(digits);
    if (port === undefined) return undefined;
    const host = bracketed ?? plain;
    return host ? { host, port } : { port };
  },
  {
    pattern: `^(?:off|0|${ADDRESS.source.slice(1, -1)})$`,
    json: { type: 'integer', minimum: 0, maximum: 0 } as const,
  },
);
