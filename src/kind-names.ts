/**
 * What ALBRIDGE_KINDS turns on and off, in the order in which they are wired. Each has a component of
 * its name in deploy/components.
 */
export const KIND_NAMES = [
  'myingress',
  'configmonitor',
  'configmap-annotation',
  'immortalcontainer',
  'myapp',
  'webapp',
] as const;

export type KindName = (typeof KIND_NAMES)[number];
