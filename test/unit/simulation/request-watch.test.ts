import { expect, it } from 'vitest';
import { ownershipTagKeys, resourceTagKey } from '../../../src/apis/my-ingress.ts';
import { Claims } from '../../simulation/traffic/claims.ts';
import { RequestWatch } from '../../simulation/traffic/request-watch.ts';
import { call, createBalancer, seededModel } from '../localstack/seeded-model.ts';

/** The promises that break when the process of a target ends that has left its group before or after the first request. */
function judge(left: 'before' | 'after'): readonly string[] {
  const { aws, clock } = seededModel({ provisioningMs: 0 });
  const nowMs = (): number => clock.nowMs;
  const broken: string[] = [];
  const watch = new RequestWatch({
    ...{ world: aws.world, claims: new Claims('cluster', nowMs, () => 0), nowMs },
    ...{ isKept: () => true, wasDesired: () => false, desiresAny: () => true },
    report: (promise) => broken.push(promise),
  });
  const write = (operation: string, input: object): ReturnType<typeof call> => {
    clock.advance(1000);
    const answer = call(aws, operation, input);
    watch.changed();
    return answer;
  };
  const { cluster, uid, namespace, name } = ownershipTagKeys;
  const owner = { [cluster]: 'cluster', [uid]: 'uid', [namespace]: 'web', [name]: 'shop' };
  const group = write('CreateTargetGroup', {
    ...{ Name: 'web', Protocol: 'HTTP', Port: 80, VpcId: 'vpc-main', TargetType: 'ip' },
    Tags: Object.entries({ ...owner, [resourceTagKey]: 'target-group/spec/web' }).map(
      ([Key, Value]) => ({ Key, Value }),
    ),
  });
  const { TargetGroupArn } = group['TargetGroups'][0];
  const leaving = { TargetGroupArn, Targets: [{ Id: '10.0.0.9', Port: 8080 }] };
  write('RegisterTargets', leaving);
  if (left === 'before') write('DeregisterTargets', leaving);
  const { LoadBalancerArn } = createBalancer(aws, 'shop');
  write('CreateListener', {
    ...{ LoadBalancerArn, Protocol: 'HTTP', Port: 80 },
    DefaultActions: [{ Type: 'forward', TargetGroupArn }],
  });
  if (left === 'after') write('DeregisterTargets', leaving);
  watch.ended(['10.0.0.9']);
  return broken;
}

it('requests are sent to a target for a while after it has left its group', () => {
  expect(judge('after')).toEqual(['no-request-to-ended-pod']);
});

it('no request is sent to a target that had left before its group was used', () => {
  expect(judge('before')).toEqual([]);
});
