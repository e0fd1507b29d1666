import { ownershipTagKeys } from '../../../src/apis/my-ingress.ts';
import type { Chance } from '../chance.ts';
import type { Step } from '../scenario.ts';
import type { Meddling, MyIngressAction, ObjectName, SpecPlan } from './actions.ts';

/** What users and outsiders do in one scenario. */

/** Two namespaces with equal names, and one that is longer than a balancer's name may be. */
const OBJECTS: readonly ObjectName[] = [
  'web/shop',
  'api/shop',
  'web/internal-a.very.long.name-of-a-cart',
];
const SUBNETS = [
  ['subnet-a', 'subnet-b'],
  ['subnet-b', 'subnet-c'],
  ['subnet-c', 'subnet-a'],
  ['subnet-a', 'subnet-b', 'subnet-c'],
  ['subnet-a', 'subnet-d'],
] as const;
/** Admitted, but refused by AWS: one zone twice, an unknown subnet. */
const BAD_SUBNETS = [
  ['subnet-b', 'subnet-d'],
  ['subnet-a', 'subnet-none'],
] as const;
const GROUPS = [['sg-web'], ['sg-admin'], ['sg-web', 'sg-admin']] as const;
/** The last one may be another object's default name. */
const NAMES = ['one-name', 'another-name', 'other-alb-0123abcd'] as const;
const LOGS = { 'access_logs.s3.enabled': 'true', 'access_logs.s3.bucket': 'logs' } as const;
const OTHERS_TAGS = [
  {},
  { owner: 'somebody' },
  {
    [ownershipTagKeys.cluster]: 'another-cluster',
    [ownershipTagKeys.namespace]: 'web',
    [ownershipTagKeys.name]: 'shop',
  },
] as const;

export function drawMyIngressSteps(chance: Chance, lengthMs: number): readonly Step[] {
  const objects = OBJECTS.slice(
    0,
    chance.weighted([
      [5, 1],
      [3, 2],
      [2, 3],
    ]),
  );
  const steps = objects.flatMap((at) => drawLife(chance, at, lengthMs));
  const isScarce = chance.happens(0.1);
  return [...steps, ...(isScarce ? drawScarcity(chance, lengthMs) : [])].toSorted(
    (a, b) => a.atMs - b.atMs,
  );
}

/** One object from its creation on: edits, hands of others, perhaps its end and another life. */
function drawLife(chance: Chance, at: ObjectName, lengthMs: number): readonly Step[] {
  const bornMs = chance.whole(0, 20_000);
  const spec = drawSpec(chance);
  const first = drawBeginning(chance, { at, bornMs, spec });
  const changes = chance.times(chance.whole(0, 5), (): Step => {
    const atMs = chance.whole(bornMs + 100, lengthMs);
    return { atMs, myIngress: drawChange(chance, at) };
  });
  if (!chance.happens(0.6)) return [...first, ...changes];
  return [...first, ...changes, ...drawEnd(chance, { at, bornMs, lengthMs })];
}

interface Beginning {
  readonly at: ObjectName;
  readonly bornMs: number;
  readonly spec: SpecPlan;
}

function drawBeginning(chance: Chance, { at, bornMs, spec }: Beginning): readonly Step[] {
  const create: Step = { atMs: bornMs, myIngress: { do: 'create', at, spec } };
  return chance.weighted<() => readonly Step[]>([
    [8, () => [create]],
    [1, () => drawSquatter(chance, { at, bornMs, spec })],
    [1, () => drawAdoption(chance, { at, bornMs, spec })],
  ])();
}

/** Somebody else has the name already; perhaps the very same settings too; perhaps it goes. */
function drawSquatter(chance: Chance, { at, bornMs, spec }: Beginning): readonly Step[] {
  const theirs = chance.happens(0.6) ? spec : { ...spec, subnets: chance.one(SUBNETS) };
  const tags = chance.one(OTHERS_TAGS);
  const offsetMs = chance.happens(0.8) ? -1 : chance.whole(0, 60);
  const squat: MyIngressAction = { do: 'squat', at, spec: theirs, tags };
  const leaves = chance.happens(0.5);
  return [
    { atMs: Math.max(0, bornMs + offsetMs), myIngress: squat },
    { atMs: bornMs, myIngress: { do: 'create', at, spec } },
    ...(leaves
      ? [{ atMs: bornMs + chance.whole(5000, 90_000), myIngress: { do: 'leave', at } } as const]
      : []),
  ];
}

/** A balancer of old, with or without consent, adopted at once or by a later edit. */
function drawAdoption(chance: Chance, { at, bornMs, spec }: Beginning): readonly Step[] {
  const legacy = `legacy-${at.split('/')[0]}`;
  const { name: _none, ...wanted } = spec;
  const consents = chance.happens(0.8);
  const theirs = {
    subnets: chance.one(SUBNETS),
    scheme: chance.happens(0.9) ? (spec.scheme ?? 'internet-facing') : 'internal',
  };
  const made: MyIngressAction = {
    do: 'legacy',
    name: legacy,
    spec: theirs,
    tags: { owner: 'somebody', ManagedBy: 'terraform' },
    ...(consents && { consentFor: at }),
  };
  const isLate = chance.happens(0.3);
  const create: MyIngressAction = {
    do: 'create',
    at,
    spec: isLate ? wanted : { ...wanted, adopt: legacy },
  };
  const late: Step = {
    atMs: bornMs + chance.whole(5, 3000),
    myIngress: { do: 'edit', at, change: { adopt: legacy } },
  };
  return [
    { atMs: Math.max(0, bornMs - 1), myIngress: made },
    { atMs: bornMs, myIngress: create },
    ...(isLate ? [late] : []),
  ];
}

function drawEnd(
  chance: Chance,
  {
    at,
    bornMs,
    lengthMs,
  }: { readonly at: ObjectName; readonly bornMs: number; readonly lengthMs: number },
): readonly Step[] {
  // Soon after the creation is where a create may be under way.
  const isEarly = chance.happens(0.4);
  const atMs = isEarly ? bornMs + chance.whole(1, 5000) : chance.whole(bornMs + 1, lengthMs);
  const end: Step = { atMs, myIngress: { do: 'delete', at } };
  if (!chance.happens(0.4)) return [end];
  const again: MyIngressAction = { do: 'create', at, spec: drawSpec(chance) };
  return [end, { atMs: atMs + chance.whole(1, 3000), myIngress: again }];
}

function drawScarcity(chance: Chance, lengthMs: number): readonly Step[] {
  const atMs = chance.whole(0, 20_000);
  return [
    { atMs, myIngress: { do: 'quota', quota: chance.whole(0, 1) } },
    { atMs: chance.whole(atMs, lengthMs), myIngress: { do: 'quota', quota: 50 } },
  ];
}

function drawSpec(chance: Chance): SpecPlan {
  return {
    subnets: chance.happens(0.92) ? chance.one(SUBNETS) : chance.one(BAD_SUBNETS),
    ...(chance.happens(0.2) && { scheme: 'internal' }),
    ...(chance.happens(0.15) && { name: chance.one(NAMES) }),
    ...(chance.happens(0.3) && { securityGroups: chance.one(GROUPS) }),
    ...(chance.happens(0.2) && { ipAddressType: chance.one(['ipv4', 'dualstack']) }),
    ...(chance.happens(0.4) && { tags: drawTags(chance) }),
    ...(chance.happens(0.3) && { attributes: drawAttributes(chance) }),
    ...(chance.happens(0.15) && { deletionPolicy: 'Retain' as const }),
  };
}

function drawTags(chance: Chance): Readonly<Record<string, string>> {
  const keys = ['team', 'env', 'cost-center'].filter(() => chance.happens(0.6));
  return Object.fromEntries(keys.map((key) => [key, chance.one(['a', 'b', ''])]));
}

function drawAttributes(chance: Chance): Readonly<Record<string, string>> {
  const all = {
    'idle_timeout.timeout_seconds': chance.weighted([
      [5, '30'],
      [5, '90'],
      [1, '0'],
    ]),
    'routing.http2.enabled': chance.one(['true', 'false']),
    'deletion_protection.enabled': chance.one(['true', 'false']),
  };
  const drawn = Object.fromEntries(Object.entries(all).filter(() => chance.happens(0.5)));
  return drawn['idle_timeout.timeout_seconds'] === '30' ? { ...drawn, ...LOGS } : drawn;
}

function drawChange(chance: Chance, at: ObjectName): MyIngressAction {
  return chance.weighted<() => MyIngressAction>([
    [10, () => ({ do: 'edit', at, change: drawEdit(chance) })],
    [2, () => ({ do: 'unset', at, field: chance.one(['tags', 'attributes', 'ipAddressType']) })],
    [1, () => ({ do: 'pause', at })],
    [2, () => ({ do: 'goOn', at })],
    [1, () => ({ do: 'request', at, token: `now-${chance.whole(1, 999)}` })],
    [8, () => ({ do: 'meddle', at, meddling: drawMeddling(chance) })],
  ])();
}

function drawEdit(chance: Chance): Partial<SpecPlan> {
  return chance.weighted<() => Partial<SpecPlan>>([
    [4, () => ({ subnets: chance.one(SUBNETS) })],
    [1, () => ({ subnets: chance.one(BAD_SUBNETS) })],
    [1, () => ({ subnets: ['subnet-a'] })],
    [2, () => ({ securityGroups: chance.one(GROUPS) })],
    [1, () => ({ securityGroups: ['sg-none'] })],
    [2, () => ({ ipAddressType: chance.one(['ipv4', 'dualstack']) })],
    [4, () => ({ tags: drawTags(chance) })],
    [4, () => ({ attributes: drawAttributes(chance) })],
    [2, () => ({ deletionPolicy: chance.one(['Delete', 'Retain']) })],
    [1, () => ({ scheme: 'internal' })],
  ])();
}

export function drawMeddling(chance: Chance): Meddling {
  const ownership = [ownershipTagKeys.cluster, ownershipTagKeys.namespace, ownershipTagKeys.name];
  return chance.weighted<() => Meddling>([
    [4, () => ({ what: 'delete' })],
    [2, () => ({ what: 'tag', key: chance.one(['team', 'theirs']), value: 'edited' })],
    [
      2,
      () => ({
        what: 'untag',
        key: chance.one(['team', ownershipTagKeys.uid, ownershipTagKeys.managedBy]),
      }),
    ],
    [2, () => ({ what: 'release', key: chance.one(ownership) })],
    [1, () => ({ what: 'restore' })],
    [2, () => ({ what: 'subnets', subnets: chance.one(SUBNETS) })],
    [2, () => ({ what: 'securityGroups', groups: chance.one(GROUPS) })],
    [1, () => ({ what: 'ipAddressType', type: 'ipv4' })],
    [2, () => ({ what: 'attribute', key: 'deletion_protection.enabled', value: 'true' })],
    [1, () => ({ what: 'attribute', key: 'idle_timeout.timeout_seconds', value: '77' })],
    [1, () => ({ what: 'state', code: chance.one(['failed', 'active_impaired']) })],
  ])();
}
