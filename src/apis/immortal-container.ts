import type { CustomResource } from './custom-resource.ts';
import type { immortalContainerSchema } from './immortal-container-schema.ts';
import type { Infer } from './infer.ts';

/** Names the API resource, in the form in which the core takes it. */
export const immortalContainerKind = {
  group: 'immortalcontainer.flugel.it',
  version: 'v1alpha1',
  kind: 'ImmortalContainer',
  plural: 'immortalcontainers',
} as const;

type Properties = (typeof immortalContainerSchema)['properties'];

/** The spec. */
type ImmortalContainerSpec = Infer<Properties['spec']>;

/** The last reported status; `observedGeneration` is -1 until albridge has reconciled the object. */
export type ImmortalContainerStatus = Infer<Properties['status']>;

/** A stored ImmortalContainer; `spec` may be missing in one that an older CRD admitted. */
export type ImmortalContainer = CustomResource<
  typeof immortalContainerKind,
  ImmortalContainerSpec,
  ImmortalContainerStatus
>;
