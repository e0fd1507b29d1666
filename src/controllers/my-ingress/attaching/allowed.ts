import type { MyIngress } from '../../../apis/my-ingress.ts';

export type AllowedNamespaces = NonNullable<MyIngress['spec']['allowedNamespaces']>;

/** Labels of a namespace; undefined: not known yet. */
export type ReadLabels = (namespace: string) => Readonly<Record<string, string>> | undefined;

/**
 * True where objects of the namespace may attach to a MyIngress of the namespace `own`; pure. undefined: its labels
 * are not known.
 */
export function isAllowed(
  { from, selector }: AllowedNamespaces,
  { own, namespace }: { readonly own: string; readonly namespace: string },
  readLabels: ReadLabels,
): boolean | undefined {
  if (namespace === own || from === 'All') return true;
  if (from === 'Same') return false;
  const labels = readLabels(namespace);
  if (labels === undefined) return undefined;
  const required = Object.entries(selector?.matchLabels ?? {});
  return (
    required.length > 0 &&
    required.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)
  );
}
