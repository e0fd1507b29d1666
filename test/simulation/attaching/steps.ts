import type { Chance } from '../chance.ts';
import type { SpecChange, SpecPlan } from '../my-ingress/actions.ts';
import type { Story } from '../my-ingress/stories.ts';
import type { Fault, Step } from '../scenario.ts';
import { PHASES } from '../scenario.ts';
import type { ServiceAction } from '../services/actions.ts';
import { drawTrafficFaults } from '../traffic/faults.ts';
import type { AppName, AppPlan } from '../web-app/actions.ts';
import type { AllowedPlan, ExposePlan } from './actions.ts';

const SHARED = 'web/shared';
const SECOND = 'api/second';
/** Whoever is named by the MyIngress too, two of its namespace, and two of another one. */
const APPS: readonly AppName[] = ['web/front', 'api/alpha', 'web/beta', 'api/gamma', 'web/delta'];
const IMAGE = 'registry.example/app:1';
const HOSTS = [
  ['shop.example.org'],
  ['Shop.example.org'],
  ['cart.example.org', 'shop.example.org'],
  ['cart.example.org'],
  ['*.example.org'],
  ['shop.example.org', '*.example.org'],
] as const;
const PATHS = [['/*'], ['*'], ['/cart'], ['/cart', '/cart/*'], ['/cart/*', '/c*', '/x']] as const;
const LISTENERS = [
  [{ port: 80, protocol: 'HTTP' }],
  [
    { port: 80, protocol: 'HTTP' },
    { port: 8080, protocol: 'HTTP' },
  ],
] as const;
const OWN_BACKEND = { name: 'own', service: { name: 'front', port: 'http' } } as const;
/** Where a crash is worth most. */
const WRITES = [
  'aws CreateRule',
  'aws DeleteRule',
  'aws ModifyRule',
  'aws SetRulePriorities',
  'aws CreateTargetGroup',
  'kube PATCH myingresses/status apply',
  'kube PATCH webapps/status apply',
] as const;

export interface AttachDraw {
  readonly lengthMs: number;
  readonly replicas: number;
  readonly election: boolean;
}

/** Teams share a MyIngress: they come and go, ask for the hosts of each other, and the operator dies now and then. */
export function drawAttaching(chance: Chance, draw: AttachDraw): Story {
  const apps = APPS.slice(0, chance.whole(2, APPS.length));
  const steps = [
    ...drawLabels(chance, draw),
    ...drawIngress(chance, draw),
    ...(chance.happens(0.25) ? drawSecond(chance, draw) : []),
    ...apps.flatMap((at) => drawApp(chance, at, draw)),
  ];
  const faults = chance.happens(0.35) ? [] : drawFaults(chance, draw);
  // Last, so that a seed without it is what it was before.
  const all = [...steps, ...(chance.happens(0.25) ? drawQuota(chance, draw) : [])];
  return { steps: all.toSorted((a, b) => a.atMs - b.atMs), faults };
}

/** AWS takes few rules on a balancer, until its quota is raised. */
function drawQuota(chance: Chance, { lengthMs }: AttachDraw): readonly Step[] {
  const atMs = chance.whole(1000, lengthMs / 2);
  const limit = (fromMs: number, most: number): Step => {
    return { atMs: fromMs, traffic: { do: 'limit', name: 'rules', most } };
  };
  const most = chance.whole(0, 4);
  return [limit(atMs, most), limit(chance.whole(atMs + 1, lengthMs), 100)];
}

function drawLabels(chance: Chance, { lengthMs }: AttachDraw): readonly Step[] {
  return chance.times(chance.whole(0, 3), (index): Step => {
    const atMs = index === 0 ? 500 : chance.whole(1000, lengthMs);
    const team = chance.one(['a', 'a', 'b', null]);
    return { atMs, attach: { do: 'label', namespace: 'api', team } };
  });
}

function drawIngress(chance: Chance, { lengthMs }: AttachDraw): readonly Step[] {
  const bornMs = chance.whole(1000, 15_000);
  const create = (atMs: number): Step => {
    return { atMs, myIngress: { do: 'create', at: SHARED, spec: drawSpec(chance) } };
  };
  const edits = chance.times(chance.whole(0, 4), (): Step => {
    const atMs = chance.whole(bornMs + 1, lengthMs);
    return { atMs, myIngress: { do: 'edit', at: SHARED, change: drawChange(chance) } };
  });
  if (!chance.happens(0.15)) return [create(bornMs), ...edits];
  const endMs = chance.whole(bornMs + 1, lengthMs);
  return [
    ...[create(bornMs), ...edits],
    { atMs: endMs, myIngress: { do: 'delete', at: SHARED } },
    ...(chance.happens(0.6) ? [create(endMs + chance.whole(1, 20_000))] : []),
  ];
}

/** Some move to it, and back. */
function drawSecond(chance: Chance, { lengthMs }: AttachDraw): readonly Step[] {
  const atMs = chance.whole(1000, lengthMs);
  return [{ atMs, myIngress: { do: 'create', at: SECOND, spec: drawSpec(chance) } }];
}

function drawSpec(chance: Chance): SpecPlan {
  const { from, selector } = drawAllowed(chance) ?? {};
  return {
    subnets: ['subnet-a', 'subnet-b'],
    listeners: chance.one(LISTENERS),
    ...(from !== undefined && { allowedNamespaces: { from, ...(selector && { selector }) } }),
    ...(chance.happens(0.5) && { backends: [OWN_BACKEND], rules: drawRules(chance) }),
  };
}

function drawRules(chance: Chance): NonNullable<SpecPlan['rules']> {
  const hosts = chance.one([['own.example.org'], ['own.example.org'], ['shop.example.org']]);
  return [{ name: 'own', hosts, forward: [{ backend: 'own' }] }];
}

function drawAllowed(chance: Chance): AllowedPlan | undefined {
  return chance.weighted<AllowedPlan | undefined>([
    [2, undefined],
    [1, { from: 'Same', selector: null }],
    [3, { from: 'All', selector: null }],
    [4, { from: 'Selector', selector: { matchLabels: { team: chance.one(['a', 'b']) } } }],
  ]);
}

function drawChange(chance: Chance): SpecChange {
  return chance.weighted<() => SpecChange>([
    [4, () => ({ allowedNamespaces: drawAllowed(chance) ?? null })],
    [2, () => ({ backends: [OWN_BACKEND], rules: drawRules(chance) })],
    [1, () => ({ rules: null, backends: null })],
    [2, () => ({ tags: { team: chance.one(['a', 'b']) } })],
    [1, () => ({ listeners: chance.one(LISTENERS) })],
  ])();
}

/** One team: its application, the pods behind it, and what it asks for. */
function drawApp(chance: Chance, at: AppName, { lengthMs }: AttachDraw): readonly Step[] {
  const bornMs = chance.whole(2000, 60_000);
  const later = (): number => chance.whole(bornMs + 1, lengthMs);
  const create = (atMs: number): Step => {
    const plan = { image: IMAGE, ...(chance.happens(0.9) && { expose: drawExpose(chance, at) }) };
    return { atMs, webApp: { do: 'create', at, spec: plan } };
  };
  const changes = chance.times(chance.whole(0, 4), (): Step => {
    return { atMs: later(), webApp: { do: 'edit', at, change: drawAppChange(chance, at) } };
  });
  const endMs = later();
  const ends: readonly Step[] = chance.happens(0.35)
    ? [
        { atMs: endMs, webApp: { do: 'delete', at } },
        ...(chance.happens(0.5) ? [create(endMs + chance.whole(1, 5000))] : []),
      ]
    : [];
  return [...drawPods(chance, at, later), create(bornMs), ...changes, ...ends];
}

/** One of ten is broken: its Service is another's. */
function drawPods(chance: Chance, at: AppName, later: () => number): readonly Step[] {
  if (chance.happens(0.1)) return [{ atMs: 1000, webApp: { do: 'squat', at, kind: 'Service' } }];
  const events = chance.times(chance.whole(0, 2), (): Step => {
    const service = chance.one<ServiceAction>([
      { do: 'roll', at },
      { do: 'scale', at, pods: 1 },
      { do: 'scale', at, pods: 3 },
    ]);
    return { atMs: later(), service };
  });
  return [{ atMs: 1000, attach: { do: 'pods', at, pods: chance.whole(1, 3) } }, ...events];
}

function drawAppChange(chance: Chance, at: AppName): Partial<AppPlan> {
  return chance.weighted<() => Partial<AppPlan>>([
    [6, () => ({ expose: drawExpose(chance, at) })],
    [1, () => ({ expose: null })],
    [1, () => ({ replicas: chance.whole(0, 3) })],
  ])();
}

function drawExpose(chance: Chance, at: AppName): ExposePlan {
  const [to = SHARED] = chance.happens(0.9) ? [SHARED] : [SECOND];
  const [namespace = '', name = ''] = to.split('/');
  const isNear = at.startsWith(`${namespace}/`) && chance.happens(0.5);
  return {
    ingress: { name, ...(!isNear && { namespace }) },
    hosts: chance.one(HOSTS),
    paths: chance.happens(0.5) ? null : chance.one(PATHS),
    listener: chance.happens(0.15) ? chance.one([80, 8080]) : null,
  };
}

/** Nothing that shows a process a cluster without objects: it would detach them all, and could not know better. */
function drawFaults(chance: Chance, draw: AttachDraw): readonly Fault[] {
  const crashes = chance.times(chance.whole(0, 2), (): Fault => {
    return {
      kind: 'crash',
      label: chance.one(WRITES),
      phase: chance.one(PHASES),
      nth: chance.whole(1, 5),
      restartMs: chance.one([100, 5000, 40_000]),
    };
  });
  const terminated = chance.times(chance.whole(0, 2), (): Fault => {
    return { kind: 'terminate', atMs: chance.whole(20_000, draw.lengthMs), replica: 0 };
  });
  const others = chance.happens(0.6) ? drawTrafficFaults(chance, draw) : [];
  const all = [...crashes, ...terminated, ...others];
  return all.filter(({ kind }) => kind !== 'emptyLists');
}
