import type { CustomResource } from './custom-resource.ts';
import type { Infer } from './infer.ts';
import type { webAppSchema } from './web-app-schema.ts';

/** Names the API resource, in the form in which the core takes it. */
export const webAppKind = {
  group: 'apps.example.com',
  version: 'v1',
  kind: 'WebApp',
  plural: 'webapps',
} as const;

/**
 * The value that the article's operator put into `app.kubernetes.io/managed-by`. It is part of the
 * selector of every Deployment, which cannot be changed, so it is kept: a Deployment that stood
 * before goes on as it is.
 */
export const webAppManagedBy = 'webapp-operator';

type Properties = (typeof webAppSchema)['properties'];

/** The spec after admission: `replicas` and `port` have their defaults. */
type WebAppSpec = Infer<Properties['spec']>;

/** The last reported status; `observedGeneration` is -1 until albridge has reconciled the object. */
type WebAppStatus = Infer<Properties['status']>;

/** A stored WebApp; `spec` may be missing in one that an older CRD admitted. */
export type WebApp = CustomResource<typeof webAppKind, WebAppSpec, WebAppStatus>;
