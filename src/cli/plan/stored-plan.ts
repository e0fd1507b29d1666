// Lives here: plans: as the operator writes them in plan mode, and as its code computes them here for a file.
// May import it: src/cli.
// Start with: this file, then local-plans.ts.

import type { MyIngress } from '../../apis/my-ingress.ts';
import {
  isPaused,
  isPlanOnly,
  MODE_ANNOTATION,
  PAUSED_ANNOTATION,
} from '../../core/objects/annotations.ts';
import { findLeadingCondition } from '../../core/objects/conditions.ts';
import { CoreReason } from '../../core/reconcile/operator-error.ts';

/** A plan of one object, or why there is none. */
export interface ShownPlan {
  readonly namespace: string;
  readonly name: string;
  /** Undefined: there is none. */
  readonly plan?: Plan;
  /** Worth knowing: what cannot be planned, or why nothing is executed. */
  readonly notes: readonly string[];
  /** Why the plan is missing or out of date, with the next step: whether something would change is not known. */
  readonly failure?: string;
}

type Plan = NonNullable<MyIngress['status']['plan']>;

/** The plan that `status` has; pure. */
export function readStoredPlan(object: MyIngress): ShownPlan {
  const { namespace, name } = object.metadata;
  const { plan } = object.status ?? {};
  const failure = explainLack(object) ?? explainAge(object);
  const message = findLeading(object)?.message;
  return {
    ...{ namespace, name },
    ...(plan && { plan }),
    notes: failure === undefined && message !== undefined ? [message] : [],
    ...(failure !== undefined && { failure }),
  };
}

/** True where the operator is to write a plan, or has written one. */
export function hasPlan(object: MyIngress): boolean {
  return isPlanOnly(object) || object.status?.plan !== undefined;
}

function explainLack(object: MyIngress): string | undefined {
  const { namespace, name } = object.metadata;
  if (isPaused(object)) {
    return `it is paused, which comes before plan mode: kubectl annotate myingress ${name} -n ${namespace} ${PAUSED_ANNOTATION}-`;
  }
  if (object.status?.plan !== undefined) return undefined;
  if (!isPlanOnly(object)) {
    return `it is not in plan mode: kubectl annotate myingress ${name} -n ${namespace} ${MODE_ANNOTATION}=plan`;
  }
  const leading = findLeading(object);
  return leading === undefined || leading.type === 'Ready'
    ? 'the operator has not written the plan yet: try again in a moment; albridge doctor checks the operator'
    : `the operator could not plan it, ${leading.reason}: ${leading.message}`;
}

/** A plan of another generation, of before a failure, or of before its execution. */
function explainAge(object: MyIngress): string | undefined {
  const { generation } = object.metadata;
  const { plan } = object.status;
  if (plan?.generation !== generation) {
    return `the plan is of generation ${plan?.generation}, the object has ${generation}: the operator has not planned the edit yet, try again in a moment`;
  }
  const { reason = '', message = '' } = findLeading(object) ?? {};
  if (reason === CoreReason.ObserveMode) return undefined;
  if (reason !== CoreReason.Planned) {
    return `the plan is older than the last attempt, which ended in ${reason}: ${message}`;
  }
  if (isPlanOnly(object)) return undefined;
  return `the annotation ${MODE_ANNOTATION} was removed, so the plan is being executed: albridge status myingress/${object.metadata.name} shows how far it is`;
}

function findLeading({ status }: MyIngress): ReturnType<typeof findLeadingCondition> {
  return findLeadingCondition(status?.conditions ?? []);
}
