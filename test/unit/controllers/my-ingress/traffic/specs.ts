import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import type { World } from '../world.ts';

export const web = { name: 'web', service: { name: 'web', port: 80 } };
export const api = { name: 'api', service: { name: 'api', port: 80 } };

/** Two backends by path, reached by HTTP. */
export const SHOP: Partial<MyIngressSpec> = {
  backends: [web, api],
  rules: [{ name: 'api', paths: ['/api/*'], forward: [{ backend: 'api' }] }],
  defaultAction: { forward: [{ backend: 'web' }] },
};

/** Ids of everything of ours beside the balancers. */
export function listIds(world: World): readonly string[] {
  return world.beside.map(({ tags }) => tags['albridge.io/resource'] ?? '').toSorted();
}
