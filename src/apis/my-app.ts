import type { Infer } from './infer.ts';
import type { myAppSchema } from './my-app-schema.ts';

/** Names the API resource, in the form in which the core takes it. */
export const myAppKind = {
  group: 'demo.rtfm.co.ua',
  version: 'v1',
  kind: 'MyApp',
  plural: 'myapps',
} as const;

type Properties = (typeof myAppSchema)['properties'];

/** What the user wants, after admission: `replicas` has its default. */
export type MyAppSpec = Infer<Properties['spec']>;

/** What albridge last saw and did; `observedGeneration` is -1 until it has looked at the object. */
export type MyAppStatus = Infer<Properties['status']>;

/** metadata of a namespaced object as the API server stores it; times are RFC 3339. */
export interface MyAppMetadata {
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

/** A stored MyApp; `spec`, and in it `image`, may be missing in one that an older CRD admitted. */
export interface MyApp {
  readonly apiVersion: `${(typeof myAppKind)['group']}/${(typeof myAppKind)['version']}`;
  readonly kind: (typeof myAppKind)['kind'];
  readonly metadata: MyAppMetadata;
  readonly spec: MyAppSpec;
  readonly status: MyAppStatus;
}
