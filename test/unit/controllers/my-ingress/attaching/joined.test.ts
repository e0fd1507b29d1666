import { describe, expect, it } from 'vitest';
import type { MyIngress } from '../../../../../src/apis/my-ingress.ts';
import type { AttachingObject } from '../../../../../src/controllers/my-ingress/attaching/attaching-object.ts';
import {
  decideAttachments,
  UNKNOWN,
} from '../../../../../src/controllers/my-ingress/attaching/decide.ts';
import {
  ACCEPTED,
  getRevision,
  hasNewRefusals,
  hasNewRoutes,
  type Joined,
} from '../../../../../src/controllers/my-ingress/attaching/joined.ts';
import { MINUTE_MS, World } from '../world.ts';
import { draftApp, PLAIN } from './app.ts';
import { AttachBench } from './bench.ts';

const APP = draftApp('app');
const HOSTS = { hosts: ['shop.example.com'] };
const FIRST = draftApp('first', { ...HOSTS, paths: ['/z/*'] });

function draftSome(...paths: readonly string[]): AttachingObject {
  return draftApp('some', { ...HOSTS, paths });
}

describe('routes are new', () => {
  it('until status records exactly those that are accepted', async () => {
    const bench = await AttachBench.open();
    expect(hasNewRoutes(bench.joined)).toBe(false);
    bench.attach(APP);
    expect(hasNewRoutes(bench.joined), 'one more').toBe(true);
    bench.record();
    expect(hasNewRoutes(bench.joined)).toBe(false);
    bench.attach(draftApp('app', { hosts: ['new.example.com'] }));
    expect(hasNewRoutes(bench.joined), 'others of the same object').toBe(true);
    bench.record();
    bench.detach(APP);
    expect(hasNewRoutes(bench.joined), 'one less').toBe(true);
  });

  it('not where AWS refuses them', async () => {
    const bench = await AttachBench.open();
    bench.attach(APP);
    bench.record('TooManyTargetGroups');
    expect(hasNewRoutes(bench.joined)).toBe(false);
  });

  it('not where status records one that has no rule', async () => {
    const bench = await AttachBench.open();
    const entry = { kind: 'WebApp', namespace: 'web', name: 'late', digest: '-', reason: 'X' };
    bench.kube.server.applyStatus(bench.stored, { attached: [entry] });
    expect(hasNewRoutes(bench.joined)).toBe(false);
  });

  it('not while it is not known what attaches', async () => {
    const bench = await AttachBench.open();
    bench.attach(APP);
    bench.record();
    const { stored } = bench;
    expect(hasNewRoutes({ ...stored, spec: { ...stored.spec, attached: UNKNOWN } as never })).toBe(
      false,
    );
  });
});

describe('refusals are new', () => {
  it('until status records them, also where the same routes are served', async () => {
    const bench = await AttachBench.open();
    bench.attach(FIRST, draftSome('/a/*', '/z/*'));
    bench.record();
    expect(hasNewRefusals(bench.joined)).toBe(false);
    bench.attach(draftSome('/a/*', '/b/*', '/z/*'));
    bench.record();
    expect(hasNewRefusals(bench.joined)).toBe(false);
    bench.attach(draftSome('/a/*', '/b/*'));
    expect(hasNewRefusals(bench.joined), 'nothing is refused any more').toBe(true);
    expect(hasNewRoutes(bench.joined), 'a plan of the same routes is still carried out').toBe(
      false,
    );
    expect(bench.state(draftSome())).toBe('pending');
    bench.record();
    expect(bench.state(draftSome())).toBe('attached');
    bench.attach(draftSome('/a/*', '/b/*', '/z/*'));
    expect(hasNewRefusals(bench.joined), 'a part is refused').toBe(true);
  });
});

it('the revision is the generation, and with accepted routes these too', async () => {
  const bench = await AttachBench.open();
  const { generation } = bench.stored.metadata;
  expect(getRevision(bench.joined)).toBe(generation);
  bench.attach(draftApp('guest', { namespace: 'team' }));
  expect(getRevision(bench.joined), 'nothing is accepted').toBe(generation);
  bench.attach(APP);
  const first = getRevision(bench.joined);
  bench.attach(draftApp('app', { hosts: ['new.example.com'] }));
  const second = getRevision(bench.joined);
  expect(new Set([generation, first, second]).size).toBe(3);
  bench.edit({ tags: { team: 'a' } });
  expect(getRevision(bench.joined)).not.toBe(second);
});

it('an object that takes back what is refused, or asks for it, has its result within a minute', async () => {
  let some = draftSome('/a/*', '/b/*', '/z/*');
  const join = (object: MyIngress): MyIngress => {
    const attached = decideAttachments(object.spec, [FIRST, some], { held: new Map() });
    const joined: Joined = { ...object, spec: { ...object.spec, attached } };
    return joined;
  };
  const world = World.started({ join });
  await world.applied('shop', PLAIN);
  await world.clock.advance(MINUTE_MS);
  const read = (): readonly string[] => {
    const { attached = [] } = world.object('shop').status;
    return [...attached.map(({ reason }) => reason), world.condition('shop', ACCEPTED) ?? ''];
  };
  const refused = ['Attached', 'HostAndPathTaken', 'False HostAndPathTaken'];
  expect(read()).toEqual(refused);
  some = draftSome('/a/*', '/b/*');
  await world.restart();
  await world.clock.advance(MINUTE_MS);
  expect(read()).toEqual(['Attached', 'Attached', 'True Accepted']);
  some = draftSome('/a/*', '/b/*', '/z/*');
  await world.restart();
  await world.clock.advance(MINUTE_MS);
  expect(read()).toEqual(refused);
});
