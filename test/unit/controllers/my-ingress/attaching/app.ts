import type { AttachingObject } from '../../../../../src/controllers/my-ingress/attaching/attaching-object.ts';
import type { TrafficSpec } from '../../../../../src/controllers/my-ingress/routes/traffic-spec.ts';

/** A MyIngress with one listener that takes rules. */
export const PLAIN: TrafficSpec = { listeners: [{ port: 80, protocol: 'HTTP' }] };

interface Draft {
  readonly namespace?: string;
  readonly createdAt?: string;
  readonly hosts?: readonly string[];
  readonly paths?: readonly string[];
  readonly listeners?: readonly number[];
}

/** An object that attaches one rule, by default for the host of its name. */
export function draftApp(name: string, draft: Draft = {}): AttachingObject {
  const { namespace = 'web', createdAt = '2026-01-01T00:00:00Z', ...conditions } = draft;
  return {
    ...{ kind: 'WebApp', namespace, name, createdAt, ingress: 'web/shared' },
    backends: [{ name: 'app', service: { name, port: 80 } }],
    rules: [
      { name: 'app', hosts: [`${name}.example.com`], ...conditions, forward: [{ backend: 'app' }] },
    ],
  };
}
