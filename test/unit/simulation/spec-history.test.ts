import { expect, it } from 'vitest';
import type { MyIngress } from '../../../src/apis/my-ingress.ts';
import { PAUSED_ANNOTATION } from '../../../src/core/objects/annotations.ts';
import type { Resource } from '../../simulation/traffic/resources.ts';
import { SpecHistory } from '../../simulation/traffic/spec-history.ts';

const MINUTE_MS = 60_000;

function draftGroup(protocol: string): Resource {
  const tags = new Map([['albridge.io/resource', 'target-group/spec/web']]);
  const fixed = { protocolVersion: 'HTTP1', targetType: 'ip', ipAddressType: 'ipv4' };
  return { kind: 'targetGroup', key: protocol, tags, record: { protocol, ...fixed } } as never;
}

interface Circumstances {
  readonly metadata?: object;
  readonly status?: object;
  /** From this spec on the object is paused. */
  readonly pausedAt?: number;
}

/** Each spec a minute after the one before; the Services of the group of this protocol, a minute after the last one. */
function listServices(
  specs: readonly (readonly [protocol: string, service: string, uid?: string] | undefined)[],
  protocol: string,
  { metadata: more, status, pausedAt = specs.length }: Circumstances = {},
): readonly (string | undefined)[] {
  let nowMs = 0;
  const history = new SpecHistory(() => nowMs);
  for (const [index, given] of specs.entries()) {
    const [own, name, uid = 'uid'] = given ?? [];
    const backends = given ? [{ name: 'web', protocol: own, service: { name, port: 80 } }] : [];
    const paused = index >= pausedAt && { annotations: { [PAUSED_ANNOTATION]: 'true' } };
    const metadata = { namespace: 'web', name: 'shop', uid, generation: index, ...more, ...paused };
    history.note({ metadata, spec: { backends }, status } as unknown as MyIngress);
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

it('one of an object that is paused without its backend, by the Service that it had, also once a spec has it again', () => {
  const specs = [['HTTP', 'old'], undefined, ['HTTP', 'new']] as const;
  expect(listServices(specs, 'HTTP', { pausedAt: 2 })).toEqual(['old', undefined, 'old', 'new']);
  expect(listServices(specs, 'HTTP')).toEqual(['new']);
});

const edit = [
  ['HTTP', 'old'],
  ['HTTP', 'new'],
] as const;

it('one of an object that is being deleted, by the Service before an edit too: targets follow what was published', () => {
  const more = { metadata: { deletionTimestamp: '2026-01-02T03:04:05Z' } };
  expect(listServices(edit, 'HTTP', more)).toEqual(['old', 'new']);
});

it.each(['NameConflict', 'AdoptionRefused'])(
  'one of a balancer that may not be changed (%s), by the Service before an edit too',
  (reason) => {
    const conditions = [{ type: 'Ready', status: 'False', reason, observedGeneration: 0 }];
    expect(listServices(edit, 'HTTP', { status: { conditions } })).toEqual(['old', 'new']);
    const other = [{ ...conditions[0], reason: 'AccessDenied' }];
    expect(listServices(edit, 'HTTP', { status: { conditions: other } })).toEqual(['new']);
  },
);

it('one of an object that is paused, by the Service before an edit that was not applied, too', () => {
  const metadata = { annotations: { [PAUSED_ANNOTATION]: 'true' } };
  const applied = [{ type: 'Ready', status: 'True', reason: 'Ready', observedGeneration: 1 }];
  const paused = (conditions: readonly object[]): readonly (string | undefined)[] => {
    let nowMs = 0;
    const history = new SpecHistory(() => nowMs);
    for (const [generation, more] of [{}, {}, metadata].entries()) {
      const backends = [
        {
          name: 'web',
          protocol: 'HTTP',
          service: { name: `s${Math.min(generation, 1)}`, port: 80 },
        },
      ];
      const own = {
        namespace: 'web',
        name: 'shop',
        uid: 'uid',
        generation: Math.min(generation, 1),
      };
      const status = generation === 0 ? {} : { conditions };
      const object = { metadata: { ...own, ...more }, spec: { backends }, status };
      history.note(object as unknown as MyIngress);
      nowMs += MINUTE_MS;
    }
    return history.recentServices('web/shop', draftGroup('HTTP'), 15_000).map((one) => one?.name);
  };
  expect(paused([])).toEqual(['s0', 's1']);
  expect(paused(applied)).toEqual(['s1']);
});
