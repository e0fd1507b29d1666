import type { Scenario } from './scenario.ts';

/** A world in which the operator once broke a promise, shrunk to what it takes. */
export interface Regression {
  /** What was broken, and what mended it. */
  readonly why: string;
  /** The seed that found it; the generator has changed since, so the scenario is kept. */
  readonly seed: number;
  readonly scenario: Scenario;
}
