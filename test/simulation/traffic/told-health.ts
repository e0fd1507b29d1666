import type { AwsWorld } from '../../../localstack/embedded/aws-world.ts';
import type { TargetGroup } from '../../../localstack/embedded/target-groups/target-group.ts';
import { healthOf } from '../../../localstack/embedded/target-groups/target-health.ts';
import type { MyIngress } from '../../../src/apis/my-ingress.ts';

/**
 * What the status does not know although AWS has said it since minutes: the health of registered targets, or that
 * they have become healthy. That a settled target is healthy no more is asked for in half an hour.
 */
export function listUntoldHealth({ status }: MyIngress, world: AwsWorld): readonly string[] {
  return (status?.backends ?? []).flatMap(({ name, targetGroupARN, healthy, registered = 0 }) => {
    const group = world.traffic.targetGroups.byArn(targetGroupARN ?? '');
    if (group === undefined || registered === 0) return [];
    const actual = countHealthy(world, group);
    if (healthy !== undefined && healthy >= actual) return [];
    return [`backend ${name} has ${actual} healthy targets, ${healthy ?? 'unknown'} by its status`];
  });
}

function countHealthy(world: AwsWorld, group: TargetGroup): number {
  const active = [...group.targets.values()].filter(
    ({ drainsUntilMs }) => drainsUntilMs === undefined,
  );
  return active.filter((target) => healthOf(world, group, target).state === 'healthy').length;
}
