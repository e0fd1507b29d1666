import { isPaused } from '../../src/core/objects/annotations.ts';
import type { KubeObject } from '../../src/core/objects/kube-object.ts';
import type { Condition } from './owner-invariants.ts';
import type { Report } from './violation.ts';

/** An object of any kind, as far as what holds for all of them in the end goes. */
type Owner = KubeObject & {
  readonly status: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
  };
};

/**
 * In the end every object has been looked at in its newest form, and says so if it is paused. Gives
 * its condition Ready where there is more to check.
 */
export function checkOwner(object: Owner, report: Report): Condition | undefined {
  const { namespace = '', name, generation } = object.metadata;
  const { observedGeneration, conditions = [] } = object.status;
  const key = `${namespace}/${name}`;
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready === undefined) {
    report('converges', `${key} has no condition Ready`);
    return undefined;
  }
  if (observedGeneration !== generation) {
    report('observes-generation', `${key} was observed at ${observedGeneration}`);
    return undefined;
  }
  if (!isPaused(object)) return ready;
  if (ready.reason !== 'Paused') report('converges', `${key} is paused and says ${ready.reason}`);
  return undefined;
}
