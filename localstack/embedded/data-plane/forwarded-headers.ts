import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Clock, drawHex8 } from '../../../src/core/ports/clock.ts';
import { readHostname } from '../../../src/routing/rule.ts';

/** The inputs of a forwarded request's headers beyond the headers of the client. */
export interface ForwardingFacts {
  readonly protocol: 'HTTP' | 'HTTPS';
  /** The listener's. */
  readonly port: number;
  readonly client: { readonly address: string; readonly port: number };
  /** The balancer's. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly clock: Pick<Clock, 'now' | 'random'>;
  /** In place of the client's Host header. That it is treated as that header is, is unverified. */
  readonly host?: string | undefined;
}

/** A flat list: name, value, name, value. */
export type RawHeaders = readonly string[];

/** The headers of a request as HTTP/1.1 has them, whatever it came by. */
export function rawHeadersOf({ httpVersionMajor, rawHeaders }: IncomingMessage): RawHeaders {
  if (httpVersionMajor < 2) return rawHeaders;
  const authority = headerOf(rawHeaders, ':authority');
  const plain = pairsOf(rawHeaders).filter(([name]) => !name.startsWith(':'));
  const hasHost = plain.some(([name]) => name.toLowerCase() === 'host');
  return [...(authority === undefined || hasHost ? [] : ['host', authority]), ...plain.flat()];
}

/** As HTTP/2 has them: by their names in small letters. Node sends no two of those that may be there once. */
export function groupHeaders(raw: RawHeaders): Record<string, string | string[]> {
  const grouped = Map.groupBy(pairsOf(raw), ([name]) => name.toLowerCase());
  return Object.fromEntries(
    [...grouped].map(([name, pairs]) => {
      const values = pairs.map(([, value]) => value);
      return [name, name === 'set-cookie' ? values : values.join(', ')];
    }),
  );
}

/** Those of a target's answer that a client of HTTP/2 gets. */
export function groupTrailers(trailers: IncomingHttpHeaders): Record<string, string | string[]> {
  const raw = Object.entries(trailers).flatMap(([name, value = []]) => {
    return [value].flat().flatMap((one) => [name, one]);
  });
  return groupHeaders(endToEndHeaders(raw));
}

/** They concern one connection: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1; the balancer answers `expect` itself. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade'],
  ...['expect', 'http2-settings'],
]);

/** Set by the balancer, whatever the client sent. */
const REPLACED: ReadonlySet<string> = new Set([
  ...['host', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-port', 'x-amzn-trace-id'],
]);

/**
 * The headers that a target gets.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/x-forwarded-headers.html
 */
export function forwardedHeaders(raw: RawHeaders, facts: ForwardingFacts): string[] {
  const { attributes, protocol, port } = facts;
  const dropsInvalid = attributes.get('routing.http.drop_invalid_header_fields.enabled') === 'true';
  const kept = pairsOf(endToEndHeaders(raw)).filter(([name]) => {
    return !REPLACED.has(name.toLowerCase()) && (!dropsInvalid || /^[-A-Za-z0-9]+$/.test(name));
  });
  const forwardedFor = forwardedForHeader(headerOf(raw, 'x-forwarded-for'), facts);
  return [
    ...['Host', hostHeader(facts.host ?? headerOf(raw, 'host') ?? '', facts)],
    ...kept.flat(),
    ...(forwardedFor === undefined ? [] : ['X-Forwarded-For', forwardedFor]),
    ...['X-Forwarded-Proto', protocol.toLowerCase(), 'X-Forwarded-Port', String(port)],
    ...['X-Amzn-Trace-Id', traceHeader(headerOf(raw, 'x-amzn-trace-id'), facts.clock)],
  ];
}

/** Without those that concern one connection only. */
export function endToEndHeaders(raw: RawHeaders): string[] {
  const named = (headerOf(raw, 'connection') ?? '').split(',').map((name) => name.trim());
  const dropped = new Set(named.map((name) => name.toLowerCase()));
  return pairsOf(raw)
    .filter(([name]) => !HOP_BY_HOP.has(name.toLowerCase()) && !dropped.has(name.toLowerCase()))
    .flat();
}

/** All values of a header, joined; undefined where it is absent. */
export function headerOf(raw: RawHeaders, name: string): string | undefined {
  const values = pairsOf(raw).filter(([has]) => has.toLowerCase() === name);
  return values.length === 0 ? undefined : values.map(([, value]) => value).join(', ');
}

export function pairsOf(raw: RawHeaders): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < raw.length; at += 2) pairs.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return pairs;
}

function forwardedForHeader(
  sent: string | undefined,
  { attributes, client }: ForwardingFacts,
): string | undefined {
  const mode = attributes.get('routing.http.xff_header_processing.mode');
  if (mode === 'remove') return undefined;
  if (mode === 'preserve') return sent;
  const hasPort = attributes.get('routing.http.xff_client_port.enabled') === 'true';
  const own = hasPort ? `${bracketed(client.address)}:${client.port}` : client.address;
  return sent === undefined ? own : `${sent}, ${own}`;
}

function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

/**
 * A default port is left out of the Host header, another one added.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/edit-load-balancer-attributes.html#host-header-preservation
 */
function hostHeader(host: string, { attributes, port }: ForwardingFacts): string {
  const isPreserved = attributes.get('routing.http.preserve_host_header.enabled') === 'true';
  if (isPreserved || host === '') return host;
  const bare = readHostname(host);
  if (port === 80 || port === 443) return bare;
  return host === bare ? `${bare}:${port}` : host;
}

/**
 * That a header with neither Root nor Self gets a Root in front is unverified.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-request-tracing.html
 */
function traceHeader(sent: string | undefined, clock: ForwardingFacts['clock']): string {
  const seconds = Math.floor(clock.now() / 1000).toString(16);
  const own = `1-${seconds}-${drawHex8(clock)}${drawHex8(clock)}${drawHex8(clock)}`;
  const fields = (sent ?? '').split(';').map((field) => field.trim());
  const isTraced = fields.some((field) => /^(Root|Self)=/.test(field));
  const rest = fields.filter((field) => field !== '' && !field.startsWith('Self='));
  return [`${isTraced ? 'Self' : 'Root'}=${own}`, ...rest].join(';');
}
