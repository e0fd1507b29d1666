import type { MyIngress } from '../../apis/my-ingress.ts';
import type { LoadBalancerRef } from '../../aws/load-balancers.ts';
import { textOf, wantedName } from './desired.ts';
import { defaultName, type Identity } from './identity.ts';
import { recordedArn } from './record.ts';

/**
 * Where the deletion of an object looks for its balancer; pure. The recorded ARN, and wherever a
 * create may have put a balancer: under the name of the spec, and under the default one where
 * `spec.adopt` may have come later.
 */
export function placesOf(object: MyIngress, identity: Identity): readonly LoadBalancerRef[] {
  const adopted = textOf(object.spec?.adopt?.arn);
  const arn = recordedArn(object) ?? adopted;
  const names = new Set([
    wantedName(object.spec, identity),
    ...(adopted === undefined ? [] : [defaultName(identity)]),
  ]);
  return [...(arn === undefined ? [] : [{ arn }]), ...[...names].map((name) => ({ name }))];
}
