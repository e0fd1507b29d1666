import { afterAll, beforeAll, expect, it } from 'vitest';
import { KIND_NAMES } from '../../src/apis/kind-names.ts';
import { CHART, COMPLETE, Helm, setAll } from './helm.ts';

/** Values with which a part would be applied and the rest refused, or with which no pod works. */

let helm: Helm;

beforeAll(async () => {
  helm = await Helm.open();
}, 600_000);

afterAll(() => helm?.close());

const MOUNTED = [
  ...[...COMPLETE, 'volumes[0].name=a'],
  ...['volumeMounts[0].name=a', 'volumeMounts[0].mountPath=/a'],
];

const refusals: Readonly<Record<string, readonly [sets: readonly string[], says: string]>> = {
  'no region': [['image.repository=albridge'], "missing property 'region'"],
  'a tag in the repository': [
    ['region=eu-central-1', 'image.repository=registry.example:5000/albridge:1.2.3'],
    "at '/image/repository'",
  ],
  'no image': [['region=eu-central-1'], "at '/image': missing property 'repository'"],
  'an empty image': [['region=eu-central-1', 'image.repository='], "at '/image/repository'"],
  'a region that is none': [['region=Frankfurt', 'image.repository=albridge'], "at '/region'"],
  'a duration that is none': [
    [...COMPLETE, 'settings.ALBRIDGE_SWEEP_INTERVAL=abc'],
    'ALBRIDGE_SWEEP_INTERVAL',
  ],
  'a duration without a unit': [
    [...COMPLETE, 'settings.ALBRIDGE_SWEEP_INTERVAL=300'],
    "at '/settings/ALBRIDGE_SWEEP_INTERVAL': got number, want string",
  ],
  'a number that is too small': [
    [...COMPLETE, 'settings.ALBRIDGE_CONCURRENCY=-5'],
    "at '/settings/ALBRIDGE_CONCURRENCY': minimum: got -5, want 1",
  ],
  'a number that is too large': [
    [...COMPLETE, 'settings.ALBRIDGE_CONCURRENCY=999'],
    "at '/settings/ALBRIDGE_CONCURRENCY': maximum: got 999, want 256",
  ],
  'off without quotes, which YAML reads as false, where it is a word': [
    [...COMPLETE, 'settings.ALBRIDGE_METRICS_ADDRESS=false'],
    "at '/settings/ALBRIDGE_METRICS_ADDRESS': got boolean",
  ],
  'a VPC that is none': [[...COMPLETE, 'settings.ALBRIDGE_VPC_ID=foo'], 'ALBRIDGE_VPC_ID'],
  'an unknown setting': [[...COMPLETE, 'settings.HTTPS_PROXY=x'], "'HTTPS_PROXY' not allowed"],
  'an id of digits, which Helm reads as 1.23456789012e+11 from a file': [
    [...COMPLETE, 'settings.ALBRIDGE_CLUSTER_ID=123456789012'],
    "at '/settings/ALBRIDGE_CLUSTER_ID': got number, want string",
  ],
  'an image that goes on in YAML': [
    ['region=eu-central-1', 'image.repository=a"\n          command: [sh]'],
    "at '/image/repository'",
  ],
  'a tag that goes on in YAML': [[...COMPLETE, 'image.tag=1"\n  x: y'], "at '/image/tag'"],
  'a variable that goes on in YAML': [
    [...COMPLETE, 'env.A\n              value: b=c'],
    "invalid propertyName 'A",
  ],
  'crds.keep without a value, which is not to keep them': [
    [...COMPLETE, 'crds.keep=null'],
    "at '/crds': missing property 'keep'",
  ],
  'a switch without a value': [
    [...COMPLETE, 'policies.enabled=null'],
    "at '/policies': missing property 'enabled'",
  ],
  'an image without a value': [[...COMPLETE, 'image=null'], "missing property 'image'"],
  'variables without a value': [[...COMPLETE, 'env=null'], "missing property 'env'"],
  'an unknown value': [[...COMPLETE, 'replicaCount=3'], "'replicaCount' not allowed"],
  'one namespace without a cluster id': [
    [...COMPLETE, 'singleNamespace=true'],
    "at '/settings': missing property 'ALBRIDGE_CLUSTER_ID'",
  ],
  'annotations without ConfigMonitor': [
    [...COMPLETE, 'kinds.configmonitor=false'],
    "at '/kinds/configmonitor'",
  ],
  'a label of nodes that is no text': [
    [...COMPLETE, 'nodeSelector.spot=true'],
    "at '/nodeSelector/spot': got boolean, want string",
  ],
  'an annotation that is no text': [
    [...COMPLETE, 'podAnnotations.x=5'],
    "at '/podAnnotations/x': got number, want string",
  ],
  'an annotation of the ServiceAccount that is no text': [
    [...COMPLETE, 'serviceAccount.annotations.x=true'],
    "at '/serviceAccount/annotations/x': got boolean, want string",
  ],
  'a label that is no text': [
    [...COMPLETE, 'podMonitor.labels.x=true'],
    "at '/podMonitor/labels/x': got boolean, want string",
  ],
  'a label with blanks': [[...COMPLETE, 'alerts.labels.x=a b'], "at '/alerts/labels/x'"],
  'the name of a Secret in place of an object': [
    [...COMPLETE, 'imagePullSecrets[0]=regcred'],
    "at '/imagePullSecrets/0': got string, want object",
  ],
  'a limit that is no quantity': [
    [...COMPLETE, 'resources.limits.memory=lots'],
    "at '/resources/limits/memory'",
  ],
  'a limit of something unknown': [
    [...COMPLETE, 'resources.limits.mem=1Gi'],
    "invalid propertyName 'mem'",
  ],
  'an unknown field of resources': [
    [...COMPLETE, 'resources.limit.memory=1Gi'],
    "invalid propertyName 'limit'",
  ],
  'an unknown field of a toleration': [
    [...COMPLETE, 'tolerations[0].foo=x'],
    "at '/tolerations/0': additional properties 'foo' not allowed",
  ],
  'a toleration of no key that does not say Exists': [
    [...COMPLETE, 'tolerations[0].effect=NoSchedule'],
    "at '/tolerations/0': missing property 'operator'",
  ],
  'a toleration that says Exists and has a value': [
    [...COMPLETE, 'tolerations[0].operator=Exists', 'tolerations[0].value=a'],
    "at '/tolerations/0/value'",
  ],
  'a time for a toleration that does not end': [
    [...COMPLETE, 'tolerations[0].key=a', 'tolerations[0].tolerationSeconds=5'],
    "at '/tolerations/0': missing property 'effect'",
  ],
  'a PriorityClass that cannot be': [
    [...COMPLETE, 'priorityClassName=A_B'],
    "at '/priorityClassName'",
  ],
  'a variable from nowhere': [[...COMPLETE, 'env.A.from=x'], "at '/env/A'"],
  'a variable that is a number': [[...COMPLETE, 'env.A.value=5'], "at '/env/A/value'"],
  'a security group that is none': [
    [...COMPLETE, 'settings.ALBRIDGE_BACKEND_SECURITY_GROUPS=foo'],
    "at '/settings/ALBRIDGE_BACKEND_SECURITY_GROUPS'",
  ],
  'an address that is none': [
    [...COMPLETE, 'settings.ALBRIDGE_METRICS_ADDRESS=foo'],
    "at '/settings/ALBRIDGE_METRICS_ADDRESS'",
  ],
  'a namespace that cannot be': [
    [...COMPLETE, 'settings.ALBRIDGE_NAMESPACES=Bad_NS', 'settings.ALBRIDGE_CLUSTER_ID=a'],
    "at '/settings/ALBRIDGE_NAMESPACES'",
  ],
  'namespaces without a cluster id': [
    [...COMPLETE, 'settings.ALBRIDGE_NAMESPACES=web'],
    "at '/settings': missing property 'ALBRIDGE_CLUSTER_ID'",
  ],
  'one namespace with a blank cluster id': [
    [...COMPLETE, 'singleNamespace=true', 'settings.ALBRIDGE_CLUSTER_ID= '],
    "at '/settings/ALBRIDGE_CLUSTER_ID'",
  ],
  'no kind': [
    [...COMPLETE, ...KIND_NAMES.map((name) => `kinds.${name}=false`)],
    'kinds: all are false, set at least one to true',
  ],
  'guardrails with a list that is none': [
    [...COMPLETE, 'guardrails.parameters.Foo=bar'],
    "invalid propertyName 'Foo'",
  ],
  'guardrails with namespaces of default': [
    [...COMPLETE, 'guardrails.parameters.default\\.namespaces=web'],
    "invalid propertyName 'default.namespaces'",
  ],
  'guardrails with an entry that is none': [
    [...COMPLETE, 'guardrails.parameters.default\\.schemes=internal bogus'],
    "at '/guardrails/parameters/default.schemes'",
  ],
  'guardrails with an entry that is none after a comma': [
    [
      ...COMPLETE,
      'guardrails.parameters.default\\.certificates=arn:aws:acm:eu-central-1:111122223333:certificate/a\\,b',
    ],
    "at '/guardrails/parameters/default.certificates'",
  ],
  'a variable of a Secret without a key': [
    [...COMPLETE, 'env.A.valueFrom.secretKeyRef.name=x'],
    "at '/env/A/valueFrom/secretKeyRef': missing property 'key'",
  ],
  'a variable of a ConfigMap by an unknown field': [
    [...COMPLETE, 'env.A.valueFrom.configMapKeyRef.nope=x'],
    "additional properties 'nope' not allowed",
  ],
  'a variable of a field that pods do not have': [
    [...COMPLETE, 'env.A.valueFrom.fieldRef.fieldPath=metadata.bogus'],
    "at '/env/A/valueFrom/fieldRef/fieldPath'",
  ],
  'a variable that the chart sets by another value': [
    [...COMPLETE, 'env.AWS_REGION=us-east-1'],
    'env.AWS_REGION: set region in its place',
  ],
  'a variable that the chart sets by kinds': [
    [...COMPLETE, 'env.ALBRIDGE_KINDS=x'],
    'env.ALBRIDGE_KINDS: set kinds in its place',
  ],
  'a variable whose rights come with a value': [
    [...COMPLETE, 'env.ALBRIDGE_SECRETS.value=on'],
    'env.ALBRIDGE_SECRETS: set secrets.enabled in its place',
  ],
  'gates whose rights come with a value': [
    [...COMPLETE, 'env.ALBRIDGE_READINESS_GATES.value=on'],
    'env.ALBRIDGE_READINESS_GATES: set readinessGates.enabled in its place',
  ],
  'gates in mode observe': [
    [...COMPLETE, 'readinessGates.enabled=true', 'settings.ALBRIDGE_MODE= observe '],
    'readinessGates.enabled: nobody opens the gates in mode observe, leave settings.ALBRIDGE_MODE out',
  ],
  'gates in a mode by a variable': [
    [...COMPLETE, 'readinessGates.enabled=true', 'env.ALBRIDGE_MODE.value=observe'],
    'env.ALBRIDGE_MODE: leave it out, readinessGates.enabled needs the mode reconcile',
  ],
  'gates in a mode that only the cluster knows': [
    [
      ...[...COMPLETE, 'readinessGates.enabled=true'],
      'env.ALBRIDGE_MODE.valueFrom.configMapKeyRef.name=a',
      'env.ALBRIDGE_MODE.valueFrom.configMapKeyRef.key=mode',
    ],
    'env.ALBRIDGE_MODE: leave it out, readinessGates.enabled needs the mode reconcile',
  ],
  'gates without MyIngress': [
    [...COMPLETE, 'readinessGates.enabled=true', 'kinds.myingress=false'],
    'readinessGates.enabled: only kinds.myingress opens the gates, set both to true or neither',
  ],
  'Secrets without ConfigMonitor': [
    [
      ...[...COMPLETE, 'secrets.enabled=true'],
      ...['kinds.configmonitor=false', 'kinds.configmap-annotation=false'],
    ],
    'secrets.enabled: only kinds.configmonitor reads Secrets, set both to true or neither',
  ],
  'the name of the pod': [[...COMPLETE, 'env.POD_NAME=x'], 'env.POD_NAME: leave it out'],
  'a setting that is a variable too': [
    [...COMPLETE, 'env.ALBRIDGE_CLUSTER_ID=a', 'settings.ALBRIDGE_CLUSTER_ID=b'],
    'env.ALBRIDGE_CLUSTER_ID: settings.ALBRIDGE_CLUSTER_ID is set too, leave one of them out',
  ],
  'an annotation that the chart sets': [
    [...COMPLETE, 'podAnnotations.checksum/settings=x'],
    'podAnnotations: leave checksum/settings out',
  ],
  'a label that the chart sets': [
    [...COMPLETE, 'podMonitor.labels.app\\.kubernetes\\.io/name=x'],
    'podMonitor.labels: leave app.kubernetes.io/name out',
  ],
  'namespaces beside the one of the release': [
    [
      ...[...COMPLETE, 'singleNamespace=true', 'settings.ALBRIDGE_CLUSTER_ID=a'],
      'settings.ALBRIDGE_NAMESPACES=web',
    ],
    'settings.ALBRIDGE_NAMESPACES: leave it out',
  ],
  'namespaces by a variable, without a cluster id': [
    [...COMPLETE, 'env.ALBRIDGE_NAMESPACES.value=web'],
    'env.ALBRIDGE_NAMESPACES: set settings.ALBRIDGE_CLUSTER_ID too, the default cannot be read',
  ],
  'roles of users, which are of the whole cluster, for one namespace': [
    [
      ...[...COMPLETE, 'singleNamespace=true', 'settings.ALBRIDGE_CLUSTER_ID=a'],
      'userRoles.enabled=true',
    ],
    'userRoles.enabled: roles of users are of the whole cluster, set it in the release of values/cluster.yaml',
  ],
  'more replicas than an integer holds': [[...COMPLETE, 'replicas=3000000000'], "at '/replicas'"],
  'no election, since each rollout runs two pods': [
    [...COMPLETE, 'settings.ALBRIDGE_LEADER_ELECTION=off', 'replicas=1'],
    "at '/settings/ALBRIDGE_LEADER_ELECTION'",
  ],
  'no election, as YAML reads off': [
    [...COMPLETE, 'settings.ALBRIDGE_LEADER_ELECTION=false'],
    "at '/settings/ALBRIDGE_LEADER_ELECTION'",
  ],
  'two replicas in mode observe, which holds no election': [
    [...COMPLETE, 'settings.ALBRIDGE_MODE= observe '],
    'replicas: all are active in mode observe, set it to 1, or settings.ALBRIDGE_LEADER_ELECTION to on',
  ],
  'two replicas in mode observe by a variable': [
    [...COMPLETE, 'env.ALBRIDGE_MODE=observe', 'settings.ALBRIDGE_LEADER_ELECTION='],
    'replicas: all are active in mode observe',
  ],
  'two replicas in mode observe by the value of a variable': [
    [...COMPLETE, 'env.ALBRIDGE_MODE.value=observe'],
    'replicas: all are active in mode observe',
  ],
  'a setting of the manifests in a variable': [
    [...COMPLETE, 'env.LOG_FORMAT=pretty'],
    'env.LOG_FORMAT: set settings.LOG_FORMAT in its place',
  ],
  'no election by a variable': [
    [...COMPLETE, 'env.ALBRIDGE_LEADER_ELECTION=off'],
    'env.ALBRIDGE_LEADER_ELECTION: set settings.ALBRIDGE_LEADER_ELECTION in its place',
  ],
  'no health endpoint by a variable': [
    [...COMPLETE, 'env.ALBRIDGE_HEALTH_ADDRESS=off'],
    'env.ALBRIDGE_HEALTH_ADDRESS: set settings.ALBRIDGE_HEALTH_ADDRESS in its place',
  ],
  'metrics on another port by a variable': [
    [...COMPLETE, 'env.ALBRIDGE_METRICS_ADDRESS=:9090'],
    'env.ALBRIDGE_METRICS_ADDRESS: set settings.ALBRIDGE_METRICS_ADDRESS in its place',
  ],
  'namespaces beside the one of the release by a variable': [
    [
      ...[...COMPLETE, 'singleNamespace=true', 'settings.ALBRIDGE_CLUSTER_ID=a'],
      'env.ALBRIDGE_NAMESPACES=web',
    ],
    'env.ALBRIDGE_NAMESPACES: leave it out',
  ],
  'a Service for metrics that are off': [
    [...COMPLETE, 'settings.ALBRIDGE_METRICS_ADDRESS=off', 'metricsService.enabled=true'],
    'metricsService.enabled: /metrics is off, leave settings.ALBRIDGE_METRICS_ADDRESS out',
  ],
  'scrapes of metrics that are off': [
    [...COMPLETE, 'settings.ALBRIDGE_METRICS_ADDRESS=0', 'podMonitor.enabled=true'],
    'podMonitor.enabled: /metrics is off',
  ],
  'alerts on metrics that are off': [
    [...COMPLETE, 'settings.ALBRIDGE_METRICS_ADDRESS= off ', 'alerts.enabled=true'],
    'alerts.enabled: /metrics is off',
  ],
  'no health endpoint': [
    [...COMPLETE, 'settings.ALBRIDGE_HEALTH_ADDRESS=off'],
    "at '/settings/ALBRIDGE_HEALTH_ADDRESS'",
  ],
  'health on a port without a probe': [
    [...COMPLETE, 'settings.ALBRIDGE_HEALTH_ADDRESS=:9090'],
    "at '/settings/ALBRIDGE_HEALTH_ADDRESS'",
  ],
  'metrics on a port without a Service': [
    [...COMPLETE, 'settings.ALBRIDGE_METRICS_ADDRESS=:9090'],
    "at '/settings/ALBRIDGE_METRICS_ADDRESS'",
  ],
  'logs for a terminal': [[...COMPLETE, 'settings.LOG_FORMAT=pretty'], "at '/settings/LOG_FORMAT'"],
  'a volume without a name': [
    [...COMPLETE, 'volumes[0].emptyDir.medium=Memory'],
    "at '/volumes/0': missing property 'name'",
  ],
  'a volume of an unknown source': [
    [...COMPLETE, 'volumes[0].name=ca', 'volumes[0].configmap.name=ca'],
    "at '/volumes/0': additional properties 'configmap' not allowed",
  ],
  'a volume of two sources': [
    [...COMPLETE, 'volumes[0].name=ca', 'volumes[0].csi.driver=a', 'volumes[0].nfs.path=/'],
    "at '/volumes/0': maxProperties: got 3, want 2",
  ],
  'a volume of a Secret by the field of a ConfigMap': [
    [...COMPLETE, 'volumes[0].name=ca', 'volumes[0].secret.name=ca'],
    "at '/volumes/0/secret': missing property 'secretName'",
  ],
  'a volume of a ConfigMap without its name': [
    [...COMPLETE, 'volumes[0].name=ca', 'volumes[0].configMap.optional=true'],
    "at '/volumes/0/configMap': missing property 'name'",
  ],
  'two volumes of a name': [
    [...COMPLETE, 'volumes[0].name=ca', 'volumes[1].name=ca'],
    'volumes: ca is there twice',
  ],
  'two mounts at a path': [
    [
      ...[...COMPLETE, 'volumes[0].name=a', 'volumeMounts[0].name=a', 'volumeMounts[1].name=a'],
      ...['volumeMounts[0].mountPath=/a', 'volumeMounts[1].mountPath=/a'],
    ],
    'volumeMounts: /a is there twice',
  ],
  'a mount of two parts of a volume': [
    [...MOUNTED, 'volumeMounts[0].subPath=a', 'volumeMounts[0].subPathExpr=a'],
    "at '/volumeMounts/0/subPathExpr'",
  ],
  'a mount that reaches the node': [
    [...MOUNTED, 'volumeMounts[0].mountPropagation=Bidirectional'],
    "at '/volumeMounts/0/mountPropagation'",
  ],
  'a mount that is to be read-only below alone': [
    [...MOUNTED, 'volumeMounts[0].recursiveReadOnly=Enabled'],
    "at '/volumeMounts/0': missing property 'readOnly'",
  ],
  'a mount of a volume that is not there': [
    [...COMPLETE, 'volumeMounts[0].name=ca', 'volumeMounts[0].mountPath=/ca'],
    'volumeMounts: there is no ca in volumes',
  ],
  'claims of devices that the pods cannot have': [
    [...COMPLETE, 'resources.claims[0].name=x'],
    "invalid propertyName 'claims'",
  ],
};

it.each(Object.entries(refusals))('%s: refused, and named', async (_name, [sets, says]) => {
  const { code, stdout, stderr } = await helm.try(['template', CHART, ...setAll(sets)]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(says);
});
