const OBJECT = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

export const LONGEST_NAME = 253;

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-subdomain-names */
export function isObjectName(name: string): boolean {
  return name.length <= LONGEST_NAME && OBJECT.test(name);
}

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-label-names */
export function isNamespaceName(name: string): boolean {
  return NAMESPACE.test(name);
}
