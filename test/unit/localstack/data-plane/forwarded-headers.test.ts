import { describe, expect, test } from 'vitest';
import {
  type ForwardingFacts,
  forwardedHeaders,
  headerOf,
} from '../../../../localstack/embedded/data-plane/forwarded-headers.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

const clock = new ManualClock({ startMs: 0x67891233 * 1000 });

function forwarded(
  sent: readonly string[],
  attributes: Readonly<Record<string, string>> = {},
  facts: Partial<ForwardingFacts> = {},
): (name: string) => string | undefined {
  const client = { address: '203.0.113.7', port: 4711 };
  const plain = { protocol: 'HTTP', port: 80, client, clock } as const;
  const all = { ...plain, attributes: new Map(Object.entries(attributes)), ...facts };
  const headers = forwardedHeaders(sent, all);
  return (name) => headerOf(headers, name);
}

const XFF = 'routing.http.xff_header_processing.mode';
const CLIENT_PORT = 'routing.http.xff_client_port.enabled';
const PRESERVE_HOST = 'routing.http.preserve_host_header.enabled';
const DROP_INVALID = 'routing.http.drop_invalid_header_fields.enabled';

describe('the headers that a target gets', () => {
  test('say who asked, how, and on which port', () => {
    const got = forwarded(['Host', 'a.b', 'X-Forwarded-Proto', 'https', 'X-Forwarded-Port', '1']);
    expect(got('x-forwarded-for')).toBe('203.0.113.7');
    expect(got('x-forwarded-proto')).toBe('http');
    expect(got('x-forwarded-port')).toBe('80');
  });

  test.each([
    [{}, '1.2.3.4, 203.0.113.7'],
    [{ [XFF]: 'append', [CLIENT_PORT]: 'true' }, '1.2.3.4, 203.0.113.7:4711'],
    [{ [XFF]: 'preserve' }, '1.2.3.4'],
    [{ [XFF]: 'remove' }, undefined],
  ])('name the addresses on the way as %j demands', (attributes, expected) => {
    const got = forwarded(['X-Forwarded-For', '1.2.3.4'], attributes);
    expect(got('x-forwarded-for')).toBe(expected);
  });

  test('put an IPv6 address into brackets before its port', () => {
    const client = { address: '2001:db8::1', port: 4711 };
    const got = forwarded([], { [CLIENT_PORT]: 'true' }, { client });
    expect(got('x-forwarded-for')).toBe('[2001:db8::1]:4711');
  });

  test.each([
    ['a.b:80', 80, {}, 'a.b'],
    ['a.b', 8080, {}, 'a.b:8080'],
    ['a.b:9', 8080, {}, 'a.b:9'],
    ['a.b:80', 80, { [PRESERVE_HOST]: 'true' }, 'a.b:80'],
    ['a.b', 8080, { [PRESERVE_HOST]: 'true' }, 'a.b'],
  ])(
    'have for the host %s on port %i with %j the host %s',
    (...[host, port, attributes, expected]) => {
      expect(forwarded(['host', host], attributes, { port })('host')).toBe(expected);
    },
  );

  test('leave out what concerns the connection of the client', () => {
    const sent = [
      'Connection',
      'keep-alive, X-Hop',
      'X-Hop',
      '1',
      'TE',
      'x',
      'Expect',
      '100-continue',
    ];
    const got = forwarded([...sent, 'X-Kept', '1', 'X-Kept', '2']);
    for (const name of ['connection', 'x-hop', 'te', 'expect']) expect(got(name)).toBeUndefined();
    expect(got('x-kept')).toBe('1, 2');
  });

  test('leave out invalid names only on request', () => {
    expect(forwarded(['a_b', '1'])('a_b')).toBe('1');
    expect(forwarded(['a_b', '1'], { [DROP_INVALID]: 'true' })('a_b')).toBeUndefined();
  });

  const ROOT = 'Root=1-67891233-abcdef012345678912345678';
  test.each([
    [undefined, /^Root=1-67891233-[0-9a-f]{24}$/],
    [ROOT, new RegExp(`^Self=1-67891233-[0-9a-f]{24};${ROOT}$`)],
    [
      `Self=1-1-2;${ROOT};CalledFrom=app`,
      new RegExp(`^Self=1-67891233-\\w{24};${ROOT};CalledFrom=app$`),
    ],
    ['CalledFrom=app', /^Root=1-67891233-\w{24};CalledFrom=app$/],
  ])('trace %s', (sent, expected) => {
    const headers = sent === undefined ? [] : ['X-Amzn-Trace-Id', sent];
    expect(forwarded(headers)('x-amzn-trace-id')).toMatch(expected);
  });
});
