import type { Chance } from './chance.ts';
import { drawTakenBackSteps } from './config-monitor/taken-back.ts';
import { drawImmortalSteps } from './immortal-container/steps.ts';
import { drawMyIngressSteps } from './my-ingress/steps.ts';
import type { Fault, Scenario, Settings } from './scenario.ts';

/** Longer than a Lease lasts, but for the first: the other replica leads when the process goes on. */
const FREEZES_MS = [8000, 16_000, 25_000, 60_000] as const;
/** Before and in the middle of what a leader decides by what it has read. */
const LABELS = [
  'kube LIST pods',
  'kube GET deployments',
  'kube PATCH configmonitors/status apply',
  'kube PATCH deployments apply',
  'kube POST pods/eviction',
  'kube DELETE pods',
  'kube POST pods',
  'kube PUT leases',
  'kube PATCH immortalcontainers/status apply',
  'kube PATCH myingresses/status apply',
  'aws CreateLoadBalancer',
  'aws DescribeTags',
] as const;

/**
 * A scenario of what has hurt most: two replicas whose clocks differ, a leader that stands still for longer
 * than its Lease lasts, and data that is taken back or missing while pods are born.
 */
export function drawDirected(
  chance: Chance,
  { seed, settings, lengthMs }: { seed: number; settings: Settings; lengthMs: number },
): Scenario {
  const others = chance.happens(0.5)
    ? [...drawMyIngressSteps(chance, lengthMs), ...drawImmortalSteps(chance, lengthMs)]
    : [];
  const steps = [...others, ...drawTakenBackSteps(chance, lengthMs)];
  return {
    seed,
    settings: {
      ...settings,
      replicas: 2,
      election: true,
      wallSkewMs: chance.one([0, -86_400_000, -20_000, 20_000, 86_400_000]),
    },
    steps: steps.toSorted((a, b) => a.atMs - b.atMs),
    // Without one nothing excuses a pod that has kept other data.
    faults: chance.happens(0.5) ? drawDirectedFaults(chance, lengthMs) : [],
  };
}

function drawDirectedFaults(chance: Chance, lengthMs: number): readonly Fault[] {
  const freezes = chance.times(chance.whole(1, 3), (): Fault => {
    const forMs = chance.one(FREEZES_MS);
    return { kind: 'freeze', label: chance.one(LABELS), nth: chance.whole(1, 12), forMs };
  });
  const fromMs = chance.whole(10_000, lengthMs);
  const forMs = chance.whole(5000, 60_000);
  const more = chance.weighted<() => readonly Fault[]>([
    [3, () => []],
    [1, () => [{ kind: 'watchLag', fromMs, forMs, lagMs: chance.whole(200, 3000) }]],
    [1, () => [{ kind: 'partition', fromMs, forMs, replica: chance.whole(0, 1) }]],
    [1, () => [{ kind: chance.one(['leaseStolen', 'leaseDeleted'] as const), atMs: fromMs }]],
    [1, () => [{ kind: 'terminate', atMs: fromMs, replica: chance.whole(0, 1) }]],
  ])();
  return [...freezes, ...more];
}
