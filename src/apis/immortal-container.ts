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

/** What the user wants. */
export type ImmortalContainerSpec = Infer<Properties['spec']>;

/** What albridge last saw and did; `observedGeneration` is -1 until it has looked at the object. */
export type ImmortalContainerStatus = Infer<Properties['status']>;

/** metadata of a namespaced object as the API server stores it; times are RFC 3339. */
export interface ImmortalContainerMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A stored ImmortalContainer; `spec` may be missing in one that an older CRD admitted. */
export interface ImmortalContainer {
  readonly apiVersion: `${(typeof immortalContainerKind)['group']}/${(typeof immortalContainerKind)['version']}`;
  readonly kind: (typeof immortalContainerKind)['kind'];
  readonly metadata: ImmortalContainerMetadata;
  readonly spec: ImmortalContainerSpec;
  readonly status: ImmortalContainerStatus;
}
