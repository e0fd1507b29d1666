import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { stringify } from 'yaml';

/**
 * `npm run gen`: deploy/components/<kind>/policy.yaml, which limits what the rights of that kind can
 * be used for. RBAC grants verbs; a ValidatingAdmissionPolicy sees the object, so a stolen token can
 * do no more than albridge does. There is one policy for each kind and resource, so that a kind that
 * is left out takes its policies with it.
 * https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */

interface Policy {
  readonly name: string;
  readonly group: string;
  readonly resources: readonly string[];
  readonly operations: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  /** CEL by the message of its refusal. */
  readonly validations: Readonly<Record<string, string>>;
}

/**
 * By name in any namespace: kustomize's `namespace:` does not reach into strings, and two
 * installations in one cluster share these policies.
 */
const IS_OPERATOR = "request.userInfo.username.matches('^system:serviceaccount:[^:]+:albridge$')";

/** deploy/base/namespace.yaml has the label; the namespace of a namespaced install does not. */
const OUTSIDE_CLOSED_NAMESPACES = {
  'albridge writes nothing in the namespaces of Kubernetes and in its own': `
    !(request.namespace in ['kube-system', 'kube-public', 'kube-node-lease']) &&
    namespaceObject.metadata.?labels[?'app.kubernetes.io/name'].orValue('') != 'albridge'`,
};

function ownedBy(group: string, kind: string): string {
  return `(oldObject == null ? object : oldObject).metadata.?ownerReferences.orValue([]).exists(o,
    o.?controller.orValue(false) && o.kind == '${kind}' && o.apiVersion.startsWith('${group}/'))`;
}

const IS_OF_A_WEBAPP = ownedBy('apps.example.com', 'WebApp');

/** `spec` and `before` are a PodSpec and what it was; on a create it was empty. */
function podVariables(path: string): Readonly<Record<string, string>> {
  const containersOf = (spec: string): string =>
    `${spec}.?containers.orValue([]) + ${spec}.?initContainers.orValue([])`;
  return {
    spec: `dyn(object.${path})`,
    before: `oldObject == null ? dyn({}) : dyn(oldObject.${path})`,
    containers: containersOf('variables.spec'),
    containersBefore: containersOf('variables.before'),
  };
}

/** What others have put into a pod template stays theirs: only what a write adds is refused. */
const ADDS_NO_PRIVILEGE = {
  'albridge adds no host namespace': `
    ['hostNetwork', 'hostPID', 'hostIPC'].all(k,
      !variables.spec[?k].orValue(false) || variables.before[?k].orValue(false))`,
  'albridge adds no volume but emptyDir': `
    variables.spec.?volumes.orValue([]).all(v,
      has(v.emptyDir) || v in variables.before.?volumes.orValue([]))`,
  'albridge uses no ServiceAccount but the default one': `
    variables.spec.?serviceAccountName.orValue('default') == 'default' ||
    variables.spec.?serviceAccountName == variables.before.?serviceAccountName`,
  'albridge mounts no token of a ServiceAccount': `
    !variables.spec.?automountServiceAccountToken.orValue(true) ||
    (oldObject != null && variables.before.?automountServiceAccountToken.orValue(true))`,
  'albridge adds no privileged container': `
    variables.containers.all(c, !c.?securityContext.?privileged.orValue(false) ||
      variables.containersBefore.exists(b,
        b.name == c.name && b.?securityContext.?privileged.orValue(false)))`,
  'albridge adds no Windows host process': `
    variables.spec.?securityContext.?windowsOptions == variables.before.?securityContext.?windowsOptions &&
    variables.containers.all(c, !has(c.securityContext) || !has(c.securityContext.windowsOptions) ||
      variables.containersBefore.exists(b,
        b.name == c.name && b.?securityContext.?windowsOptions == c.?securityContext.?windowsOptions))`,
  'albridge adds no capability': `
    variables.containers.all(c, c.?securityContext.?capabilities.?add.orValue([]).all(a,
      variables.containersBefore.exists(b,
        b.name == c.name && a in b.?securityContext.?capabilities.?add.orValue([]))))`,
  'albridge adds no host port': `
    variables.containers.all(c, c.?ports.orValue([]).all(p, p.?hostPort.orValue(0) == 0 ||
      variables.containersBefore.exists(b, b.name == c.name && p in b.?ports.orValue([]))))`,
  'albridge reads no Secret and no ConfigMap into a container': `
    variables.containers.all(c,
      c.?envFrom.orValue([]).all(e, variables.containersBefore.exists(b,
        b.name == c.name && e in b.?envFrom.orValue([]))) &&
      c.?env.orValue([]).all(e,
        !has(e.valueFrom) || !(has(e.valueFrom.secretKeyRef) || has(e.valueFrom.configMapKeyRef)) ||
        variables.containersBefore.exists(b, b.name == c.name && e in b.?env.orValue([]))))`,
};

/** Both kinds that make pods hold the same right on pods, so each of them admits the other's. */
const PODS: Policy = {
  name: 'pods',
  group: '',
  resources: ['pods'],
  operations: ['CREATE', 'UPDATE'],
  variables: podVariables('spec'),
  validations: {
    ...OUTSIDE_CLOSED_NAMESPACES,
    'albridge writes only pods of an ImmortalContainer or a MyApp': `
      ${ownedBy('immortalcontainer.flugel.it', 'ImmortalContainer')} ||
      ${ownedBy('demo.rtfm.co.ua', 'MyApp')}`,
    ...ADDS_NO_PRIVILEGE,
  },
};

const REMOVALS: Policy = {
  name: 'removals',
  group: '',
  resources: ['pods', 'pods/eviction'],
  operations: ['CREATE', 'DELETE'],
  validations: OUTSIDE_CLOSED_NAMESPACES,
};

const ANNOTATIONS = '.?annotations.orValue({})';

/** CEL: of this part of the object a write changes no key but these. */
function sameBut(path: string, keys: readonly string[]): string {
  const [now, before] = [`dyn(object.${path})`, `dyn(oldObject.${path})`];
  const isFree = `k in [${keys.map((key) => `'${key}'`).join(', ')}]`;
  return `${now}.all(k, ${isFree} || (k in ${before} && ${now}[k] == ${before}[k])) &&
    ${before}.all(k, ${isFree} || k in ${now})`;
}

const WORKLOADS: Omit<Policy, 'name' | 'resources' | 'operations'> = {
  group: 'apps',
  variables: {
    ...podVariables('spec.template.spec'),
    isOwned: IS_OF_A_WEBAPP,
    isRestart: [
      'oldObject != null',
      sameBut('metadata', ['annotations', 'generation', 'managedFields', 'resourceVersion']),
      // Counted by the API server: https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/apis/apps/v1/conversion.go
      sameBut(`metadata${ANNOTATIONS}`, ['deprecated.daemonset.template.generation']),
      sameBut('spec', ['template']),
      sameBut('spec.template', ['metadata']),
      sameBut('spec.template.metadata', ['annotations']),
      sameBut(`spec.template.metadata${ANNOTATIONS}`, ['kubectl.kubernetes.io/restartedAt']),
    ].join(' &&\n'),
  },
  validations: {
    ...OUTSIDE_CLOSED_NAMESPACES,
    'albridge writes only the annotation kubectl.kubernetes.io/restartedAt into a workload that no WebApp owns':
      'variables.isOwned || variables.isRestart',
    ...ADDS_NO_PRIVILEGE,
  },
};

const SERVICES: Policy = {
  name: 'services',
  group: '',
  resources: ['services'],
  operations: ['CREATE', 'UPDATE'],
  validations: {
    ...OUTSIDE_CLOSED_NAMESPACES,
    'albridge writes only Services of a WebApp': IS_OF_A_WEBAPP,
    'albridge does not set the type of a Service': `
      object.spec.?type.orValue('ClusterIP') ==
        (oldObject == null ? 'ClusterIP' : oldObject.spec.?type.orValue('ClusterIP'))`,
    'albridge adds no external address to a Service': `
      object.spec.?externalIPs.orValue([]).all(ip,
        oldObject != null && ip in oldObject.spec.?externalIPs.orValue([]))`,
  },
};

const POLICIES: Readonly<Record<string, readonly Policy[]>> = {
  myingress: [
    {
      name: 'spec',
      group: 'demo.rtfm.co.ua',
      resources: ['myingresses'],
      operations: ['UPDATE'],
      validations: { 'albridge never writes spec': 'object.?spec == oldObject.?spec' },
    },
  ],
  configmonitor: [
    REMOVALS,
    {
      ...WORKLOADS,
      name: 'workloads',
      resources: ['deployments', 'statefulsets', 'daemonsets'],
      operations: ['UPDATE'],
    },
  ],
  immortalcontainer: [PODS, { ...REMOVALS, resources: ['pods'], operations: ['DELETE'] }],
  myapp: [PODS, { ...REMOVALS, resources: ['pods'], operations: ['DELETE'] }],
  webapp: [
    {
      ...WORKLOADS,
      name: 'deployments',
      resources: ['deployments'],
      operations: ['CREATE', 'UPDATE'],
    },
    SERVICES,
  ],
};

const HEAD = `# Written by deploy/policies.ts, which says why; run \`npm run gen\` after a change there.
`;

/** The text of each file, by its path below deploy/. */
export function renderPolicies(): Readonly<Record<string, string>> {
  const texts = Object.entries(POLICIES).map(([kind, policies]) => {
    const objects = policies.flatMap((policy) => manifestsOf(kind, policy));
    const text = objects.map((one) => stringify(one, { lineWidth: 0 })).join('---\n');
    return [`components/${kind}/policy.yaml`, HEAD + text] as const;
  });
  return Object.fromEntries(texts);
}

/** Refuses where it cannot be judged: nobody but the operator has to wait for that. */
function manifestsOf(kind: string, policy: Policy): readonly object[] {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const name = `albridge-${kind}-${policy.name}`;
  const metadata = { name, labels: { 'app.kubernetes.io/name': 'albridge' } };
  const spec = {
    failurePolicy: 'Fail',
    matchConstraints: { resourceRules: [ruleOf(policy)] },
    matchConditions: [{ name: 'operator', expression: IS_OPERATOR }],
    ...variablesOf(policy),
    validations: Object.entries(policy.validations).map(([message, expression]) => ({
      message,
      reason: 'Forbidden',
      expression: trimmed(expression),
    })),
  };
  return [
    { apiVersion, kind: 'ValidatingAdmissionPolicy', metadata, spec },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: name, validationActions: ['Deny'] },
    },
  ];
}

function ruleOf({ group, resources, operations }: Policy): object {
  return { apiGroups: [group], apiVersions: ['v1'], operations, resources };
}

function variablesOf({ variables }: Policy): object {
  if (variables === undefined) return {};
  const entries = Object.entries(variables);
  return {
    variables: entries.map(([name, expression]) => ({ name, expression: trimmed(expression) })),
  };
}

function trimmed(expression: string): string {
  return expression.trim().replaceAll(/\n\s+/g, '\n  ');
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(renderPolicies())) {
    await writeFile(resolve(import.meta.dirname, path), text);
  }
}
