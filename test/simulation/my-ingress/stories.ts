import type { Chance } from '../chance.ts';
import { type Fault, PHASES, type Step } from '../scenario.ts';
import type { ObjectName, SpecPlan } from './actions.ts';

/** Steps and faults that belong together: by chance alone they meet too seldom. */
export interface Story {
  readonly steps: readonly Step[];
  readonly faults: readonly Fault[];
}

const AT: ObjectName = 'api/lost';
const SPEC: SpecPlan = { subnets: ['subnet-a', 'subnet-b'] };

/** The worst moment of all: a create whose answer is lost, old answers after it, and the object is deleted. */
export function drawLostCreate(chance: Chance): Story {
  const bornMs = chance.whole(0, 20_000);
  const deletedMs = bornMs + chance.whole(1, 4000);
  const again: Step = {
    atMs: deletedMs + chance.whole(1, 3000),
    myIngress: { do: 'create', at: AT, spec: { ...SPEC, subnets: ['subnet-b', 'subnet-c'] } },
  };
  const steps: readonly Step[] = [
    { atMs: bornMs, myIngress: { do: 'create', at: AT, spec: SPEC } },
    { atMs: deletedMs, myIngress: { do: 'delete', at: AT } },
    ...(chance.happens(0.3) ? [again] : []),
  ];
  const stale: Fault = { kind: 'staleReads', fromMs: 0, forMs: 40_000, ageMs: 3000 };
  return { steps, faults: [drawLoss(chance), stale] };
}

function drawLoss(chance: Chance): Fault {
  if (chance.happens(0.5)) {
    const restartMs = chance.one([500, 2000, 20_000]);
    const phase = chance.one(PHASES);
    return { kind: 'crash', label: 'aws CreateLoadBalancer', phase, nth: 1, restartMs };
  }
  return {
    kind: 'aws',
    effect: chance.one(['lost', 'late', 'twice'] as const),
    operation: 'CreateLoadBalancer',
    fromMs: 0,
    forMs: 60_000,
    times: chance.whole(1, 2),
  };
}
