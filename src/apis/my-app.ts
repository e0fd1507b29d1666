import type { CustomResource } from './custom-resource.ts';
import type { MyAppSpec, MyAppStatus } from './types/my-app.ts';

/** Names the API resource, in the form in which the core takes it. */
export const myAppKind = {
  group: 'demo.rtfm.co.ua',
  version: 'v1',
  kind: 'MyApp',
  plural: 'myapps',
} as const;

export type { MyAppSpec, MyAppStatus };

/** A stored MyApp; `spec`, and in it `image`, may be missing in one that an older CRD admitted. */
export type MyApp = CustomResource<typeof myAppKind, MyAppSpec, MyAppStatus>;
