import { expect, it } from 'vitest';
import type { MyIngress } from '../../../src/apis/my-ingress.ts';
import type { Resource } from '../../simulation/traffic/resources.ts';
import { SpecHistory } from '../../simulation/traffic/spec-history.ts';

const MINUTE_MS = 60_000;

function draftGroup(protocol: string): Resource {
  const tags = new Map([['albridge.io/resource', 'target-group/spec/web']]);
  const fixed = { protocolVersion: 'HTTP1', targetType: 'ip', ipAddressType: 'ipv4' };
  return { kind: 'targetGroup', key: protocol, tags, record: { protocol, ...fixed } } as never;
}

/** Each spec a minute after the one before; the Services of the group of this protocol, a minute after the last one. */
function listServices(
  specs: readonly (readonly [protocol: string, service: string, uid?: string] | undefined)[],
  protocol: string,
  more: object = {},
): readonly (string | undefined)[] {
  let nowMs = 0;
  const history = new SpecHistory(() => nowMs);
  for (const [index, given] of specs.entries()) {
    const [own, name, uid = 'uid'] = given ?? [];
    const backends = given ? [{ name: 'web', protocol: own, service: { name, port: 80 } }] : [];
    const metadata = { namespace: 'web', name: 'shop', uid, generation: index, ...more };
    history.note({ metadata, spec: { backends } } as unknown as MyIngress);
    nowMs += MINUTE_MS;
  }
  return history.recentServices('web/shop', draftGroup(protocol), 15_000).map((one) => one?.name);
}

it('a target group is judged by the Service of its backend', () => {
  expect(listServices([['HTTP', 'old']], 'HTTP')).toEqual(['old']);
  expect(
    listServices(
      [
        ['HTTP', 'old'],
        ['HTTP', 'new'],
      ],
      'HTTP',
    ),
  ).toEqual(['new']);
});

it('one that another group replaces, by the Service that it had', () => {
  const specs = [
    ['HTTP', 'old'],
    ['HTTPS', 'new'],
  ] as const;
  expect(listServices(specs, 'HTTP')).toEqual(['old']);
  expect(listServices(specs, 'HTTPS')).toEqual(['new']);
});

it('one that a restored object finds replaced, by either Service: the former one was on record alone', () => {
  const specs = [
    ['HTTP', 'old'],
    ['HTTPS', 'new'],
    ['HTTPS', 'new', 'restored'],
  ] as const;
  expect(listServices(specs, 'HTTP')).toEqual(['old', 'new']);
  expect(listServices(specs, 'HTTPS')).toEqual(['new']);
});

it('one whose backend has left the spec, by the Service that it had, or none', () => {
  expect(listServices([['HTTP', 'old'], ['HTTPS', 'new'], undefined], 'HTTP')).toEqual([
    undefined,
    'old',
  ]);
});

it('one of an object that is being deleted, by the Service before an edit too: targets follow what was published', () => {
  const deletionTimestamp = '2026-01-02T03:04:05Z';
  const specs = [
    ['HTTP', 'old'],
    ['HTTP', 'new'],
  ] as const;
  expect(listServices(specs, 'HTTP', { deletionTimestamp })).toEqual(['old', 'new']);
});
