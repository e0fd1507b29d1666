import type { ObservedListener } from '../../../../../src/controllers/my-ingress/graph/graph.ts';
import type {
  RuleSpec,
  TrafficSpec,
} from '../../../../../src/controllers/my-ingress/routes/traffic-spec.ts';
import { MemoryAws } from './memory-aws.ts';
import { TrafficWorld } from './traffic-world.ts';

export const web = { name: 'web', service: { name: 'web', port: 80 } };
export const api = { name: 'api', service: { name: 'api', port: 80 } };
export const shop: TrafficSpec = {
  backends: [web, api],
  rules: [{ name: 'api', paths: ['/api/*'], forward: [{ backend: 'api' }] }],
  defaultAction: { forward: [{ backend: 'web' }] },
};
export const [WEB, API] = ['shop-web-f222a0f2', 'shop-api-5eb6e128'];

/** A world in which the spec is applied, and its AWS. */
export function settled(spec: TrafficSpec): {
  readonly world: TrafficWorld;
  readonly aws: MemoryAws;
} {
  const aws = new MemoryAws();
  const world = new TrafficWorld(aws);
  world.spec = spec;
  world.converge();
  world.nowMs += 60_000;
  return { world, aws };
}

export const tls = {
  ...{ port: 443, protocol: 'HTTPS' as const, certificates: ['arn:a', 'arn:b'] },
};

export const rule = (name: string): RuleSpec => ({
  ...{ name, paths: [`/${name}`], forward: [{ backend: 'api' }] },
});

export const withRules = (...names: readonly string[]): TrafficSpec => ({
  ...shop,
  rules: names.map(rule),
});

export function meddleRules(
  aws: MemoryAws,
  change: (listener: ObservedListener) => ObservedListener['rules'],
): void {
  aws.meddle(({ listeners }) => ({
    listeners: listeners.map((one) => ({ ...one, rules: change(one) })),
  }));
}
