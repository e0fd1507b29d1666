import { type AwsOperation, isWrite, operations } from '../../../src/aws/client/operations.ts';
import type { Chance } from '../chance.ts';
import { drawFaults, type FaultDraw } from '../faults.ts';
import { type AwsEffect, type Fault, PHASES } from '../scenario.ts';

/** What is done to listeners, rules, groups and targets; of the table that the operator itself goes by. */
const WRITES = (Object.keys(operations) as readonly AwsOperation[]).filter(
  (name) => isWrite(name) && !/LoadBalancer|SetSubnets|SetIpAddressType/.test(name),
);
const READS = (Object.keys(operations) as readonly AwsOperation[]).filter(
  (name) => !isWrite(name) && !name.includes('LoadBalancer'),
);
const WATCHES = ['services', 'endpointslices'].flatMap((plural) => [
  `kube WATCH ${plural} from the start`,
  `kube WATCH ${plural} on`,
]);
const EFFECTS: readonly AwsEffect[] = [
  ...(['lost', 'late', 'twice', 'dropped', 'unanswered', 'throttled', 'failing', 'html'] as const),
];
/** What is made needs a moment before others can refer to it. */
const FOLLOWERS = ['CreateRule', 'RegisterTargets', 'AddListenerCertificates'] as const;
const DELETIONS = ['DeleteTargetGroup', 'DeleteSecurityGroup'] as const;

export function drawTrafficFaults(chance: Chance, draw: FaultDraw): readonly Fault[] {
  const count = chance.whole(1, 4);
  return chance.times(count, () => drawFault(chance, draw)).flat();
}

function drawFault(chance: Chance, draw: FaultDraw): readonly Fault[] {
  const fromMs = chance.happens(0.5) ? 0 : chance.whole(0, draw.lengthMs);
  const window = { fromMs, forMs: 300_000, times: chance.whole(1, 4) };
  return chance.weighted<() => readonly Fault[]>([
    [4, () => [drawCrash(chance)]],
    [1, () => [drawFreeze(chance)]],
    [
      5,
      () => [
        {
          ...{ kind: 'aws', effect: chance.one(EFFECTS), ...window },
          operation: chance.happens(0.8) ? chance.one(WRITES) : chance.one(READS),
        },
      ],
    ],
    [1, () => [{ kind: 'aws', effect: 'notVisible', operation: chance.one(FOLLOWERS), ...window }]],
    [1, () => [{ kind: 'aws', effect: 'inUse', operation: chance.one(DELETIONS), ...window }]],
    [3, () => drawFaults(chance, draw)],
  ])();
}

function drawCrash(chance: Chance): Fault {
  const label = chance.happens(0.85) ? `aws ${chance.one(WRITES)}` : chance.one(WATCHES);
  const nth = chance.weighted([
    [5, 1],
    [3, 2],
    [2, 4],
  ]);
  const restartMs = chance.one([500, 2000, 20_000]);
  return { kind: 'crash', label, phase: chance.one(PHASES), nth, restartMs };
}

function drawFreeze(chance: Chance): Fault {
  const forMs = chance.one([3000, 17_000, 40_000]);
  return { kind: 'freeze', label: `aws ${chance.one(WRITES)}`, nth: chance.whole(1, 4), forMs };
}
