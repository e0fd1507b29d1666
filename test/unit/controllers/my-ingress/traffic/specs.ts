import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';

export const web = { name: 'web', service: { name: 'web', port: 80 } };
export const api = { name: 'api', service: { name: 'api', port: 80 } };

/** Two backends by path, reached by HTTP. */
export const SHOP: Partial<MyIngressSpec> = {
  backends: [web, api],
  rules: [{ name: 'api', paths: ['/api/*'], forward: [{ backend: 'api' }] }],
  defaultAction: { forward: [{ backend: 'web' }] },
};
