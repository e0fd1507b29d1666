import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { stringify } from 'yaml';
import {
  ADDS_NO_LABEL,
  ANNOTATIONS,
  addsOnlyAnnotations,
  boundPods,
  GATE_ALONE,
  HAS_NO_PRIORITY,
  IS_ANNOTATION_OF_A_POD,
  IS_SCHEDULED_AS_USUAL,
  IS_SLEEP,
  isOneOf,
  MANAGED_BY,
  POD_FIELDS,
  podVariables,
  type Rules,
  sameBut,
  TEMPLATE_FIELDS,
} from './pod-rules.ts';
import { BOUNDS_OF_SERVICES, limitServices, SERVICE_VARIABLES } from './service-policy.ts';
import { limitTemplates } from './template-policy.ts';

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
  /** Of the writes that it judges; the operator's where it is left out. */
  readonly condition?: { readonly name: string; readonly expression: string };
  readonly variables?: Readonly<Record<string, string>>;
  readonly validations: Rules;
}

/**
 * By name in any namespace: kustomize's `namespace:` does not reach into strings, and two installations
 * in one cluster share these policies. No `replacements` for the name: those of a component are made
 * before an overlay renames anything (tried with kustomize 5.5), so a test holds each overlay to this name.
 */
const IS_OPERATOR = "request.userInfo.username.matches('^system:serviceaccount:[^:]+:albridge$')";

/** deploy/base/namespace.yaml has the label; the namespace of a namespaced install does not. */
const OUTSIDE_CLOSED_NAMESPACES = {
  'albridge writes nothing in the namespaces of Kubernetes and in its own': `
    !(request.namespace in ['kube-system', 'kube-public', 'kube-node-lease']) &&
    namespaceObject.metadata.?labels[?'app.kubernetes.io/name'].orValue('') != 'albridge'`,
};

/** `apiVersion` is the start of one, so that another version of the group counts as well. */
function ownedBy(apiVersion: string, kind: string): string {
  return `(oldObject == null ? object : oldObject).metadata.?ownerReferences.orValue([]).exists(o,
    o.?controller.orValue(false) && o.kind == '${kind}' && o.apiVersion.startsWith('${apiVersion}'))`;
}

const IS_OF_A_WEBAPP = ownedBy('apps.example.com/', 'WebApp');

/** Both kinds that make pods hold the same right on pods, so each of them admits the other's. */
const PODS: Policy = {
  name: 'pods',
  group: '',
  resources: ['pods'],
  operations: ['CREATE', 'UPDATE'],
  variables: podVariables(''),
  validations: {
    ...OUTSIDE_CLOSED_NAMESPACES,
    'albridge writes only pods of an ImmortalContainer or a MyApp': `
      ${ownedBy('immortalcontainer.flugel.it/', 'ImmortalContainer')} ||
      ${ownedBy('demo.rtfm.co.ua/', 'MyApp')}`,
    // As it was: before albridge gives it back it takes over its fields, by a write of managedFields.
    'albridge writes only pods with its label app.kubernetes.io/managed-by': `
      object.metadata.?labels[?'${MANAGED_BY}'].orValue('') == 'albridge' || (oldObject != null &&
        object.metadata.?labels[?'${MANAGED_BY}'] == oldObject.metadata.?labels[?'${MANAGED_BY}'])`,
    ...boundPods(POD_FIELDS),
    ...IS_SCHEDULED_AS_USUAL,
    ...ADDS_NO_LABEL,
    ...addsOnlyAnnotations(IS_ANNOTATION_OF_A_POD),
  },
};

const REMOVALS: Policy = {
  name: 'removals',
  group: '',
  resources: ['pods', 'pods/eviction'],
  operations: ['CREATE', 'DELETE'],
  validations: OUTSIDE_CLOSED_NAMESPACES,
};

const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

const WORKLOADS: Omit<Policy, 'name' | 'resources' | 'operations'> = {
  group: 'apps',
  variables: {
    ...podVariables('spec.template.'),
    isOwned: IS_OF_A_WEBAPP,
    isRestart: [
      'oldObject != null',
      sameBut('metadata', ['annotations', 'generation', 'managedFields', 'resourceVersion']),
      // Counted by the API server: https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/apis/apps/v1/conversion.go
      sameBut(`metadata.${ANNOTATIONS}`, ['deprecated.daemonset.template.generation']),
      sameBut('spec', ['template']),
      sameBut('spec.template', ['metadata']),
      sameBut('spec.template.metadata', ['annotations']),
      sameBut(`spec.template.metadata.${ANNOTATIONS}`, [RESTARTED_AT]),
    ].join(' &&\n'),
  },
  validations: {
    ...OUTSIDE_CLOSED_NAMESPACES,
    'albridge writes only the annotation kubectl.kubernetes.io/restartedAt into a workload that no WebApp owns':
      'variables.isOwned || variables.isRestart',
    ...boundPods(TEMPLATE_FIELDS, IS_SLEEP),
    ...HAS_NO_PRIORITY,
    ...ADDS_NO_LABEL,
    ...addsOnlyAnnotations(isOneOf([RESTARTED_AT])),
  },
};

const SERVICES: Policy = {
  name: 'services',
  group: '',
  resources: ['services'],
  operations: ['CREATE', 'UPDATE'],
  variables: SERVICE_VARIABLES,
  validations: {
    ...OUTSIDE_CLOSED_NAMESPACES,
    'albridge writes only Services of a WebApp': IS_OF_A_WEBAPP,
    ...BOUNDS_OF_SERVICES,
  },
};

const FINALIZER = 'albridge.io/load-balancer';

/** CEL: of these finalizers those of others, in their order. */
function finalizersOfOthers(of: string): string {
  return `${of}.metadata.?finalizers.orValue([]).filter(f, f != '${FINALIZER}')`;
}

/** In every namespace: there is none in which the kind does not work. */
const MYINGRESSES: Policy = {
  name: 'spec',
  group: 'demo.rtfm.co.ua',
  resources: ['myingresses'],
  operations: ['UPDATE'],
  validations: {
    'albridge never writes spec': 'object.?spec == oldObject.?spec',
    'albridge writes no metadata of a MyIngress but its finalizer': sameBut('metadata', [
      'finalizers',
      'generation',
      'managedFields',
      'resourceVersion',
    ]),
    'albridge puts no finalizer but its own on a MyIngress or off it': `
      ${finalizersOfOthers('object')} == ${finalizersOfOthers('oldObject')}`,
    'albridge takes its finalizer only off a MyIngress that is being deleted': `
      has(oldObject.metadata.deletionTimestamp) ||
      '${FINALIZER}' in object.metadata.?finalizers.orValue([]) ||
      !('${FINALIZER}' in oldObject.metadata.?finalizers.orValue([]))`,
  },
};

/** In a closed namespace albridge deletes what an earlier release made for an annotation. */
const IS_DELETE = "request.operation == 'DELETE'";

const MONITORS: Policy = {
  name: 'monitors',
  group: 'magalix.com',
  resources: ['configmonitors'],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  validations: {
    ...Object.fromEntries(
      Object.entries(OUTSIDE_CLOSED_NAMESPACES).map(([message, expression]) => [
        message,
        `${IS_DELETE} || (${expression.trim()})`,
      ]),
    ),
    'albridge writes only ConfigMonitors of a ConfigMap': ownedBy('v1', 'ConfigMap'),
    'albridge writes into a ConfigMonitor only what the annotation says': `
      ${IS_DELETE} || (object.spec.?unmanagedPods.orValue('Skip') == 'Skip' &&
        (object.spec.?strategy.orValue('Auto') in ['Auto', 'Evict'] ||
          (oldObject != null && object.spec.?strategy == oldObject.spec.?strategy)) &&
        ['secret', 'sources'].all(f, !(f in dyn(object.spec)) ||
          (oldObject != null && dyn(object.spec)[?f] == dyn(oldObject.spec)[?f])))`,
  },
};

const POD_STATUS: Policy = {
  name: 'status',
  group: '',
  resources: ['pods/status'],
  operations: ['UPDATE'],
  validations: GATE_ALONE,
};

const HASH_KEY: Policy = {
  name: 'key',
  group: '',
  resources: ['secrets'],
  operations: ['CREATE'],
  validations: {
    'albridge creates no Secret but its key albridge-hash-key':
      "object.metadata.name == 'albridge-hash-key' && object.type == 'albridge.io/hash-key'",
  },
};

const PODS_ALONE = [PODS, { ...REMOVALS, resources: ['pods'], operations: ['DELETE'] }];

const POLICIES: Readonly<Record<string, readonly Policy[]>> = {
  myingress: [MYINGRESSES],
  'configmap-annotation': [MONITORS],
  'readiness-gates': [POD_STATUS],
  secrets: [HASH_KEY],
  configmonitor: [
    REMOVALS,
    {
      ...WORKLOADS,
      name: 'workloads',
      resources: ['deployments', 'statefulsets', 'daemonsets'],
      operations: ['UPDATE'],
    },
  ],
  immortalcontainer: [
    ...PODS_ALONE,
    limitTemplates('immortalcontainer.flugel.it', 'immortalcontainers'),
  ],
  myapp: [...PODS_ALONE, limitTemplates('demo.rtfm.co.ua', 'myapps')],
  webapp: [
    {
      ...WORKLOADS,
      name: 'deployments',
      resources: ['deployments'],
      operations: ['CREATE', 'UPDATE'],
    },
    SERVICES,
    limitTemplates('apps.example.com', 'webapps'),
    limitServices('apps.example.com', 'webapps'),
  ],
};

const HEAD = `# Written by deploy/policies.ts, which says why; run \`npm run gen\` after a change there.
`;

/** The text of each file, by its path below deploy/. */
export function renderPolicies(): Readonly<Record<string, string>> {
  const texts = Object.entries(POLICIES).map(([kind, policies]) => {
    const objects = policies.flatMap((policy) => manifestsOf(kind, policy));
    const text = objects.map((one) => stringify(one, { lineWidth: 0 })).join('---\n');
    return [`components/${kind}/${fileOf(kind)}`, HEAD + text] as const;
  });
  return Object.fromEntries(texts);
}

/** Components whose policy.yaml is about others than the operator; deploy/cluster takes the second by itself. */
const OTHER_FILES: Readonly<Record<string, string>> = {
  'configmap-annotation': 'operator-policy.yaml',
  'readiness-gates': 'operator/policy.yaml',
  secrets: 'operator/policy.yaml',
};

function fileOf(kind: string): string {
  return OTHER_FILES[kind] ?? 'policy.yaml';
}

/** Refuses where it cannot be judged; only the operator and who writes a pod template have to wait for that. */
function manifestsOf(kind: string, policy: Policy): readonly object[] {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const name = `albridge-${kind}-${policy.name}`;
  const metadata = { name, labels: { 'app.kubernetes.io/name': 'albridge' } };
  const spec = {
    failurePolicy: 'Fail',
    matchConstraints: { resourceRules: [ruleOf(policy)] },
    matchConditions: [policy.condition ?? { name: 'operator', expression: IS_OPERATOR }],
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

function ruleOf({ group, resources, operations, condition }: Policy): object {
  return { apiGroups: [group], apiVersions: [condition ? '*' : 'v1'], operations, resources };
}

function variablesOf({ variables = {} }: Policy): object {
  const list = Object.entries(variables).map(([name, of]) => ({ name, expression: trimmed(of) }));
  return list.length === 0 ? {} : { variables: list };
}

function trimmed(expression: string): string {
  return expression.trim().replaceAll(/\n\s+/g, '\n  ');
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(renderPolicies())) {
    await writeFile(resolve(import.meta.dirname, path), text);
  }
}
