/** CEL for deploy/policies.ts: of a pod, or of a pod template, a write sets only what albridge sets. */

/** CEL by the message of its refusal. */
export type Rules = Readonly<Record<string, string>>;

export function isOneOf(keys: readonly string[]): string {
  return `k in [${keys.map((key) => `'${key}'`).join(', ')}]`;
}

/** CEL: to this map a write adds nothing but what `isFree` says of a key `k`; it may take things off. */
function addsOnly(isFree: string, now: string, before: string): string {
  return `${now}.all(k, ${isFree} || ${now}[?k] == ${before}[?k])`;
}

/**
 * `spec`, `meta` and so on are of a pod or of a template, and `...Before` what they were; on a create
 * they were empty. dyn: the keys of an object of a known type cannot be enumerated.
 */
export function podVariables(path: string): Readonly<Record<string, string>> {
  const { spec, meta } = { spec: `${path}spec`, meta: `${path}metadata` };
  return {
    spec: `dyn(object.${spec})`,
    before: `oldObject == null ? dyn({}) : dyn(oldObject.${spec})`,
    meta: `dyn(object.${meta})`,
    metaBefore: `oldObject == null ? dyn({}) : dyn(oldObject.${meta})`,
    containersBefore: 'variables.before.?containers.orValue([])',
  };
}

/** What albridge sets in a template, and what the API server fills in. */
export const TEMPLATE_FIELDS = [
  ...['automountServiceAccountToken', 'containers', 'terminationGracePeriodSeconds'],
  ...['securityContext', 'restartPolicy', 'dnsPolicy', 'schedulerName'],
];

/**
 * And what the API server and the plugins of admission that are on by default fill into a pod. Pull
 * secrets come from the ServiceAccount, the priority from the default PriorityClass.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/
 */
export const POD_FIELDS = [
  ...TEMPLATE_FIELDS,
  ...['serviceAccount', 'serviceAccountName', 'imagePullSecrets', 'enableServiceLinks'],
  ...['tolerations', 'priority', 'priorityClassName', 'preemptionPolicy'],
];

/** `resources` come from a LimitRange. */
const CONTAINER_FIELDS = [
  ...['name', 'image', 'ports', 'env', 'command', 'args', 'securityContext'],
  ...['imagePullPolicy', 'terminationMessagePath', 'terminationMessagePolicy', 'resources'],
];

/**
 * CEL: of a security context only these are set. The first two are albridge's own; the others only
 * take something away, or say who the user is, as OpenShift's admission does (unverified).
 * https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#security-context-1
 */
function isLimit(context: string): string {
  const harmless = ['runAsUser', 'runAsGroup', 'runAsNonRoot', 'readOnlyRootFilesystem'];
  return `(
    (k == 'allowPrivilegeEscalation' && ${context}[k] == false) ||
    (k == 'seccompProfile' && ${context}[k].type == 'RuntimeDefault') ||
    (k == 'capabilities' && !has(${context}[k].add)) ||
    (k == 'seLinuxOptions' && ${context}[k].all(o, o == 'level')) ||
    ${isOneOf([...harmless, 'fsGroup', 'supplementalGroups'])})`;
}

const CONTEXT = '?securityContext.orValue({})';

/** CEL: the container `c`, and those of its name before the write. */
function ofContainer(rule: string): string {
  return `variables.containersBefore.exists(b, b.name == c.name && ${rule})`;
}

/**
 * CEL: the readiness probe of a WebApp connects to a port of its pod: nothing runs, no other host is
 * asked. Of a probe of others it takes its own fields off.
 */
const IS_PROBE_OF_A_PORT = `(k == 'readinessProbe' && c[k].all(f,
          f.endsWith('Seconds') || f.endsWith('Threshold') ||
          (f == 'tcpSocket' && c[k].tcpSocket.?host.orValue('') == '') ||
          ${ofContainer('b.?readinessProbe[?f] == c[k][?f]')}))`;

/** What others have put into a pod template stays theirs: only what a write adds is refused. */
export function addsOnlyFields(fields: readonly string[]): Rules {
  return {
    'albridge sets no field of a pod but its own': addsOnly(
      isOneOf(fields),
      'variables.spec',
      'variables.before',
    ),
    'albridge sets no field of a container but its own': `
      variables.spec.containers.all(c, c.all(k, ${isOneOf(CONTAINER_FIELDS)} ||
        ${IS_PROBE_OF_A_PORT} || ${ofContainer('b[?k] == c[?k]')}))`,
    'albridge takes off no limits of a pod': `
      ${addsOnly(isLimit(`variables.spec.securityContext`), `variables.spec.${CONTEXT}`, `variables.before.${CONTEXT}`)} &&
      (variables.spec.?securityContext.?seccompProfile.hasValue() ||
        (oldObject != null && !variables.before.?securityContext.?seccompProfile.hasValue()))`,
    'albridge takes off no limits of a container': `
      variables.spec.containers.all(c,
        c.${CONTEXT}.all(k, ${isLimit('c.securityContext')} ||
          ${ofContainer(`b.${CONTEXT}[?k] == c.securityContext[?k]`)}) &&
        (c.?securityContext.?allowPrivilegeEscalation.hasValue() ||
          ${ofContainer(`!b.?securityContext.?allowPrivilegeEscalation.hasValue()`)}))`,
    'albridge mounts no token of a ServiceAccount': `
      !variables.spec.?automountServiceAccountToken.orValue(true) ||
      (oldObject != null && variables.before.?automountServiceAccountToken.orValue(true))`,
    'albridge adds no host port': `
      variables.spec.containers.all(c, c.?ports.orValue([]).all(p, p.?hostPort.orValue(0) == 0 ||
        ${ofContainer('p in b.?ports.orValue([])')}))`,
    'albridge reads no Secret and no ConfigMap into a container': `
      variables.spec.containers.all(c, c.?env.orValue([]).all(e, !has(e.valueFrom) ||
        ${ofContainer('e in b.?env.orValue([])')}))`,
  };
}

const LABELS = '?labels.orValue({})';
export const ANNOTATIONS = '?annotations.orValue({})';
export const MANAGED_BY = 'app.kubernetes.io/managed-by';

/** CEL: an annotation of albridge, of a LimitRange, or of OpenShift's admission (unverified). */
export const IS_ANNOTATION_OF_A_POD = `(${isOneOf(['albridge.io/desired-hash', 'kubernetes.io/limit-ranger'])} ||
      k.startsWith('openshift.io/') || k.startsWith('security.openshift.io/'))`;

export const ADDS_NO_LABEL = {
  'albridge adds no label to a pod but its own': addsOnly(
    isOneOf(['app', 'controller', MANAGED_BY]),
    `variables.meta.${LABELS}`,
    `variables.metaBefore.${LABELS}`,
  ),
};

export function addsOnlyAnnotations(isFree: string): Rules {
  return {
    'albridge adds no annotation to a pod but its own': addsOnly(
      isFree,
      `variables.meta.${ANNOTATIONS}`,
      `variables.metaBefore.${ANNOTATIONS}`,
    ),
  };
}

/** What plugins of admission that are on by default put into every pod. */
const TOLERATED = ['not-ready', 'unreachable', 'memory-pressure'];

export const IS_SCHEDULED_AS_USUAL = {
  'albridge uses no ServiceAccount but the default one': `
    variables.spec.?serviceAccountName.orValue('default') == 'default' ||
    variables.spec.?serviceAccountName == variables.before.?serviceAccountName`,
  'albridge adds no toleration to a pod': `
    variables.spec.?tolerations.orValue([]).all(t, t in variables.before.?tolerations.orValue([]) ||
      t.?key.orValue('') in [${TOLERATED.map((taint) => `'node.kubernetes.io/${taint}'`).join(', ')}])`,
  'albridge gives a pod no priority; where it comes from the default PriorityClass, allow albridge to use that class': `
    variables.spec.?priority.orValue(0) <= 0 || oldObject != null ||
    authorizer.group('scheduling.k8s.io').resource('priorityclasses')
      .name(variables.spec.?priorityClassName.orValue('')).check('use').allowed()`,
};

/** CEL: of this part of the object a write changes no key but these. */
export function sameBut(path: string, keys: readonly string[]): string {
  const [now, before] = [`dyn(object.${path})`, `dyn(oldObject.${path})`];
  return `${addsOnly(isOneOf(keys), now, before)} &&
    ${before}.all(k, ${isOneOf(keys)} || k in ${now})`;
}

const GATE = 'albridge.io/targets-healthy';

/** CEL: of these conditions those of others, in their order. */
function conditionsOfOthers(of: string): string {
  return `${of}.status.?conditions.orValue([]).filter(c, c.type != '${GATE}')`;
}

/** A pod's status has its address, which Services send requests to, and its write reaches the labels too. */
export const GATE_ALONE: Rules = {
  'albridge writes no status of a pod but its conditions': sameBut('status', ['conditions']),
  'albridge writes no condition of a pod but that of its readiness gate': `
    ${conditionsOfOthers('object')} == ${conditionsOfOthers('oldObject')}`,
  'albridge opens readiness gates and closes none': `
    object.status.?conditions.orValue([]).all(c, c.type != '${GATE}' || c.status == 'True')`,
  'albridge writes no metadata of a pod with its status': sameBut('metadata', [
    'managedFields',
    'resourceVersion',
  ]),
};
