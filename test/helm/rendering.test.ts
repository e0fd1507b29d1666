import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KIND_NAMES } from '../../src/apis/kind-names.ts';
import { locateBinaries } from '../control-plane/locate.ts';
import { comparable } from './comparison.ts';
import { CHART, COMPLETE, Helm, type Manifest, setAll } from './helm.ts';
import { renderOverlay } from './kustomizations.ts';

/** What the chart renders, by the real helm, without a cluster. */

let helm: Helm;
let kubectl: string;

beforeAll(async () => {
  helm = await Helm.open();
  kubectl = (await locateBinaries(['kubectl'])).kubectl.path;
}, 600_000);

afterAll(() => helm?.close());

interface Case {
  readonly overlay: string;
  /** Below deploy; the overlay's own where left out. */
  readonly components?: readonly string[];
  readonly values: string;
  readonly sets?: readonly string[];
  readonly namespace?: string;
}

const ALL = 'components';

const MONITORING = [
  { component: 'metrics-service', value: 'metricsService' },
  { component: 'pod-monitor', value: 'podMonitor' },
  { component: 'alerts', value: 'alerts' },
] as const;

const CASES: Readonly<Record<string, Case>> = {
  'EKS with Pod Identity': { overlay: 'overlays/eks-pod-identity', values: 'eks-pod-identity' },
  'EKS with IRSA': { overlay: 'overlays/irsa', values: 'irsa' },
  LocalStack: { overlay: 'overlays/localstack', values: 'localstack' },
  'MyIngress alone': { overlay: 'overlays/myingress-only', values: 'myingress-only' },
  'one namespace': { overlay: 'overlays/namespaced', values: 'one-namespace', namespace: 'web' },
  'what one namespace needs of the administrator': { overlay: 'cluster', values: 'cluster' },
  'with readiness gates': {
    overlay: 'overlays/irsa',
    components: [ALL, 'components/readiness-gates'],
    values: 'irsa',
    sets: ['readinessGates.enabled=true'],
  },
  'one namespace with readiness gates': {
    overlay: 'overlays/namespaced',
    components: [ALL, 'components/readiness-gates'],
    values: 'one-namespace',
    sets: ['readinessGates.enabled=true'],
    namespace: 'web',
  },
  'with Secrets': {
    overlay: 'overlays/irsa',
    components: [ALL, 'components/secrets'],
    values: 'irsa',
    sets: ['secrets.enabled=true'],
  },
  'one namespace with Secrets': {
    overlay: 'overlays/namespaced',
    components: [ALL, 'components/secrets'],
    values: 'one-namespace',
    sets: ['secrets.enabled=true'],
    namespace: 'web',
  },
  'with guardrails': {
    overlay: 'overlays/irsa',
    components: [ALL, 'components/guardrails'],
    values: 'irsa',
    sets: ['guardrails.enabled=true'],
  },
  'with roles of users': {
    overlay: 'overlays/irsa',
    components: [ALL, 'components/user-roles'],
    values: 'irsa',
    sets: ['userRoles.enabled=true'],
  },
  'with scrapes and alerts': {
    overlay: 'overlays/irsa',
    components: [ALL, ...MONITORING.map(({ component }) => `components/${component}`)],
    values: 'irsa',
    sets: MONITORING.map(({ value }) => `${value}.enabled=true`),
  },
  'one namespace with scrapes and alerts': {
    overlay: 'overlays/namespaced',
    components: [ALL, ...MONITORING.map(({ component }) => `components/${component}`)],
    values: 'one-namespace',
    sets: MONITORING.map(({ value }) => `${value}.enabled=true`),
    namespace: 'web',
  },
  'MyIngress alone, with every component': {
    overlay: 'overlays/myingress-only',
    components: ['myingress', 'readiness-gates', 'guardrails', 'user-roles'].map(
      (name) => `components/${name}`,
    ),
    values: 'myingress-only',
    sets: ['readinessGates.enabled=true', 'guardrails.enabled=true', 'userRoles.enabled=true'],
  },
};

function render({
  values,
  sets = [],
  namespace = 'albridge-system',
}: Case): Promise<readonly Manifest[]> {
  const file = resolve(CHART, 'values', `${values}.yaml`);
  return helm.template(['--namespace', namespace, '--values', file, ...setAll(sets)]);
}

describe('the chart renders the objects of kustomize', () => {
  it.each(Object.entries(CASES))('%s', async (_name, testCase) => {
    const desired = comparable(await renderOverlay(kubectl, testCase.overlay, testCase.components));
    const rendered = comparable(await render(testCase));
    expect(Object.keys(rendered).toSorted()).toEqual(Object.keys(desired).toSorted());
    expect(rendered).toEqual(desired);
  });

  it('in a case for each overlay and each file of values', async () => {
    const used = Object.values(CASES);
    const values = (await readdir(resolve(CHART, 'values'))).map((name) =>
      name.replace('.yaml', ''),
    );
    expect(new Set(used.map((one) => one.values))).toEqual(new Set(values));
    const overlays = await readdir(resolve(CHART, '../overlays'));
    // It shows an operator without a token: nobody needs it as a value.
    const shipped = overlays
      .filter((name) => name !== 'kubectl-proxy')
      .map((name) => `overlays/${name}`);
    expect(used.map((one) => one.overlay)).toEqual(expect.arrayContaining(shipped));
  });

  it.each(KIND_NAMES)('of %s as the one kind', async (kind) => {
    // The annotation mode comes with ConfigMonitor.
    const kinds = kind === 'configmap-annotation' ? ['configmonitor', kind] : [kind];
    const components = kinds.map((name) => `components/${name}`);
    const desired = await renderOverlay(kubectl, 'overlays/irsa', components);
    const off = KIND_NAMES.filter((name) => !kinds.includes(name));
    const sets = off.map((name) => `kinds.${name}=false`);
    const rendered = comparable(await render({ overlay: '', values: 'irsa', sets }));
    const settings = 'ConfigMap/albridge-system/albridge-settings';
    expect(rendered[settings]).toMatchObject({ data: { ALBRIDGE_KINDS: kinds.toSorted().join() } });
    expect({ ...rendered, [settings]: undefined }).toEqual({
      ...comparable(desired),
      [settings]: undefined,
    });
  });
});

describe('values', () => {
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
  };

  it.each(Object.entries(refusals))('%s: refused, and named', async (_name, [sets, says]) => {
    const { code, stdout, stderr } = await helm.try(['template', CHART, ...setAll(sets)]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(says);
  });

  it('need no region without MyIngress', async () => {
    const sets = ['image.repository=albridge', 'kinds.myingress=false'];
    expect(await helm.template(setAll(sets))).not.toEqual([]);
  });

  it('in env may have a name that is no text in YAML', async () => {
    const rendered = await helm.template(setAll([...COMPLETE, 'env.no=x']));
    const deployment = JSON.stringify(rendered.find(({ kind }) => kind === 'Deployment'));
    expect(deployment).toContain('{"name":"no","value":"x"}');
  });

  it('in env replace a variable of the Deployment', async () => {
    const sets = [
      'env.NODE_OPTIONS=--trace-warnings',
      'env.LOG_LEVEL.valueFrom.fieldRef.fieldPath=spec.nodeName',
    ];
    const rendered = await helm.template(setAll([...COMPLETE, ...sets]));
    const deployment = rendered.find(({ kind }) => kind === 'Deployment') as unknown as {
      readonly spec: { template: { spec: { containers: [{ env: { name: string }[] }] } } };
    };
    const { env } = deployment.spec.template.spec.containers[0];
    expect(env.filter(({ name }) => ['NODE_OPTIONS', 'LOG_LEVEL'].includes(name))).toEqual([
      { name: 'LOG_LEVEL', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
      { name: 'NODE_OPTIONS', value: '--trace-warnings' },
    ]);
  });

  it.each([
    ['settings.ALBRIDGE_NAMESPACES=web\\, shop\\,', 'settings.ALBRIDGE_CLUSTER_ID=a'],
    ['settings.ALBRIDGE_NAMESPACES=web', 'env.ALBRIDGE_CLUSTER_ID=a'],
    ['settings.ALBRIDGE_NAMESPACES= '],
    ['settings.ALBRIDGE_METRICS_ADDRESS=[::1]:8080', 'settings.ALBRIDGE_HEALTH_ADDRESS=off'],
    ['settings.ALBRIDGE_BACKEND_SECURITY_GROUPS=sg-1\\, sg-2'],
    ['resources.limits.cpu=2', 'resources.requests.cpu=0.5', 'resources.limits.memory=1.5Gi'],
    ['nodeSelector=null', 'podAnnotations=null', 'resources.requests=null'],
    ['podAnnotations.example\\.com/team=a text: with {anything}', 'podMonitor.labels.release='],
    ['tolerations[0].operator=Exists', 'tolerations[0].value='],
    [
      'tolerations[0].key=a',
      'tolerations[0].effect=NoExecute',
      'tolerations[0].tolerationSeconds=5',
    ],
  ])('may be %s %s', async (...sets) => {
    expect(await helm.template(setAll([...COMPLETE, ...sets]))).not.toEqual([]);
  });

  it('place pods and pull images', async () => {
    const sets = [
      'nodeSelector.disk=ssd',
      'tolerations[0].key=dedicated',
      'priorityClassName=high',
      'imagePullSecrets[0].name=registry',
      `image.digest=sha256:${'0'.repeat(64)}`,
      'podAnnotations.team=web',
    ];
    const rendered = await helm.template(setAll([...COMPLETE, ...sets]));
    expect(rendered.find(({ kind }) => kind === 'Deployment')).toMatchObject({
      spec: {
        template: {
          metadata: { annotations: { team: 'web' } },
          spec: {
            nodeSelector: { disk: 'ssd' },
            tolerations: [{ key: 'dedicated' }],
            priorityClassName: 'high',
            imagePullSecrets: [{ name: 'registry' }],
            containers: [{ image: `albridge@sha256:${'0'.repeat(64)}` }],
          },
        },
      },
    });
  });
});

describe('helm lint --strict', () => {
  it.each([...new Set(Object.values(CASES).map(({ values }) => values))])(
    'finds nothing with values/%s.yaml',
    async (values) => {
      const file = resolve(CHART, 'values', `${values}.yaml`);
      const { code, stdout } = await helm.try(['lint', '--strict', CHART, '--values', file]);
      expect(stdout).toContain('0 chart(s) failed');
      expect(stdout).not.toMatch(/\[(WARNING|ERROR)\]/);
      expect(code).toBe(0);
    },
  );
});

it('the version of helm is the pinned one', async () => {
  const module = await readFile(
    resolve(import.meta.dirname, '../control-plane/modules/helm/go.mod'),
    'utf8',
  );
  const version = /helm\.sh\/helm\/v4 (v[\d.]+)/.exec(module)?.[1];
  expect(await helm.run(['version', '--template', '{{.Version}}'])).toBe(version);
});
