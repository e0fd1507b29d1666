import type { TargetGroup } from '../../../localstack/embedded/target-groups/target-group.ts';
import type { MyIngressSpec } from '../../../src/apis/my-ingress.ts';
import { attributeDefaults } from '../../../src/controllers/my-ingress/target-groups/attribute-defaults.ts';
import { listDifferences } from './differences.ts';

type BackendSpec = NonNullable<MyIngressSpec['backends']>[number];

/** Every way in which the settings of a target group are not what the spec says of its backend. */
export function listBackendFaults(
  backend: BackendSpec,
  record: TargetGroup,
  isSettled: boolean,
): readonly string[] {
  const what = `backend ${backend.name}`;
  const attributes = listAttributes(backend);
  // It waits for rules that are deleted.
  const kept = Object.entries(attributes).filter(
    ([key]) => isSettled || !key.startsWith('stickiness.'),
  );
  return [
    ...listDifferences(what, { ...record.healthCheck }, desireHealthCheck(backend)),
    ...listDifferences(what, { protocol: record.protocol }, { protocol: protocolOf(backend) }),
    ...listDifferences(what, Object.fromEntries(record.attributes), Object.fromEntries(kept)),
  ];
}

/** docs/myingress.md: what leaves the spec, or is changed by others, is as it was without it. */
function desireHealthCheck(backend: BackendSpec): Readonly<Record<string, unknown>> {
  const { healthCheck = {}, protocolVersion } = backend;
  const isGrpc = protocolVersion === 'GRPC';
  return {
    ...{ protocol: protocolOf(backend), port: 'traffic-port' },
    ...{ path: isGrpc ? '/AWS.ALB/healthcheck' : '/', matcher: isGrpc ? '12' : '200' },
    ...{ intervalSeconds: 15, timeoutSeconds: 5, healthyThreshold: 2, unhealthyThreshold: 2 },
    ...healthCheck,
  };
}

function protocolOf({ protocol = 'HTTP' }: BackendSpec): string {
  return protocol;
}

function listAttributes({
  attributes = {},
  stickiness,
}: BackendSpec): Readonly<Record<string, string>> {
  const seconds = stickiness?.durationSeconds;
  const cookie = {
    'stickiness.enabled': String(seconds !== undefined),
    ...(seconds !== undefined && { 'stickiness.lb_cookie.duration_seconds': String(seconds) }),
  };
  return { ...attributeDefaults, ...cookie, ...attributes };
}
