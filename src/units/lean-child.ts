import type { KubeObject } from '../core/kube-object.ts';
import { withDigests } from '../core/with-digests.ts';
import { withLeanMetadata } from '../kube/object-cache-ingest.ts';

/** What is set in a pod, a Deployment or a Service, or read from one. */
const SPEC_FIELDS: ReadonlySet<string> = new Set([
  ...['nodeName', 'replicas', 'paused', 'template', 'metadata', 'spec'],
  ...['automountServiceAccountToken', 'terminationGracePeriodSeconds', 'securityContext'],
  ...['seccompProfile', 'type', 'allowPrivilegeEscalation'],
  ...['containers', 'name', 'image', 'command', 'args', 'env', 'value'],
  ...['readinessProbe', 'tcpSocket', 'httpGet', 'exec', 'grpc', 'periodSeconds'],
  ...['ports', 'port', 'containerPort', 'targetPort', 'protocol'],
]);
/** Kept with whatever fields they have. */
const LABELS: ReadonlySet<string> = new Set(['selector', 'labels']);

/** What decides which fields of it are desired. */
const DECIDING_FIELDS: ReadonlySet<string> = new Set([
  ...['nodeName', 'replicas', 'paused', 'template', 'spec', 'containers', 'name'],
  ...['readinessProbe', 'tcpSocket', 'httpGet', 'exec', 'grpc'],
]);

const STATUS_FIELDS: ReadonlySet<string> = new Set([
  ...['observedGeneration', 'replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas'],
  ...['phase', 'startTime', 'conditions', 'type', 'status', 'lastTransitionTime'],
  ...['containerStatuses', 'name', 'restartCount', 'state', 'lastState', 'waiting', 'terminated'],
  ...['reason', 'message', 'exitCode', 'startedAt', 'finishedAt'],
]);

/** As JSON, in characters. */
const LONGEST_PART = 8192;
const MOST_ITEMS = 32;

interface Child extends KubeObject {
  readonly spec?: { readonly selector?: object };
  readonly status?: object;
}

/**
 * Anybody may make objects of any size that carry our labels and name an owner of ours, so no child is
 * held whole: of its spec and status only what is compared and read, and what is long as its digest.
 */
export function leanChild(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, spec, status }: Child = withLeanMetadata(object);
  return {
    apiVersion,
    kind,
    metadata,
    ...(spec !== undefined && { spec: leanSpec(spec) }),
    ...(status !== undefined && { status: leanStatus(status) }),
  };
}

/** One that is too long even so differs from every desired one, and is applied in every pass. */
function leanSpec(spec: NonNullable<Child['spec']>): unknown {
  const lean = withDigests(onlyFields(spec, SPEC_FIELDS));
  if (isShort(lean)) return lean;
  const { selector: _unbounded, ...bounded } = spec;
  return withDigests(onlyFields(bounded, DECIDING_FIELDS));
}

function leanStatus(status: NonNullable<Child['status']>): unknown {
  const lean = onlyFields(status, STATUS_FIELDS);
  return isShort(lean) ? lean : withDigests(lean);
}

function isShort(part: unknown): boolean {
  return JSON.stringify(part).length <= LONGEST_PART;
}

function onlyFields(value: unknown, fields: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) {
    return value.slice(0, MOST_ITEMS).map((item) => onlyFields(item, fields));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([field, inner]) => {
      if (LABELS.has(field)) return [[field, inner]];
      return fields.has(field) ? [[field, onlyFields(inner, fields)]] : [];
    }),
  );
}
