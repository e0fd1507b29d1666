import { type Fields, isFields } from '../core/objects/fields.ts';
import type { KubeObject } from '../core/objects/kube-object.ts';
import { boundMetadata, trimMetadata } from '../core/objects/trim-metadata.ts';
import { containerLimits, podLimits } from './pod.ts';

/** A user's `spec.podTemplate`; only the API server knows all fields of a pod. */
export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: Fields;
}

/** The fields that albridge sets in a pod, or in a pod template. */
export interface OwnPod {
  /** These win over the fields of a user's template. */
  readonly labels: Readonly<Record<string, string>>;
  readonly container: Fields & { readonly name: string };
  /** These give way to them. */
  readonly defaults?: { readonly pod?: object; readonly container?: object };
}

/**
 * The metadata and spec of the pods: what albridge sets, with the user's template over its defaults and
 * under its own fields. Containers are merged by name, so that a container of ours may be named there;
 * the others run next to it. The same for its own result.
 */
export function mergePodTemplate(
  own: OwnPod,
  template: PodTemplate = {},
): { readonly metadata: PodTemplate['metadata'] & object; readonly spec: Fields } {
  const { labels, annotations } = template.metadata ?? {};
  return {
    metadata: { labels: { ...labels, ...own.labels }, ...(annotations && { annotations }) },
    spec: mergeSpec(own, dropNulls(template.spec ?? {}) as Fields),
  };
}

function mergeSpec(own: OwnPod, template: Fields): Fields {
  const pod = { ...own.defaults?.pod } as Fields;
  const { initContainers } = template;
  const securityContext = mergeFields(
    mergeFields(podLimits.securityContext, pod['securityContext']),
    template['securityContext'],
  );
  const isNonRoot = isFields(securityContext) && securityContext['runAsNonRoot'] === true;
  const limit = (container: unknown): unknown => limitContainer(container, isNonRoot);
  return {
    ...podLimits,
    ...pod,
    ...template,
    securityContext,
    ...mergeGates(pod['readinessGates'], template['readinessGates']),
    ...(isList(initContainers) && { initContainers: initContainers.map(limit) }),
    containers: mergeContainers(own, template['containers']).map(limit),
  };
}

/** Ours stands where the template names it, or first: `kubectl logs` and `exec` take the first one. */
function mergeContainers(own: OwnPod, template: unknown): readonly unknown[] {
  const { container } = own;
  const listed = isList(template) ? template : [];
  const isOurs = (one: unknown): boolean => isFields(one) && one['name'] === container.name;
  if (!listed.some(isOurs)) return [mergeContainer(own, {}), ...listed];
  return listed.map((one) => (isOurs(one) ? mergeContainer(own, one as Fields) : one));
}

function mergeContainer({ container, defaults }: OwnPod, template: Fields): Fields {
  const given = { ...defaults?.container } as Fields;
  // In this order: pods know by a hash of it what they were written as.
  return {
    ...container,
    ...containerLimits,
    ...given,
    ...template,
    ...mergeField('lifecycle', given, template),
    ...mergeProbe(given['readinessProbe'], template['readinessProbe']),
    ...container,
    ...mergeList(container, template, PORTS),
    ...mergeList(container, template, VARIABLES),
  };
}

function mergeField(name: string, defaults: Fields, template: Fields): Fields {
  const merged = mergeFields(defaults[name] ?? {}, template[name]);
  return name in defaults || name in template ? { [name]: merged } : {};
}

/**
 * A probe has one way of asking: that of the template, or ours.
 * https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/#check-mechanisms
 */
function mergeProbe(given: unknown, template: unknown): Fields {
  if (given === undefined || !isFields(template) || hasMechanism(template)) return {};
  return { readinessProbe: mergeFields(given, template) };
}

const MECHANISMS = ['httpGet', 'tcpSocket', 'exec', 'grpc'];

function hasMechanism(probe: Fields): boolean {
  return MECHANISMS.some((mechanism) => mechanism in probe);
}

/** https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-readiness-gate */
function mergeGates(own: unknown, template: unknown): Fields {
  if (!isList(own) || !isList(template)) return {};
  return { readinessGates: unite(own, template, (gate) => gate['conditionType']) };
}

type Identify = (item: Fields) => unknown;

interface KeyedList {
  readonly name: string;
  readonly identify: Identify;
}

/** https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#ports */
const PORTS: KeyedList = {
  name: 'ports',
  identify: ({ containerPort, protocol = 'TCP' }) => JSON.stringify([containerPort, protocol]),
};

const VARIABLES: KeyedList = { name: 'env', identify: (variable) => variable['name'] };

function mergeList(own: Fields, template: Fields, { name, identify }: KeyedList): Fields {
  const [ours, theirs] = [own[name], template[name]];
  if (!isList(ours) || !isList(theirs)) return {};
  return { [name]: unite(ours, theirs, identify) };
}

/** Ours first, each over the item of theirs that is the same. */
function unite(
  ours: readonly unknown[],
  theirs: readonly unknown[],
  identify: Identify,
): readonly unknown[] {
  const isSame = (one: unknown, other: unknown): boolean =>
    isFields(one) && isFields(other) && identify(one) === identify(other);
  const merged = ours.map((item) =>
    mergeFields(
      theirs.find((other) => isSame(item, other)),
      item,
    ),
  );
  return [...merged, ...theirs.filter((item) => !ours.some((other) => isSame(item, other)))];
}

/**
 * A process that is not root and can gain no privileges has no capabilities, so none is lost where they
 * are dropped as `restricted` asks for: https://man7.org/linux/man-pages/man7/capabilities.7.html
 */
function limitContainer(container: unknown, isPodNonRoot: boolean): unknown {
  if (!isFields(container)) return container;
  const context = mergeFields(containerLimits.securityContext, container['securityContext']);
  if (!isFields(context)) return container;
  const { runAsNonRoot = isPodNonRoot, allowPrivilegeEscalation } = context;
  const isPowerless = runAsNonRoot === true && allowPrivilegeEscalation === false;
  const capabilities = isPowerless ? { capabilities: { drop: ['ALL'] } } : {};
  return { ...container, securityContext: { ...capabilities, ...context } };
}

function mergeFields(under: unknown, over: unknown): unknown {
  if (over === undefined) return under;
  return isFields(under) && isFields(over) ? { ...under, ...over } : over;
}

/** Leaves out each field that is null, as the API server reads it. */
export function dropNulls(value: unknown): unknown {
  if (isList(value)) return value.map(dropNulls);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([field, inner]) =>
      inner === null ? [] : [[field, dropNulls(inner)]],
    ),
  );
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/**
 * The part of a desired pod that is compared: of its spec, most of which cannot be changed, name and image of its own
 * container, and of its metadata what the cache holds. The API server sends labels in the order of their keys.
 */
export function selectComparedPart(
  { metadata, ...pod }: KubeObject,
  { name, image }: { readonly name: string; readonly image: string | undefined },
): KubeObject {
  const entries = Object.entries(metadata.labels ?? {});
  const labels = Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  const spec = { containers: [{ name, image }] };
  return { ...pod, metadata: boundMetadata({ ...metadata, labels }), spec } as KubeObject;
}

/** As JSON, in characters: of a real template some hundreds to some thousands. */
export const LONGEST_POD_TEMPLATE = 16_384;

/**
 * Nested deeper than any field of a pod; the API server stores thousands of levels, beyond which no
 * function here that calls itself gets through: one object would end the watch on all.
 */
const DEEPEST_POD_TEMPLATE = 64;

/** In place of a template that is too long to be held. */
interface LongPodTemplate {
  readonly tooLong: true;
}

interface WithPodTemplate extends KubeObject {
  readonly spec?: { readonly podTemplate?: object };
}

/**
 * Trims an object with pods for the cache. It holds no template that is too long, since a schema has no
 * bound for a whole template.
 */
export function trimTemplateOwner(object: KubeObject): KubeObject {
  const trimmed: WithPodTemplate = trimMetadata(object);
  const { spec } = trimmed;
  if (spec?.podTemplate === undefined) return trimmed;
  if (isShort(spec.podTemplate)) return trimmed;
  const podTemplate: LongPodTemplate = { tooLong: true };
  return { ...trimmed, spec: { ...spec, podTemplate } } as KubeObject;
}

function isShort(template: object): boolean {
  const isShallow = isNestedWithin(template, DEEPEST_POD_TEMPLATE);
  return isShallow && JSON.stringify(template).length <= LONGEST_POD_TEMPLATE;
}

function isNestedWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isNestedWithin(inner, levels - 1));
}

/** Undefined: its template can be used. */
export function describeLongTemplate(template: object | undefined): string | undefined {
  const isTooLong = template !== undefined && 'tooLong' in template;
  return isTooLong
    ? `spec.podTemplate has more than ${LONGEST_POD_TEMPLATE} characters, or more than ${DEEPEST_POD_TEMPLATE} levels`
    : undefined;
}
