import type { Chance } from '../chance.ts';
import type { ObjectName } from '../my-ingress/actions.ts';
import type { Scenario, Step } from '../scenario.ts';

const COUNT = 10;
const PORT = { name: 'http', port: 80 } as const;
const SPEC = {
  ...{ subnets: ['subnet-a', 'subnet-b'], defaultAction: { forward: [{ backend: 'web' }] } },
  backends: ['web', 'api'].map((name) => ({ name, service: { name, port: 80 } })),
};

/**
 * The scenario with a budget in which a few passes take each other's tokens: a namespace is given up just after
 * the operator has been updated, so that its process must read whatever it is to delete.
 */
export function withScarcity(scenario: Scenario, chance: Chance): Scenario {
  const bornMs = chance.whole(1000, 20_000);
  const atMs = chance.whole(160_000, 220_000);
  const names = Array.from({ length: COUNT }, (_, index): ObjectName => `web/given-up-${index}`);
  const given = names.flatMap((at, index): readonly Step[] => [
    { atMs: bornMs + index, myIngress: { do: 'create', at, spec: SPEC } },
    { atMs: atMs + chance.whole(0, 100), myIngress: { do: 'delete', at } },
  ]);
  const service = { do: 'apply', at: 'web/web', pods: 2, port: PORT } as const;
  const steps: readonly Step[] = [...scenario.steps, { atMs: bornMs - 1, service }, ...given];
  return {
    ...scenario,
    settings: { ...scenario.settings, budget: 'scarce' },
    steps: steps.toSorted((a, b) => a.atMs - b.atMs),
    faults: [...scenario.faults, { kind: 'terminate', atMs: atMs - 500, replica: 0 }],
  };
}
