import type { MyIngress } from '../../../apis/my-ingress.ts';

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
