import type { Scenario, Step } from './scenario.ts';

/** A world in which the operator once broke a promise, shrunk to what it takes. */
export interface Regression {
  /** What was broken, and what mended it. */
  readonly why: string;
  /** The seed that found it; the generator has changed since, so the scenario is kept. */
  readonly seed: number;
  readonly scenario: Scenario;
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
