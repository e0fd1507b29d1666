import type { Chance } from './chance.ts';
import { type AwsEffect, type Fault, type KubeEffect, PHASES } from './scenario.ts';
import { DEFINED_KINDS } from './served-definition.ts';

/** In this order, so that each seed keeps its world; a new kind comes last. */
const OTHER_KINDS = new Set([
  ...['webapps', 'immortalcontainers', 'myapps', 'configmonitors'],
  ...DEFINED_KINDS.map(({ plural }) => plural).filter((plural) => plural !== 'myingresses'),
]);

/** Operations of the two ports that the operator begins; crashes are drawn from them. */
const PORT_OPERATIONS: readonly string[] = [
  'aws CreateLoadBalancer',
  'aws DeleteLoadBalancer',
  'aws DescribeLoadBalancers by name',
  'aws DescribeLoadBalancers by ARN',
  'aws DescribeLoadBalancers all',
  'aws DescribeTags',
  'aws DescribeLoadBalancerAttributes',
  'aws ModifyLoadBalancerAttributes',
  'aws AddTags',
  'aws RemoveTags',
  'aws SetSubnets',
  'aws SetSecurityGroups',
  'aws SetIpAddressType',
  'kube PATCH myingresses merge',
  'kube PATCH myingresses json',
  'kube PATCH myingresses/status apply',
  'kube GET myingresses',
  'kube LIST myingresses',
  ...watchesOf('myingresses'),
  ...[...OTHER_KINDS].flatMap((plural) => [
    `kube PATCH ${plural}/status apply`,
    ...watchesOf(plural),
  ]),
  ...['deployments', 'services', 'pods'].flatMap((plural) => [
    `kube POST ${plural}`,
    `kube GET ${plural}`,
    `kube PATCH ${plural} merge`,
    `kube PATCH ${plural} apply`,
    `kube DELETE ${plural}`,
    ...watchesOf(plural),
  ]),
  'kube POST pods/eviction',
  ...watchesOf('configmaps'),
  ...watchesOf('horizontalpodautoscalers'),
  'kube POST events',
  'kube PATCH events merge',
  'kube GET namespaces',
  'kube GET leases',
  'kube POST leases',
  'kube PUT leases',
  ...watchesOf('leases'),
];

/** Where a crash or a freeze is worth most: the writes, and the looks around them. */
const HOT: readonly string[] = PORT_OPERATIONS.filter((label) =>
  /^aws|PATCH|DELETE|POST [dsp]/.test(label),
);
/** In the middle of a pass that goes on to write. */
const EARLY = [
  'aws CreateLoadBalancer',
  'aws DescribeLoadBalancers by name',
  'aws DescribeTags',
  'kube PATCH myingresses merge',
  'kube POST pods',
  'kube POST pods/eviction',
] as const;
const AWS_OPERATIONS = [
  '*',
  'CreateLoadBalancer',
  'DeleteLoadBalancer',
  'DescribeLoadBalancers',
  'DescribeTags',
  'AddTags',
  'RemoveTags',
  'SetSubnets',
  'ModifyLoadBalancerAttributes',
] as const;
const AWS_EFFECTS: readonly AwsEffect[] = [
  'lost',
  'late',
  'twice',
  'dropped',
  'unanswered',
  'throttled',
  'failing',
  'html',
];
const KUBE_EFFECTS: readonly KubeEffect[] = [
  'lost',
  'late',
  'twice',
  'dropped',
  'unanswered',
  'failing',
  'busy',
];
const KUBE_LABELS = [
  '*',
  'PATCH myingresses',
  'PATCH myingresses/status apply',
  'WATCH',
  'PUT leases',
];

export interface FaultDraw {
  readonly lengthMs: number;
  readonly replicas: number;
  readonly election: boolean;
}

export function drawFaults(chance: Chance, draw: FaultDraw): readonly Fault[] {
  const count = chance.weighted([
    [2, 1],
    [4, 2],
    [3, 3],
    [2, 5],
  ]);
  return chance.times(count, () => drawFault(chance, draw));
}

function drawFault(chance: Chance, draw: FaultDraw): Fault {
  const fromMs = chance.whole(0, draw.lengthMs);
  return chance.weighted<() => Fault>([
    [10, () => drawCrash(chance)],
    [draw.election ? 12 : 1, () => drawFreeze(chance)],
    [2, () => ({ kind: 'terminate', atMs: fromMs, replica: drawReplica(chance, draw) })],
    [8, () => drawAwsFault(chance, fromMs)],
    [4, () => drawKubeFault(chance, fromMs)],
    [6, () => drawStaleReads(chance)],
    [2, () => ({ kind: 'apiDown', fromMs, forMs: chance.whole(500, 40_000) })],
    [6, () => drawWatchFault(chance, fromMs)],
    [draw.election ? 4 : 0, () => drawLeaseFault(chance, draw, fromMs)],
  ])();
}

function watchesOf(plural: string): readonly string[] {
  return [`kube WATCH ${plural} from the start`, `kube WATCH ${plural} on`];
}

function drawReplica(chance: Chance, { replicas }: FaultDraw): number {
  return chance.whole(0, replicas - 1);
}

/** Mostly from the beginning on, where most of the creates are. */
function drawStaleReads(chance: Chance): Fault {
  return {
    kind: 'staleReads',
    fromMs: chance.whole(0, 30_000),
    forMs: chance.whole(3000, 60_000),
    ageMs: chance.whole(500, 3000),
  };
}

function drawWatchFault(chance: Chance, fromMs: number): Fault {
  return chance.weighted<() => Fault>([
    [
      3,
      () => ({
        kind: 'watchLag',
        fromMs,
        forMs: chance.whole(3000, 60_000),
        lagMs: chance.whole(200, 3000),
      }),
    ],
    [1, () => ({ kind: 'watchTwice', fromMs, forMs: 60_000 })],
    [
      2,
      () => ({
        kind: chance.one(['watchSilent', 'watchBroken', 'compaction'] as const),
        atMs: fromMs,
      }),
    ],
  ])();
}

function drawLeaseFault(chance: Chance, draw: FaultDraw, fromMs: number): Fault {
  const replica = drawReplica(chance, draw);
  return chance.weighted<() => Fault>([
    [3, () => ({ kind: 'partition', fromMs, forMs: chance.whole(5000, 60_000), replica })],
    [1, () => ({ kind: chance.one(['leaseDeleted', 'leaseStolen'] as const), atMs: fromMs })],
  ])();
}

function drawCrash(chance: Chance): Fault {
  const label = chance.happens(0.8) ? chance.one(HOT) : chance.one(PORT_OPERATIONS);
  return {
    kind: 'crash',
    label,
    phase: chance.one(PHASES),
    nth: chance.weighted([
      [5, 1],
      [3, 2],
      [2, 3],
      [1, 6],
    ]),
    restartMs: chance.one([500, 2000, 20_000]),
  };
}

function drawFreeze(chance: Chance): Fault {
  const nth = chance.whole(1, 3);
  const label = chance.happens(0.5) ? chance.one(EARLY) : chance.one(HOT);
  return { kind: 'freeze', label, nth, forMs: chance.one([3000, 17_000, 40_000]) };
}

function drawAwsFault(chance: Chance, fromMs: number): Fault {
  const isOutage = chance.happens(0.2);
  return {
    kind: 'aws',
    effect: isOutage
      ? chance.one(['dropped', 'throttled', 'failing'] as const)
      : chance.one(AWS_EFFECTS),
    operation: isOutage ? '*' : chance.one(AWS_OPERATIONS),
    // From the beginning on, where most of the calls are.
    fromMs: chance.happens(0.5) ? 0 : fromMs,
    forMs: isOutage ? chance.whole(5000, 60_000) : 300_000,
    times: isOutage ? 1000 : chance.whole(1, 4),
  };
}

function drawKubeFault(chance: Chance, fromMs: number): Fault {
  return {
    kind: 'kube',
    effect: chance.one(KUBE_EFFECTS),
    label: chance.one(KUBE_LABELS),
    fromMs: chance.happens(0.5) ? 0 : fromMs,
    forMs: 300_000,
    times: chance.whole(1, 4),
  };
}
