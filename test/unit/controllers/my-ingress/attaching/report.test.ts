import { describe, expect, it } from 'vitest';
import type { MyIngress } from '../../../../../src/apis/my-ingress.ts';
import { UNKNOWN } from '../../../../../src/controllers/my-ingress/attaching/decide.ts';
import type { Decision } from '../../../../../src/controllers/my-ingress/attaching/decision.ts';
import {
  type AppliedRoutes,
  listRetries,
  mapAttachedIds,
  reportAttached,
} from '../../../../../src/controllers/my-ingress/attaching/report.ts';
import type { Problem } from '../../../../../src/controllers/my-ingress/graph/problem.ts';
import type { StatedCondition } from '../../../../../src/core/objects/conditions.ts';
import type { Pass } from '../../../../../src/core/reconcile/reconciler.ts';
import { World } from '../world.ts';
import { draftApp } from './app.ts';
import { AttachBench } from './bench.ts';

const HOSTS = { hosts: ['shop.example.com'] };
const LISTENERS = new Map([['listener/80', 'arn:80']]);
const DONE: AppliedRoutes = {
  ...{ problems: [], postponed: [] },
  references: { listeners: LISTENERS },
};

interface Entry {
  readonly name: string;
  readonly digest: string;
  readonly reason: string;
  readonly message?: string;
}

interface Reported {
  /** Left out: not reported. */
  readonly attached?: readonly Entry[] | undefined;
  readonly hasReported: boolean;
  readonly condition: StatedCondition | undefined;
}

function report(object: MyIngress, applied?: AppliedRoutes): Reported {
  let status: { attached?: readonly Entry[] | undefined } = {};
  let condition: StatedCondition | undefined;
  const pass: Partial<Pass> = {
    report: (given) => {
      status = { ...status, ...given };
    },
    setCondition: (given) => {
      condition = given;
    },
  };
  reportAttached(object, pass as Pass, applied);
  return { ...status, hasReported: 'attached' in status, condition };
}

/** As `app Attached` and `late HostAndPathTaken -`. */
function list({ attached = [] }: Reported): readonly string[] {
  return attached.map(({ name, reason, digest }) =>
    [name, reason, ...(digest === '-' ? ['-'] : [])].join(' '),
  );
}

function problemOf(object: MyIngress, source: string): Problem {
  const [id = ''] = [...mapAttachedIds(object)].find(([, one]) => one === source) ?? [];
  return { id, reason: 'TooManyTargetGroups', message: 'full' } as unknown as Problem;
}

describe('status.attached', () => {
  it('is not written where nothing ever attached', async () => {
    const { joined } = await AttachBench.open();
    expect(report(joined, DONE)).toEqual({ hasReported: false, condition: undefined });
  });

  it('lists who is served and who is not, and leaves out who may not attach', async () => {
    const bench = await AttachBench.open();
    bench.attach(draftApp('app', HOSTS), draftApp('late', HOSTS));
    bench.attach(draftApp('guest', { namespace: 'team' }));
    const reported = report(bench.joined, DONE);
    expect(list(reported)).toEqual(['app Attached', 'late HostAndPathTaken -']);
    expect(reported.attached?.[1]?.message).toBe(
      'shop.example.com/* on port 80 is taken by WebApp web/app',
    );
  });

  it('says that a rule of the spec has the host and path', async () => {
    const rules = [{ name: 'own', ...HOSTS, fixedResponse: { statusCode: 200 } }];
    const bench = await AttachBench.open({ rules });
    bench.attach(draftApp('late', HOSTS));
    const { attached } = report(bench.joined, DONE);
    expect(attached?.[0]?.message).toContain('is taken by a rule of the spec');
  });

  it('keeps what was applied before until all of it is applied, and adds who is refused', async () => {
    const bench = await AttachBench.open();
    bench.attach(draftApp('app', HOSTS));
    bench.record();
    const before = bench.stored.status.attached;
    bench.attach(draftApp('new'), draftApp('late', HOSTS));
    const reported = report(bench.joined);
    expect(list(reported)).toEqual(['app Attached', 'late HostAndPathTaken -']);
    expect(reported.attached?.[0]).toEqual(before?.[0]);
    expect(list(report(bench.joined, DONE))).toEqual([
      'app Attached',
      'new Attached',
      'late HostAndPathTaken -',
    ]);
  });

  it('names no one any more that was refused and has left', async () => {
    const bench = await AttachBench.open();
    bench.attach(draftApp('app'));
    bench.record();
    const { attached = [] } = bench.stored.status;
    const gone = { kind: 'WebApp', namespace: 'web', name: 'gone', digest: '-', reason: 'X' };
    bench.kube.server.applyStatus(bench.stored, { attached: [...attached, gone] });
    expect(list(report(bench.joined))).toEqual(['app Attached']);
  });

  it('has one entry for an object with two rules that are not served', async () => {
    const bench = await AttachBench.open();
    const both = { hosts: ['shop.example.com', '*.example.com'] };
    bench.attach(draftApp('app', both), draftApp('late', both));
    expect(list(report(bench.joined, DONE))).toEqual(['app Attached', 'late HostAndPathTaken -']);
  });

  it('has one entry for an object of which one rule is served and another is not', async () => {
    const bench = await AttachBench.open();
    bench.attach(draftApp('app', HOSTS));
    bench.attach(draftApp('late', { hosts: ['shop.example.com', '*.example.com'] }));
    const reported = report(bench.joined, DONE);
    expect(list(reported)).toEqual(['app Attached', 'late HostAndPathTaken']);
  });

  it('says what AWS refuses, and what is applied later, of the object that it is about', async () => {
    const bench = await AttachBench.open();
    bench.attach(draftApp('a'), draftApp('b'), draftApp('c'));
    const { joined } = bench;
    const problems = [problemOf(joined, 'WebApp/web/b')];
    const postponed = [problemOf(joined, 'WebApp/web/c').id];
    const reported = report(joined, { ...DONE, problems, postponed });
    expect(list(reported)).toEqual(['a Attached', 'b TooManyTargetGroups', 'c Attaching']);
    expect(reported.attached?.[1]?.message).toBe('full');
  });

  it('says why a listener of the object is not there, and is silent on those that are', async () => {
    const listeners = [80, 81].map((port) => ({ port, protocol: 'HTTP' as const }));
    const bench = await AttachBench.open({ listeners });
    bench.attach(draftApp('both'), draftApp('served', { listeners: [80] }));
    const problems = [80, 81].map((port): Problem => {
      return { id: `listener/${port}`, reason: 'PortConflict', message: `port ${port} is held` };
    });
    const postponed = ['rule/81/WebApp/web/both/app/0'];
    const reported = report(bench.joined, { ...DONE, problems, postponed });
    expect(list(reported)).toEqual(['both PortConflict', 'served Attached']);
    expect(reported.attached?.[0]?.message).toBe('port 81 is held');
    expect(reported.condition).toMatchObject({ status: 'False', reason: 'PortConflict' });
  });

  it('is not written again while it is the same', async () => {
    const bench = await AttachBench.open();
    bench.attach(draftApp('app'));
    const { attached } = report(bench.joined, DONE);
    bench.kube.server.applyStatus(bench.stored, { attached });
    const again = report(bench.joined, DONE);
    expect(again.hasReported).toBe(false);
    expect(again.condition?.status).toBe('True');
  });

  it('is removed with the last object, and its condition then says that none is left', async () => {
    const bench = await AttachBench.open();
    bench.attach(draftApp('app'));
    bench.record();
    bench.detach(draftApp('app'));
    const before = report(bench.joined);
    expect(before.hasReported, 'its rule is still there').toBe(false);
    const { hasReported, attached } = report(bench.joined, DONE);
    expect([hasReported, attached]).toEqual([true, undefined]);
    const conditions = [{ type: 'AttachmentsAccepted', status: 'False' }];
    bench.kube.server.applyStatus(bench.stored, { conditions });
    expect(report(bench.joined, DONE).condition).toMatchObject({ status: 'True' });
  });

  it('stays as it is while it is not known what attaches', async () => {
    const bench = await AttachBench.open();
    bench.attach(draftApp('app'));
    bench.record();
    const { stored } = bench;
    const unknown = { ...stored, spec: { ...stored.spec, attached: UNKNOWN } };
    expect(report(unknown, DONE)).toEqual({ hasReported: false, condition: undefined });
  });

  it('is no longer than the CRD allows, and neither are its messages', async () => {
    const bench = await AttachBench.open();
    const path = `/${'p'.repeat(600)}`;
    const paths = [path];
    bench.attach(draftApp('a', { paths, ...HOSTS }), draftApp('b', { paths, ...HOSTS }));
    const [message = ''] = [report(bench.joined, DONE).attached?.[1]?.message];
    expect([message.length, message.endsWith('...')]).toEqual([512, true]);
    const many = new AttachBench();
    many.ingress();
    many.attach(draftApp('a', HOSTS), draftApp('b'));
    for (let index = 0; index < 250; index += 1) many.attach(draftApp(`late-${index}`, HOSTS));
    await many.apps.allRead();
    const { attached = [] } = report(many.joined, DONE);
    expect(attached).toHaveLength(200);
    expect(attached.slice(0, 2).map(({ reason }) => reason)).toEqual(['Attached', 'Attached']);
  });
});

describe('the condition AttachmentsAccepted', () => {
  it('is True while everything is served or about to be', async () => {
    const bench = await AttachBench.open();
    bench.attach(draftApp('a'), draftApp('b'));
    const postponed = [problemOf(bench.joined, 'WebApp/web/b').id];
    expect(report(bench.joined, { ...DONE, postponed }).condition).toEqual({
      ...{ type: 'AttachmentsAccepted', status: 'True', reason: 'Accepted' },
      message: 'the routes of 2 objects are served',
    });
  });

  it('names the first five that are not served, each with its reason, and counts the others', async () => {
    const bench = await AttachBench.open();
    const late = ['b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => draftApp(name, HOSTS));
    bench.attach(draftApp('a', HOSTS), ...late);
    const { condition } = report(bench.joined, DONE);
    expect(condition).toMatchObject({ status: 'False', reason: 'HostAndPathTaken' });
    const sentences = (condition?.message ?? '').split('. ');
    expect(sentences).toHaveLength(6);
    expect(sentences[0]).toBe(
      'WebApp web/b: HostAndPathTaken, shop.example.com/* on port 80 is taken by WebApp web/a',
    );
    expect(sentences[5]).toBe('and 2 more');
  });

  it('has no last sentence where five are all', async () => {
    const bench = await AttachBench.open();
    const late = ['b', 'c', 'd', 'e', 'f'].map((name) => draftApp(name, { listeners: [443] }));
    bench.attach(...late);
    const { condition } = report(bench.joined, DONE);
    expect(condition?.message.split('. ')).toHaveLength(5);
    expect(condition?.message).toContain('WebApp web/f: NoListener');
  });
});

describe('resources of attached routes', () => {
  it('are its target group and its rule on each listener, and nothing of the spec', async () => {
    const rules = [{ name: 'own', paths: ['/own'], fixedResponse: { statusCode: 200 } }];
    const bench = await AttachBench.open({
      ...{ rules, backends: [{ name: 'own', service: { name: 'own', port: 80 } }] },
      listeners: [80, 81].map((port) => ({ port, protocol: 'HTTP' })),
    } as object);
    expect(mapAttachedIds(bench.joined).size).toBe(0);
    bench.attach(draftApp('app'));
    expect([...mapAttachedIds(bench.joined)]).toEqual([
      ['target-group/WebApp/web/app/app', 'WebApp/web/app'],
      ['rule/80/WebApp/web/app/app/0', 'WebApp/web/app'],
      ['rule/81/WebApp/web/app/app/0', 'WebApp/web/app'],
    ]);
  });

  it('that AWS refuses are tried again every two minutes', async () => {
    const bench = await AttachBench.open();
    bench.attach(draftApp('app'));
    const { joined } = bench;
    expect(listRetries(joined, [problemOf(joined, 'WebApp/web/app')])).toEqual([120_000]);
    const own = { ...problemOf(joined, 'WebApp/web/app'), id: 'target-group/spec/app' };
    expect(listRetries(joined, [own])).toEqual([]);
  });
});

describe('a balancer alone, to which others attach', () => {
  const source = { kind: 'WebApp', namespace: 'web', name: 'late' };
  const refusals = [{ source, reason: 'NoListener' }] as const;
  const refused: Decision = { ...UNKNOWN, isKnown: true, refusals };

  it('names the refused routes, and says when none is refused any more', async () => {
    let attached: Decision | undefined = refused;
    const join = (object: MyIngress): MyIngress =>
      attached === undefined
        ? object
        : ({ ...object, spec: { ...object.spec, attached } } as never);
    const world = World.started({ join });
    const { status } = await world.applied('shop');
    expect(status.attached).toMatchObject([{ ...source, reason: 'NoListener', digest: '-' }]);
    expect(world.condition('shop', 'AttachmentsAccepted')).toBe('False NoListener');
    attached = undefined;
    await request(world);
    expect(world.object('shop').status.attached).toBeUndefined();
    expect(world.condition('shop', 'AttachmentsAccepted')).toBe('True Accepted');
  });

  it('corrects a condition that someone has edited', async () => {
    const world = await World.having('shop');
    const shop = world.object('shop');
    const edited = { type: 'AttachmentsAccepted', status: 'False', reason: 'NoListener' } as const;
    const common = { message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
    const conditions = [...(shop.status.conditions ?? []), { ...edited, ...common }];
    world.kube.server.applyStatus(shop, { ...shop.status, conditions });
    await request(world);
    expect(world.condition('shop', 'AttachmentsAccepted')).toBe('True Accepted');
  });

  it('has no such condition where nothing does', async () => {
    const world = await World.having('shop');
    expect(world.condition('shop', 'AttachmentsAccepted')).toBeUndefined();
  });

  async function request(world: World): Promise<void> {
    world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
    await world.clock.advance(1_000);
    expect(world.object('shop').status.lastHandledReconcileAt).toBe('now');
  }
});
