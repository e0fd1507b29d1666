import type * as elb from '@aws-sdk/client-elastic-load-balancing-v2';
import { cut } from '../../core/objects/collections.ts';
import type { AwsCall } from '../client/aws-call.ts';
import { allowAbsence } from '../client/aws-errors.ts';
import { normaliseAddress, type Target, type TargetHealth, type Targets } from './traffic.ts';

/**
 * AWS states no bound for targets of one call; its controller sends 200, a number of the ELB team.
 * https://github.com/kubernetes-sigs/aws-load-balancer-controller/pull/1342
 */
const MOST_TARGETS = 200;

/** Targets over AWS. */
export function createTargets(call: AwsCall): Targets {
  const change =
    (operation: 'RegisterTargets' | 'DeregisterTargets'): Targets['register'] =>
    async (targetGroupArn, targets, signal) => {
      const subject = `target group ${targetGroupArn}`;
      for (const some of cut(targets.map(toTarget), MOST_TARGETS)) {
        await call(
          operation,
          { TargetGroupArn: targetGroupArn, Targets: some },
          { subject, ...(signal && { signal }) },
        );
      }
    };
  return {
    async readHealth(targetGroupArn, signal) {
      const subject = `target group ${targetGroupArn}`;
      const input = { TargetGroupArn: targetGroupArn };
      const reading = call('DescribeTargetHealth', input, { subject, signal });
      const answer = await allowAbsence('DescribeTargetHealth', reading);
      return answer?.TargetHealthDescriptions?.flatMap((one) => shapeHealth(one) ?? []);
    },
    register: change('RegisterTargets'),
    deregister: change('DeregisterTargets'),
  };
}

function toTarget({ id, port, zone }: Target): elb.TargetDescription {
  return { Id: id, Port: port, ...(zone !== undefined && { AvailabilityZone: zone }) };
}

function shapeHealth(from: elb.TargetHealthDescription): TargetHealth | undefined {
  const { Id: id, Port: port, AvailabilityZone: zone } = from.Target ?? {};
  const { State: state, Reason: reason, Description: description } = from.TargetHealth ?? {};
  if (!id || !port || !state) return undefined;
  return {
    ...{ id: normaliseAddress(id), port, state },
    ...(zone && { zone }),
    ...(reason && { reason }),
    ...(description && { description }),
  };
}
