import { PLAIN } from './plain-settings.ts';
import type { Fault, Scenario, Settings, Step } from './scenario.ts';

/** A world in which the operator once broke a promise, shrunk to what it takes. */
export interface Regression {
  /** What was broken, and what mended it. */
  readonly why: string;
  /** Of all chance in the run, as in the scenario that was found; the generator has changed since. */
  readonly seed: number;
  /** Where the world is not the simplest one. */
  readonly settings?: Partial<Settings>;
  readonly steps: readonly Step[];
  readonly faults?: readonly Fault[];
}

export function buildScenario({ seed, settings, steps, faults = [] }: Regression): Scenario {
  return { seed, settings: { ...PLAIN, ...settings }, steps, faults };
}

/** Creates balancers that take each other's tokens of a scarce budget, each a ms after the one before. */
export function createGivenUp(firstMs: number, numbers: readonly number[]): readonly Step[] {
  return numbers.map((number) => ({
    atMs: firstMs + number,
    myIngress: {
      do: 'create',
      at: `web/given-up-${number}`,
      spec: {
        subnets: ['subnet-a', 'subnet-b'],
        defaultAction: { forward: [{ backend: 'web' }] },
        backends: [
          { name: 'web', service: { name: 'web', port: 80 } },
          { name: 'api', service: { name: 'api', port: 80 } },
        ],
      },
    },
  }));
}
