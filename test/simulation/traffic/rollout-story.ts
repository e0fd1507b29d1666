import type { Chance } from '../chance.ts';
import type { MyIngressAction, ObjectName, SpecChange, SpecPlan } from '../my-ingress/actions.ts';
import type { Story } from '../my-ingress/stories.ts';
import type { Step } from '../scenario.ts';
import type { ServiceAction } from '../services/actions.ts';

const AT: ObjectName = 'web/shop';
const PORT = { name: 'http', port: 80 } as const;
const WEB = { name: 'web', service: { name: 'web', port: 80 } } as const;
const API = { name: 'api', service: { name: 'api', port: 'http' } } as const;
const TO_API = { name: 'api', paths: ['/api/*'], forward: [{ backend: 'api' }] } as const;
const SPEC: SpecPlan = {
  subnets: ['subnet-a', 'subnet-b', 'subnet-c'],
  ...{ scheme: 'internal', backends: [WEB, API], rules: [TO_API] },
  defaultAction: { forward: [{ backend: 'web' }] },
};

/**
 * Applications whose pods have readiness gates are rolled out: by themselves, while their target group is replaced,
 * while the object is paused, and as it lets them go.
 */
export function drawRolloutStory(chance: Chance): Story {
  const bornMs = chance.whole(5000, 12_000);
  const rolledMs = bornMs + chance.whole(25_000, 35_000);
  const replacedMs = chance.whole(90_000, 95_000);
  const pausedMs = chance.whole(125_000, 130_000);
  const removedMs = chance.whole(190_000, 195_000);
  const deletedMs = chance.whole(220_000, 225_000);
  const steps = [
    served(1000, { do: 'apply', at: 'web/web', pods: chance.whole(2, 4), port: PORT }),
    served(1000, { do: 'apply', at: 'web/api', pods: chance.whole(1, 3), port: PORT }),
    did(bornMs, { do: 'create', at: AT, spec: SPEC }),
    served(rolledMs, { do: 'roll', at: 'web/web' }),
    served(rolledMs + chance.whole(0, 10_000), { do: 'scale', at: 'web/api', pods: 4 }),
    served(rolledMs + chance.whole(15_000, 25_000), drawSecond(chance)),
    edited(replacedMs, { backends: [{ ...WEB, protocol: 'HTTPS' }, API] }),
    served(replacedMs + chance.whole(0, 2000), { do: 'roll', at: 'web/web' }),
    // A pass before AWS has checked any target of the successor.
    did(replacedMs + 1000, { do: 'request', at: AT, token: 'now' }),
    edited(pausedMs, { backends: [WEB, API] }),
    did(pausedMs + 600, { do: 'pause', at: AT }),
    served(pausedMs + chance.whole(1000, 5000), { do: 'roll', at: 'web/web' }),
    did(removedMs - 5000, { do: 'goOn', at: AT }),
    edited(removedMs, { backends: [WEB], rules: null }),
    served(removedMs + chance.whole(0, 3000), { do: 'roll', at: 'web/api' }),
    did(deletedMs, { do: 'delete', at: AT }),
    served(deletedMs + chance.whole(0, 3000), { do: 'roll', at: 'web/web' }),
  ];
  return { steps: steps.toSorted((a, b) => a.atMs - b.atMs), faults: [] };
}

function drawSecond(chance: Chance): ServiceAction {
  return chance.one<ServiceAction>([
    { do: 'roll', at: 'web/api' },
    { do: 'recreate', at: 'web/api' },
    { do: 'scale', at: 'web/api', pods: 1 },
  ]);
}

function served(atMs: number, service: ServiceAction): Step {
  return { atMs, service };
}

function did(atMs: number, myIngress: MyIngressAction): Step {
  return { atMs, myIngress };
}

function edited(atMs: number, change: SpecChange): Step {
  return did(atMs, { do: 'edit', at: AT, change });
}
