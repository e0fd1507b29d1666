import { annotations, demand, each, labels, open, type Schema } from './schema.ts';

/** The values of the chart that end up in the pods as they are: the API server refuses one of another form after the rest was applied. */

/** As in deploy/base/deployment.yaml; a test compares. */
const RESOURCES = { requests: { cpu: '20m', memory: '128Mi' }, limits: { memory: '512Mi' } };

/** https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/ */
const QUANTITY = '^\\+?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$';

const QUANTITIES: Schema = {
  type: 'object',
  propertyNames: { pattern: '^(cpu|memory|ephemeral-storage|hugepages-.+|.+/.+)$' },
  ...each({ type: ['string', 'number'], pattern: QUANTITY, minimum: 0 }),
};

const DNS_NAME = '[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?';

const SECRET: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: { name: { type: 'string', pattern: `^${DNS_NAME}$` } },
};

/** For the API server null is as good as left out, and an empty text as good as none. */
const TEXT: Schema = { type: ['string', 'null'] };

const IS_EXISTS: Schema = {
  required: ['operator'],
  properties: { operator: { const: 'Exists' } },
};

/** The rules of ValidateTolerations: https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/apis/core/validation/validation.go */
const TOLERATION_RULES: readonly Schema[] = [
  demand(
    { required: ['tolerationSeconds'], properties: { tolerationSeconds: { type: 'integer' } } },
    { required: ['effect'], properties: { effect: { const: 'NoExecute' } } },
  ),
  demand(IS_EXISTS, { properties: { value: { enum: ['', null] } } }),
  demand(
    { not: { required: ['key'], properties: { key: { minLength: 1, type: 'string' } } } },
    IS_EXISTS,
  ),
];

/** https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/ */
const TOLERATION: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    key: TEXT,
    operator: { enum: ['Exists', 'Equal', 'Lt', 'Gt', '', null] },
    value: TEXT,
    effect: { enum: ['NoSchedule', 'PreferNoSchedule', 'NoExecute', '', null] },
    tolerationSeconds: { type: ['integer', 'null'] },
  },
  allOf: TOLERATION_RULES,
};

const TEXT_OF_ONE: Schema = { type: 'string', minLength: 1 };

/** An object with these fields alone; the required ones are texts. */
function sourceOf(required: readonly string[], optional: readonly string[] = []): Schema {
  return {
    type: 'object',
    additionalProperties: false,
    required,
    properties: {
      ...Object.fromEntries(required.map((name) => [name, TEXT_OF_ONE])),
      ...Object.fromEntries(optional.map((name) => [name, {}])),
    },
  };
}

/** Fields of the pod that a variable may have: https://kubernetes.io/docs/concepts/workloads/pods/downward-api/#available-fields */
const POD_FIELDS =
  "^(metadata\\.(name|namespace|uid)|metadata\\.(labels|annotations)\\['.+'\\]|spec\\.(nodeName|serviceAccountName)|status\\.(hostIPs?|podIPs?))$";

/** Where a variable of a container gets its value from: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#environment-variables */
const SOURCES: Readonly<Record<string, Schema>> = {
  configMapKeyRef: sourceOf(['name', 'key'], ['optional']),
  fieldRef: {
    ...sourceOf(['fieldPath'], ['apiVersion']),
    properties: { fieldPath: { type: 'string', pattern: POD_FIELDS }, apiVersion: { const: 'v1' } },
  },
  fileKeyRef: sourceOf(['key', 'path', 'volumeName'], ['optional']),
  resourceFieldRef: sourceOf(['resource'], ['containerName', 'divisor']),
  secretKeyRef: sourceOf(['name', 'key'], ['optional']),
};

/** A variable: a text, or an object that has its value or says where that is. */
const VARIABLE: Schema = {
  type: ['string', 'object'],
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: {
    value: { type: 'string' },
    valueFrom: {
      type: 'object',
      minProperties: 1,
      maxProperties: 1,
      additionalProperties: false,
      properties: SOURCES,
    },
  },
};

export const VARIABLES: Schema = {
  ...open(
    'More environment variables, by name: a text, or {valueFrom: ...}. Endpoints, proxies and variables of Node go here.',
  ),
  propertyNames: { pattern: '^[-._a-zA-Z][-._a-zA-Z0-9]*$' },
  additionalProperties: VARIABLE,
};

/** Sources of a volume, without those that nodes no longer mount: https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/volume/ */
const VOLUME_SOURCES = [
  ...['awsElasticBlockStore', 'azureDisk', 'azureFile', 'cinder', 'csi', 'downwardAPI'],
  ...['ephemeral', 'fc', 'flexVolume', 'gcePersistentDisk', 'hostPath', 'image', 'iscsi', 'nfs'],
  ...['portworxVolume', 'projected', 'vsphereVolume'],
];

/** One without a source is an emptyDir. */
const VOLUME: Schema = {
  type: 'object',
  required: ['name'],
  minProperties: 1,
  maxProperties: 2,
  additionalProperties: false,
  properties: {
    name: { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$' },
    ...Object.fromEntries(VOLUME_SOURCES.map((name) => [name, { type: 'object' }])),
    configMap: sourceOf(['name'], ['items', 'defaultMode', 'optional']),
    emptyDir: { ...sourceOf([], ['medium', 'sizeLimit']), type: ['object', 'null'] },
    persistentVolumeClaim: sourceOf(['claimName'], ['readOnly']),
    secret: sourceOf(['secretName'], ['items', 'defaultMode', 'optional']),
  },
};

/** The rules of ValidateVolumeMounts, for a container that is not privileged: https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/apis/core/validation/validation.go */
const MOUNT_RULES: readonly Schema[] = [
  demand(
    { required: ['subPath'], properties: { subPath: TEXT_OF_ONE } },
    { properties: { subPathExpr: { enum: ['', null] } } },
  ),
  demand(
    {
      required: ['recursiveReadOnly'],
      properties: { recursiveReadOnly: { enum: ['Enabled', 'IfPossible'] } },
    },
    {
      required: ['readOnly'],
      properties: { readOnly: { const: true }, mountPropagation: { enum: ['None', null] } },
    },
  ),
];

const VOLUME_MOUNT: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'mountPath'],
  properties: {
    name: TEXT_OF_ONE,
    mountPath: { type: 'string', pattern: '^/[^:]*$' },
    subPath: TEXT,
    subPathExpr: TEXT,
    readOnly: { type: ['boolean', 'null'] },
    mountPropagation: { enum: ['None', 'HostToContainer', null] },
    recursiveReadOnly: { enum: ['Disabled', 'IfPossible', 'Enabled', null] },
  },
  allOf: MOUNT_RULES,
};

function listOf(description: string, items: Schema): Schema {
  return { description, type: 'array', items, default: [] };
}

export function describePods(): Readonly<Record<string, Schema>> {
  return {
    replicas: {
      description: 'One is active.',
      type: 'integer',
      ...{ minimum: 0, maximum: 2 ** 31 - 1, default: 2 },
    },
    resources: {
      ...open('Requests and limits: docs/performance.md.'),
      propertyNames: { enum: Object.keys(RESOURCES) },
      patternProperties: { '^(requests|limits)$': QUANTITIES },
      default: RESOURCES,
    },
    podAnnotations: annotations('Annotations of the pods.'),
    imagePullSecrets: listOf('Secrets for the image.', SECRET),
    volumes: listOf(
      'Volumes of the pods, such as a ConfigMap with the file of ALBRIDGE_AWS_BUDGET or an authority.',
      VOLUME,
    ),
    volumeMounts: listOf('Where the operator sees them.', VOLUME_MOUNT),
    nodeSelector: labels('Labels of the nodes on which the pods may run.'),
    tolerations: listOf('Taints that the pods tolerate.', TOLERATION),
    priorityClassName: {
      description: 'PriorityClass of the pods.',
      type: 'string',
      pattern: `^(${DNS_NAME})?$`,
      default: '',
    },
  };
}
