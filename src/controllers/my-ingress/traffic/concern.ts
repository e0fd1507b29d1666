import { loadBalancerFinalizer, type MyIngress } from '../../../apis/my-ingress.ts';
import { isPlanOnly } from '../../../core/objects/annotations.ts';

/** True where the object has anything beside its balancer, or may have something left of it in AWS. */
export function hasTraffic(object: MyIngress): boolean {
  const { backends = [], listeners = [] } = object.spec ?? {};
  return backends.length + listeners.length > 0 || hasLeftovers(object);
}

/** True where status records something that albridge may have to delete. */
export function hasLeftovers({ status }: MyIngress): boolean {
  const { securityGroup, targetGroups = [] } = status?.owned ?? {};
  const count = targetGroups.length + (status?.listeners ?? []).length;
  return count > 0 || securityGroup !== undefined;
}

/** True where nothing of the object was ever executed, nor will be as it is; its finalizer would show that it was. */
export function isOnlyPlanned(object: MyIngress): boolean {
  const { finalizers = [] } = object.metadata;
  return isPlanOnly(object) && !finalizers.includes(loadBalancerFinalizer);
}
