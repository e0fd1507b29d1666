// Written by deploy/kind-lists.ts; run `npm run gen` after a change of src/setup/kinds.ts.

/** The names in ALBRIDGE_KINDS. */
export const KIND_NAMES = [
  'myingress',
  'configmonitor',
  'configmap-annotation',
  'immortalcontainer',
  'myapp',
  'webapp',
] as const;

export type KindName = (typeof KIND_NAMES)[number];
