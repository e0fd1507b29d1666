import { GRACE_SECONDS, SLEEP_SECONDS } from '../src/controllers/web-app/gate.ts';
import { READINESS_GATE } from '../src/pods/pod.ts';

/** CEL for deploy/policies.ts: of a pod, or of a pod template, a write sets only what albridge sets. */

/** CEL by the message of its refusal. */
export type Rules = Readonly<Record<string, string>>;

export function isOneOf(keys: readonly string[]): string {
  return `k in [${keys.map((key) => `'${key}'`).join(', ')}]`;
}

/** CEL: to this map a write adds nothing but what `isFree` says of a key `k`; it may take things off. */
export function addsOnly(isFree: string, now: string, before: string): string {
  return `${now}.all(k, ${isFree} || ${now}[?k] == ${before}[?k])`;
}

/** A platform team sets both on a namespace: docs/pod-template.md */
const OPEN_LABEL = 'albridge.io/pod-template';
const ACCOUNTS_ANNOTATION = 'albridge.io/service-accounts';

/** Of the namespace of the write, and of the pods in it. */
const SHARED_VARIABLES = {
  containers: 'variables.spec.?containers.orValue([]) + variables.spec.?initContainers.orValue([])',
  containersBefore:
    'variables.before.?containers.orValue([]) + variables.before.?initContainers.orValue([])',
  isOpen: `namespaceObject.metadata.?labels[?'${OPEN_LABEL}'].orValue('') == 'full'`,
  accounts: `namespaceObject.metadata.?annotations[?'${ACCOUNTS_ANNOTATION}'].orValue('')
    .split(',').map(name, name.trim()).filter(name, name != '')`,
  isOfAnAccount: `variables.spec.?serviceAccountName
    .orValue(variables.spec.?serviceAccount.orValue('default')) in variables.accounts`,
};

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
    isTokenMounted: 'true',
    ...SHARED_VARIABLES,
  };
}

/** Of the `podTemplate` of an object: all of it is judged, also what stands there already. */
export const TEMPLATE_VARIABLES = {
  spec: 'dyn(object).spec.podTemplate.?spec.orValue(dyn({}))',
  before: 'dyn({})',
  meta: 'dyn(object).spec.podTemplate.?metadata.orValue(dyn({}))',
  metaBefore: 'dyn({})',
  // albridge says that it is not.
  isTokenMounted: 'false',
  ...SHARED_VARIABLES,
};

/** Fields that albridge sets in a template, and that the API server fills in. */
export const TEMPLATE_FIELDS = [
  ...['automountServiceAccountToken', 'containers', 'securityContext'],
  // Both are judged by a rule of their own.
  ...['serviceAccount', 'serviceAccountName'],
  ...['restartPolicy', 'dnsPolicy', 'schedulerName'],
];

/**
 * And what the API server and the plugins of admission that are on by default fill into a pod. Pull
 * secrets come from the ServiceAccount, the priority from the default PriorityClass.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/
 */
export const POD_FIELDS = [
  ...TEMPLATE_FIELDS,
  ...['imagePullSecrets', 'enableServiceLinks'],
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

/** CEL: pods that wait behind a load balancer end after a sleep; no hook runs anything. */
export const IS_SLEEP = `(k == 'lifecycle' && c[k].all(f,
          (f == 'preStop' && c[k].preStop == {'sleep': {'seconds': ${SLEEP_SECONDS}}}) ||
          ${ofContainer('b.?lifecycle[?f] == c[k][?f]')}))`;

/** CEL: of a pod's end; the API server fills in 30. With 0 a pod is killed at once. */
const IS_SHORT_GRACE = `(k == 'terminationGracePeriodSeconds' && variables.spec[k] >= 1 && variables.spec[k] <= ${GRACE_SECONDS})`;

/** CEL: the readiness gate, which the policy of its component also puts into the pods that albridge creates. */
const IS_OWN_GATE = `(k == 'readinessGates' &&
      variables.spec[k].all(g, g.conditionType == '${READINESS_GATE}'))`;

/** In a namespace with the label only the rules hold that bound every pod. */
function unlessOpen(rules: Rules): Rules {
  return Object.fromEntries(
    Object.entries(rules).map(([message, expression]) => [
      `${message} where the namespace lacks ${OPEN_LABEL}: full`,
      `variables.isOpen || (${expression.trim()})`,
    ]),
  );
}

/**
 * Fields that others have put into a pod template stay theirs: only what a write adds is refused. `ofContainers`
 * is CEL for further fields `k` of a container `c`.
 */
export function addsOnlyFields(fields: readonly string[], ofContainers = 'false'): Rules {
  return unlessOpen({
    'albridge sets no field of a pod but its own': addsOnly(
      `${isOneOf(fields)} || ${IS_OWN_GATE} || ${IS_SHORT_GRACE}`,
      'variables.spec',
      'variables.before',
    ),
    'albridge sets no field of a container but its own': `
      variables.containers.all(c, c.all(k, ${isOneOf(CONTAINER_FIELDS)} ||
        ${IS_PROBE_OF_A_PORT} || ${ofContainers} || ${ofContainer('b[?k] == c[?k]')}))`,
    'albridge takes off no limits of a pod': addsOnly(
      isLimit(`variables.spec.securityContext`),
      `variables.spec.${CONTEXT}`,
      `variables.before.${CONTEXT}`,
    ),
    'albridge takes off no limits of a container': `
      variables.containers.all(c, c.${CONTEXT}.all(k, ${isLimit('c.securityContext')} ||
        ${ofContainer(`b.${CONTEXT}[?k] == c.securityContext[?k]`)}))`,
    'albridge reads no Secret and no ConfigMap into a container': `
      variables.containers.all(c, c.?env.orValue([]).all(e, !has(e.valueFrom) ||
        ${ofContainer('e in b.?env.orValue([])')}))`,
  });
}

/** Rules about each pod by itself. */
const SAYS_LIMITS: Rules = {
  'albridge names a seccomp profile in each pod': `
    variables.spec.?securityContext.?seccompProfile.hasValue() ||
    (oldObject != null && !variables.before.?securityContext.?seccompProfile.hasValue())`,
  'albridge says of each container whether it may gain privileges': `
    variables.containers.all(c, c.?securityContext.?allowPrivilegeEscalation.hasValue() ||
      ${ofContainer(`!b.?securityContext.?allowPrivilegeEscalation.hasValue()`)})`,
};

/** https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted */
const VOLUMES = [
  ...['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'image'],
  ...['persistentVolumeClaim', 'projected', 'secret'],
];

/**
 * Those without a credential of the ServiceAccount, which `serviceAccountToken` and `podCertificate` are.
 * https://kubernetes.io/docs/concepts/storage/projected-volumes/
 */
const PROJECTED = ['clusterTrustBundle', 'configMap', 'downwardAPI', 'secret'];

/** CEL: of a security context, whatever the namespace. */
function isUnprivileged(context: string): string {
  const harmless = [
    ...['runAsUser', 'runAsGroup', 'runAsNonRoot', 'readOnlyRootFilesystem'],
    ...['fsGroup', 'fsGroupChangePolicy', 'supplementalGroups', 'supplementalGroupsPolicy'],
    'allowPrivilegeEscalation',
  ];
  return `(
    (k == 'privileged' && ${context}[k] == false) ||
    (k in ['seccompProfile', 'appArmorProfile'] && ${context}[k].type in ['RuntimeDefault', 'Localhost']) ||
    (k == 'capabilities' && ${context}[k].?add.orValue([]).all(a, a == 'NET_BIND_SERVICE')) ||
    (k == 'seLinuxOptions' && ${context}[k].all(o, o == 'level')) ||
    ${isOneOf(harmless)})`;
}

/** CEL: a probe or a hook asks the pod itself. */
function asksItself(handler: string): string {
  return `(${handler}.?httpGet.?host.orValue('') == '' && ${handler}.?tcpSocket.?host.orValue('') == '')`;
}

/** Whatever the namespace allows: nobody gets a node, another ServiceAccount or priority by a pod of albridge. */
export const BOUNDS_OF_ALL: Rules = {
  'albridge makes no pod that joins the network or the processes of its node': `
    ['hostNetwork', 'hostPID', 'hostIPC'].all(k, !variables.spec[?k].orValue(false) ||
      variables.spec[?k] == variables.before[?k])`,
  'albridge makes no pod that mounts anything of its node': `
    variables.spec.?volumes.orValue([]).all(v, v in variables.before.?volumes.orValue([]) ||
      v.all(k, k == 'name' || ${isOneOf(VOLUMES)}))`,
  'albridge makes no pod with privileges': `
    ${addsOnly(isUnprivileged('variables.spec.securityContext'), `variables.spec.${CONTEXT}`, `variables.before.${CONTEXT}`)} &&
    variables.containers.all(c, c.${CONTEXT}.all(k, ${isUnprivileged('c.securityContext')} ||
      ${ofContainer(`b.${CONTEXT}[?k] == c.securityContext[?k]`)})) &&
    variables.meta.?annotations.orValue({}).all(k,
      !k.startsWith('container.apparmor.security.beta.kubernetes.io/') ||
      variables.meta.?annotations[?k] == variables.metaBefore.?annotations[?k])`,
  // https://kubernetes.io/docs/concepts/workloads/pods/ephemeral-containers/: only a pod that runs has some.
  'albridge adds no ephemeral container': `
    variables.spec.?ephemeralContainers.orValue([]) == variables.before.?ephemeralContainers.orValue([])`,
  'albridge adds no host port': `
    variables.containers.all(c, c.?ports.orValue([]).all(p, p.?hostPort.orValue(0) == 0 ||
      ${ofContainer('p in b.?ports.orValue([])')}))`,
  'albridge makes no pod on a node of its choice': `
    !variables.spec.?nodeName.hasValue() || variables.spec.?nodeName == variables.before.?nodeName`,
  'albridge makes no probe and no hook that asks another host': `
    variables.containers.all(c,
      ['readinessProbe', 'livenessProbe', 'startupProbe'].all(p, !c[?p].hasValue() ||
        ${asksItself('c[p]')} || ${ofContainer('b[?p] == c[?p]')}) &&
      ['preStop', 'postStart'].all(p, !c.?lifecycle[?p].hasValue() ||
        ${asksItself('c.lifecycle[p]')} || ${ofContainer('b.?lifecycle[?p] == c.?lifecycle[?p]')}))`,
  [`albridge uses no ServiceAccount but the default one and those that the annotation ${ACCOUNTS_ANNOTATION} of the namespace lists`]: `
    variables.isOfAnAccount ||
    ['serviceAccountName', 'serviceAccount'].all(k, variables.spec[?k].orValue('default') == 'default' ||
      variables.spec[?k] == variables.before[?k])`,
  [`albridge mounts no token of a ServiceAccount that the annotation ${ACCOUNTS_ANNOTATION} of the namespace does not list`]: `
    variables.isOfAnAccount ||
    (!variables.spec.?automountServiceAccountToken.orValue(variables.isTokenMounted) ||
      (oldObject != null && variables.before.?automountServiceAccountToken.orValue(true))) &&
    variables.spec.?volumes.orValue([]).all(v, v in variables.before.?volumes.orValue([]) ||
      v.?projected.?sources.orValue([]).all(s, s.all(k, ${isOneOf(PROJECTED)})))`,
};

/** All of these, for the operator. */
export function boundPods(fields: readonly string[], ofContainers?: string): Rules {
  return { ...addsOnlyFields(fields, ofContainers), ...SAYS_LIMITS, ...BOUNDS_OF_ALL };
}

/** Of a template; a pod has its priority itself. */
export const HAS_NO_PRIORITY: Rules = {
  'albridge uses no PriorityClass that the writer may not use': `
    variables.spec.?priorityClassName.orValue('') == '' ||
    variables.spec.?priorityClassName == variables.before.?priorityClassName ||
    authorizer.group('scheduling.k8s.io').resource('priorityclasses')
      .name(variables.spec.priorityClassName).check('use').allowed()`,
};

const LABELS = '?labels.orValue({})';
export const ANNOTATIONS = '?annotations.orValue({})';
export const MANAGED_BY = 'app.kubernetes.io/managed-by';

/** CEL: the annotation of albridge on each child. */
export const DESIRED_HASH = isOneOf(['albridge.io/desired-hash']);

/** CEL: an annotation of albridge, of a LimitRange, or of OpenShift's admission (unverified). */
export const IS_ANNOTATION_OF_A_POD = `(${isOneOf(['albridge.io/desired-hash', 'kubernetes.io/limit-ranger'])} ||
      k.startsWith('openshift.io/') || k.startsWith('security.openshift.io/'))`;

export const ADDS_NO_LABEL = unlessOpen({
  'albridge adds no label to a pod but its own': addsOnly(
    isOneOf(['app', 'controller', MANAGED_BY, 'albridge.io/readiness-gate']),
    `variables.meta.${LABELS}`,
    `variables.metaBefore.${LABELS}`,
  ),
});

export function addsOnlyAnnotations(isFree: string): Rules {
  return unlessOpen({
    'albridge adds no annotation to a pod but its own': addsOnly(
      isFree,
      `variables.meta.${ANNOTATIONS}`,
      `variables.metaBefore.${ANNOTATIONS}`,
    ),
  });
}

/** Fields that admission plugins that are on by default put into every pod. */
const TOLERATED = ['not-ready', 'unreachable', 'memory-pressure'];

export const IS_SCHEDULED_AS_USUAL = {
  'albridge adds no toleration to a pod': `
    variables.isOpen || variables.spec.?tolerations.orValue([]).all(t, t in variables.before.?tolerations.orValue([]) ||
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

/** CEL: of these conditions those of others, in their order. */
function conditionsOfOthers(of: string): string {
  return `${of}.status.?conditions.orValue([]).filter(c, c.type != '${READINESS_GATE}')`;
}

/** A pod's status has its address, which Services send requests to, and its write reaches the labels too. */
export const GATE_ALONE: Rules = {
  'albridge writes no status of a pod but its conditions': sameBut('status', ['conditions']),
  'albridge writes no condition of a pod but that of its readiness gate': `
    ${conditionsOfOthers('object')} == ${conditionsOfOthers('oldObject')}`,
  'albridge opens readiness gates and closes none': `
    object.status.?conditions.orValue([]).all(c, c.type != '${READINESS_GATE}' || c.status == 'True')`,
  'albridge writes no metadata of a pod with its status': sameBut('metadata', [
    'managedFields',
    'resourceVersion',
  ]),
};
