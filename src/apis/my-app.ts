import type { CustomResource } from './custom-resource.ts';
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

/** The spec after admission: `replicas` has its default. */
export type MyAppSpec = Infer<Properties['spec']>;

/** The last reported status; `observedGeneration` is -1 until albridge has reconciled the object. */
export type MyAppStatus = Infer<Properties['status']>;

/** A stored MyApp; `spec`, and in it `image`, may be missing in one that an older CRD admitted. */
export type MyApp = CustomResource<typeof myAppKind, MyAppSpec, MyAppStatus>;
