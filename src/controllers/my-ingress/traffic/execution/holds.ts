import { isDeepStrictEqual } from 'node:util';
import type { QuotaCode } from '../../../../aws/elbv2/traffic.ts';
import { listWritten, type Operation, type Step } from '../../graph/steps.ts';

/** A step that AWS has refused because a quota is full: those of its class would be refused as well. */
export interface Hold {
  readonly step: Step;
  readonly code: QuotaCode;
}

/** undefined: nothing is known against the step. */
export function findHold(step: Step, holds: readonly Hold[]): Hold | undefined {
  return holds.find((hold) => {
    const counted = COUNTED[hold.code];
    if (counted !== undefined) return step.operation === counted;
    return (
      step.operation === hold.step.operation &&
      isDeepStrictEqual(listWritten(step), listWritten(hold.step))
    );
  });
}

/** A deletion may have made room. */
export function releaseHolds(holds: readonly Hold[], { operation }: Step): readonly Hold[] {
  return operation.startsWith('Delete') || operation.startsWith('Remove') ? [] : holds;
}

/** Each of these counts by one; any other quota depends on which target groups an action names. */
const COUNTED: Partial<Readonly<Record<QuotaCode, Operation>>> = {
  TooManyCertificates: 'AddListenerCertificates',
  TooManyListeners: 'CreateListener',
  TooManyRules: 'CreateRule',
  TooManyTargetGroups: 'CreateTargetGroup',
};
