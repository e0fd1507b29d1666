import type { CustomResource } from './custom-resource.ts';
import type { ImmortalContainerSpec, ImmortalContainerStatus } from './types/immortal-container.ts';

/** Names the API resource, in the form in which the core takes it. */
export const immortalContainerKind = {
  group: 'immortalcontainer.flugel.it',
  version: 'v1alpha1',
  kind: 'ImmortalContainer',
  plural: 'immortalcontainers',
} as const;

export type { ImmortalContainerStatus };

/** A stored ImmortalContainer; `spec` may be missing in one that an older CRD admitted. */
export type ImmortalContainer = CustomResource<
  typeof immortalContainerKind,
  ImmortalContainerSpec,
  ImmortalContainerStatus
>;
