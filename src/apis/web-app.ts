import type { CustomResource } from './custom-resource.ts';
import type { WebAppSpec, WebAppStatus } from './types/web-app.ts';

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

/** A stored WebApp; `spec` may be missing in one that an older CRD admitted. */
export type WebApp = CustomResource<typeof webAppKind, WebAppSpec, WebAppStatus>;
