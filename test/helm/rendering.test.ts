import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KIND_NAMES } from '../../src/apis/kind-names.ts';
import { locateBinaries } from '../control-plane/locate.ts';
import { comparable } from './comparison.ts';
import { CHART, COMPLETE, Helm, type Manifest, ROOT, setAll } from './helm.ts';
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
  it('need no region without MyIngress', async () => {
    const sets = ['image.repository=albridge', 'kinds.myingress=false'];
    expect(await helm.template(setAll(sets))).not.toEqual([]);
  });

  it.each(['123', 'no', '1e3'])(
    'name the namespace %s of the release as a text, which YAML reads otherwise',
    async (namespace) => {
      const on = ['readinessGates', 'secrets', 'metricsService', 'podMonitor', 'alerts'];
      const sets = [...COMPLETE, ...on.map((part) => `${part}.enabled=true`)];
      const one = ['singleNamespace=true', 'settings.ALBRIDGE_CLUSTER_ID=a'];
      for (const more of [[], one]) {
        const args = ['--namespace', namespace, ...setAll([...sets, ...more])];
        // As Helm reads it: YAML 1.1.
        const rendered = await helm.template(args, '1.1');
        const text = JSON.stringify(rendered);
        expect(text.match(/"namespace":(?!["{])[^,}]*/g)).toBe(null);
        expect(text).toContain(`"namespace":"${namespace}"`);
      }
    },
  );

  it('in env may have a name that is no text in YAML', async () => {
    const rendered = await helm.template(setAll([...COMPLETE, 'env.no=x']));
    const deployment = JSON.stringify(rendered.find(({ kind }) => kind === 'Deployment'));
    expect(deployment).toContain('{"name":"no","value":"x"}');
  });

  it('in env replace a variable of the Deployment', async () => {
    const sets = [
      'env.NODE_OPTIONS=--trace-warnings',
      'env.LOG_LEVEL.valueFrom.fieldRef.fieldPath=spec.nodeName',
      'env.AWS_EC2_METADATA_DISABLED.value=off',
    ];
    const rendered = await helm.template(setAll([...COMPLETE, ...sets]));
    const deployment = rendered.find(({ kind }) => kind === 'Deployment') as unknown as {
      readonly spec: { template: { spec: { containers: [{ env: { name: string }[] }] } } };
    };
    const { env } = deployment.spec.template.spec.containers[0];
    const names = ['AWS_EC2_METADATA_DISABLED', 'LOG_LEVEL', 'NODE_OPTIONS'];
    expect(env.filter(({ name }) => names.includes(name))).toEqual([
      { name: 'AWS_EC2_METADATA_DISABLED', value: 'off' },
      { name: 'LOG_LEVEL', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
      { name: 'NODE_OPTIONS', value: '--trace-warnings' },
    ]);
  });

  it.each([
    ['settings.ALBRIDGE_NAMESPACES=web\\, shop\\,', 'settings.ALBRIDGE_CLUSTER_ID=a'],
    ['settings.ALBRIDGE_NAMESPACES=web', 'env.ALBRIDGE_CLUSTER_ID=a'],
    ['settings.ALBRIDGE_NAMESPACES= '],
    ['settings.ALBRIDGE_BACKEND_SECURITY_GROUPS=sg-1\\, sg-2'],
    ['resources.limits.cpu=2', 'resources.requests.cpu=0.5', 'resources.limits.memory=1.5Gi'],
    ['nodeSelector=null', 'podAnnotations=null', 'resources.requests=null'],
    ['podAnnotations.example\\.com/team=a text: with {anything}', 'podMonitor.labels.release='],
    ['settings.ALBRIDGE_LEADER_ELECTION=on', 'settings.ALBRIDGE_MODE=observe'],
    ['settings.ALBRIDGE_LEADER_ELECTION=true', 'env.ALBRIDGE_MODE=observe'],
    ['replicas=1', 'settings.ALBRIDGE_MODE=observe'],
    ['settings.ALBRIDGE_METRICS_ADDRESS=off', 'settings.ALBRIDGE_HEALTH_ADDRESS=[::]:8081'],
    [
      ...['volumes[0].name=ca', 'volumes[0].configMap.name=ca'],
      ...['volumeMounts[0].name=ca', 'volumeMounts[0].mountPath=/ca'],
    ],
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

describe('the values of the pages', () => {
  it.each([
    ['docs/install.md', 'env:', '"mountPath":"/etc/proxy-ca"'],
    ['docs/security.md', 'guardrails:', '"name":"tenants"'],
  ])('of %s from %s render', async (page, first, has) => {
    const text = await readFile(resolve(ROOT, page), 'utf8');
    const values = text.split('```yaml\n').find((block) => block.startsWith(`${first}\n`)) ?? '';
    const directory = await mkdtemp(join(tmpdir(), 'albridge-values-'));
    const file = join(directory, 'values.yaml');
    await writeFile(file, values.split('```')[0] ?? '');
    const rendered = await helm.template([...setAll(COMPLETE), '--values', file]);
    await rm(directory, { recursive: true });
    expect(JSON.stringify(rendered)).toContain(has);
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
