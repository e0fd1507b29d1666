import * as fc from 'fast-check';

/** One of the values, each as often as its weight says. */
export function weighed<Value>(
  ...all: readonly (readonly [weight: number, value: Value])[]
): fc.Arbitrary<Value> {
  return fc.oneof(...all.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));
}

/** The operations that can have the fault, and how it changes a step. */
export type FaultOf<Step> = readonly [concerned: RegExp, changes: Partial<Step>];

interface Faulty {
  readonly operation: string;
  readonly fault: string | undefined;
}

/** The step with what its fault changes; without the fault where its operation cannot have it. */
export function applyFault<Step extends Faulty>(
  step: Step,
  faults: Readonly<Record<NonNullable<Step['fault']>, FaultOf<Step>>>,
): Step {
  const fault: NonNullable<Step['fault']> | undefined = step.fault;
  const [concerned, changes] = (fault && faults[fault]) ?? [];
  if (concerned?.test(step.operation) !== true) return { ...step, fault: undefined };
  return { ...step, ...changes };
}
