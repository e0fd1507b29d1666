import { Children } from '../core/children/children.ts';
import { digestLongTexts } from '../core/objects/digests.ts';
import {
  formatLabelSelector,
  type KubeObject,
  type ObjectMeta,
  type ResourceKind,
} from '../core/objects/kube-object.ts';
import { type Transform, trimMetadata } from '../core/objects/trim-metadata.ts';
import { createChildWriter } from '../kube/write/child-writer.ts';
import { LONGEST_POD_TEMPLATE } from '../pods/pod-template.ts';
import type { SetupContext } from './context.ts';

export interface LabelledKind {
  readonly kind: ResourceKind;
  readonly owner: ResourceKind;
  /** On every child that we make. */
  readonly labels: Readonly<Record<string, string>>;
  /** Reduces each to what is held of it; `trimChild` where it is left out. */
  readonly transform?: Transform;
}

/**
 * Only what carries our labels is watched. A child that has lost one looks deleted: the pass finds it
 * by its name and puts the label back.
 */
export function watchLabelledChildren<T extends KubeObject>(
  context: SetupContext,
  { kind, owner, labels, transform = trimChild }: LabelledKind,
): Children<T> {
  return new Children<T>({
    cache: context.watch<T>(kind, {
      labelSelector: formatLabelSelector(labels),
      transform,
    }),
    writer: createChildWriter(context.client, [kind], transform),
    owner,
    clock: context.ports.clock,
  });
}

/** Fields that are set in a pod, a Deployment or a Service, or read from one. */
const SPEC_FIELDS: ReadonlySet<string> = new Set([
  ...['nodeName', 'replicas', 'paused', 'template', 'metadata', 'spec'],
  ...['automountServiceAccountToken', 'terminationGracePeriodSeconds', 'securityContext'],
  ...['seccompProfile', 'type', 'allowPrivilegeEscalation'],
  ...['containers', 'name', 'image', 'command', 'args', 'env', 'value'],
  ...['readinessProbe', 'tcpSocket', 'httpGet', 'exec', 'grpc', 'periodSeconds'],
  ...['readinessGates', 'conditionType', 'lifecycle', 'preStop', 'sleep', 'seconds'],
  ...['ports', 'port', 'containerPort', 'targetPort', 'protocol'],
]);
/** Kept with whatever fields they have. */
const LABELS: ReadonlySet<string> = new Set(['selector', 'labels']);

/** Fields that decide which other fields are desired. */
const DECIDING_FIELDS: ReadonlySet<string> = new Set([
  ...['nodeName', 'replicas', 'paused', 'template', 'spec', 'containers', 'name'],
  ...['readinessProbe', 'tcpSocket', 'httpGet', 'exec', 'grpc', 'terminationGracePeriodSeconds'],
  ...['readinessGates', 'conditionType', 'lifecycle', 'preStop', 'sleep', 'seconds'],
]);

const STATUS_FIELDS: ReadonlySet<string> = new Set([
  ...['observedGeneration', 'replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas'],
  ...['phase', 'startTime', 'conditions', 'type', 'status', 'lastTransitionTime'],
  ...['containerStatuses', 'name', 'restartCount', 'state', 'lastState', 'waiting', 'terminated'],
  ...['reason', 'message', 'exitCode', 'startedAt', 'finishedAt'],
]);

/** As JSON, in characters. */
const LONGEST_PART = 8192;
/** A `podTemplate` with what albridge and the API server add to it. */
const LONGEST_TEMPLATE = LONGEST_POD_TEMPLATE + LONGEST_PART;
/** Of a Service: the most that a WebApp may set, and as much by others. */
const LONGEST_ANNOTATIONS = 2 * 16 * (317 + 256);
const MOST_ITEMS = 32;

interface Child extends KubeObject {
  readonly spec?: { readonly selector?: object };
  readonly status?: object;
}

/**
 * Anybody may make objects of any size that carry our labels and name an owner of ours, so no child is
 * held whole: of its spec and status only what is compared and read, and what is long as its digest.
 */
export function trimChild(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, spec, status }: Child = trimMetadata(object);
  return {
    apiVersion,
    kind,
    metadata: kind === 'Service' ? holdAnnotations(metadata, object.metadata) : metadata,
    ...(spec !== undefined && { spec: holdTemplate(kind, spec) ?? trimSpec(spec) }),
    ...(status !== undefined && { status: trimStatus(status) }),
  };
}

/** Those of a Service too, which a WebApp may have set. Of too many, none: it is applied in every pass. */
function holdAnnotations(trimmed: ObjectMeta, { annotations }: ObjectMeta): ObjectMeta {
  const held = digestLongTexts(annotations ?? {}) as Readonly<Record<string, string>>;
  if (Object.keys(held).length === 0 || !isShort(held, LONGEST_ANNOTATIONS)) return trimmed;
  return { ...trimmed, annotations: { ...held, ...trimmed.annotations } };
}

/** A template with all that a WebApp's `podTemplate` may have set in it; undefined: none, or too long. */
function holdTemplate(kind: string, spec: NonNullable<Child['spec']>): unknown {
  if (kind !== 'Deployment') return undefined;
  const whole = digestLongTexts(spec);
  return isShort(whole, LONGEST_TEMPLATE) ? whole : undefined;
}

/** One that is too long even so differs from every desired one, and is applied in every pass. */
function trimSpec(spec: NonNullable<Child['spec']>): unknown {
  const trimmed = digestLongTexts(pickFields(spec, SPEC_FIELDS));
  if (isShort(trimmed)) return trimmed;
  const { selector: _unbounded, ...bounded } = spec;
  return digestLongTexts(pickFields(bounded, DECIDING_FIELDS));
}

function trimStatus(status: NonNullable<Child['status']>): unknown {
  const trimmed = pickFields(status, STATUS_FIELDS);
  return isShort(trimmed) ? trimmed : digestLongTexts(trimmed);
}

function isShort(part: unknown, longest = LONGEST_PART): boolean {
  return JSON.stringify(part).length <= longest;
}

function pickFields(value: unknown, fields: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) {
    // A digest stands for all texts of a list.
    if (value.every((item) => typeof item === 'string')) return value;
    return value.slice(0, MOST_ITEMS).map((item) => pickFields(item, fields));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([field, inner]) => {
      if (LABELS.has(field)) return [[field, inner]];
      return fields.has(field) ? [[field, pickFields(inner, fields)]] : [];
    }),
  );
}
