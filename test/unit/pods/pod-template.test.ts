import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/core/objects/kube-object.ts';
import {
  describeLongTemplate,
  LONGEST_POD_TEMPLATE,
  mergePodTemplate,
  type OwnPod,
  type PodTemplate,
  trimTemplateOwner,
} from '../../../src/pods/pod-template.ts';

const OWN: OwnPod = {
  labels: { app: 'shop' },
  container: { name: 'app', image: 'nginx:1', ports: [{ name: 'http', containerPort: 80 }] },
  defaults: {
    pod: { terminationGracePeriodSeconds: 60, readinessGates: [{ conditionType: 'ours' }] },
    container: {
      readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 5 },
      lifecycle: { preStop: { sleep: { seconds: 20 } } },
    },
  },
};

interface Case {
  readonly why: string;
  readonly template: PodTemplate;
  /** A part of the merged template. */
  readonly merged: object;
}

const app = (fields: object): PodTemplate => ({
  spec: { containers: [{ name: 'app', ...fields }] },
});
const first = (fields: object): object => ({ spec: { containers: [fields] } });

const CASES: Readonly<Record<string, Case>> = {
  'no template': {
    why: 'what albridge sets by itself',
    template: {},
    merged: {
      metadata: { labels: { app: 'shop' } },
      spec: {
        automountServiceAccountToken: false,
        securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
        terminationGracePeriodSeconds: 60,
        readinessGates: [{ conditionType: 'ours' }],
        containers: [
          {
            name: 'app',
            image: 'nginx:1',
            ports: [{ name: 'http', containerPort: 80 }],
            securityContext: { allowPrivilegeEscalation: false },
            readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 5 },
            lifecycle: { preStop: { sleep: { seconds: 20 } } },
          },
        ],
      },
    },
  },
  'labels and annotations': {
    why: 'the selector finds pods by ours',
    template: { metadata: { labels: { app: 'evil', tier: 'web' }, annotations: { a: 'b' } } },
    merged: { metadata: { labels: { app: 'shop', tier: 'web' }, annotations: { a: 'b' } } },
  },
  'fields of our container': {
    why: 'merged by its name; image, name and port are ours',
    template: app({ image: 'evil', resources: { limits: { cpu: 1 } }, env: [{ name: 'A' }] }),
    merged: first({ image: 'nginx:1', resources: { limits: { cpu: 1 } }, env: [{ name: 'A' }] }),
  },
  'further ports': {
    why: 'two ports differ by number and protocol',
    template: app({ ports: [{ containerPort: 80, name: 'x' }, { containerPort: 9090 }] }),
    merged: first({ ports: [{ containerPort: 80, name: 'http' }, { containerPort: 9090 }] }),
  },
  'a sidecar': {
    why: 'ours is first, so that kubectl logs shows it; both gain no privileges',
    template: { spec: { containers: [{ name: 'proxy', image: 'envoy:1' }] } },
    merged: {
      spec: {
        containers: [
          { name: 'app', image: 'nginx:1' },
          {
            name: 'proxy',
            image: 'envoy:1',
            securityContext: { allowPrivilegeEscalation: false },
          },
        ],
      },
    },
  },
  'our container behind another one': {
    why: 'the order of the template stays',
    template: { spec: { containers: [{ name: 'proxy' }, { name: 'app', tty: true }] } },
    merged: { spec: { containers: [{ name: 'proxy' }, { name: 'app', tty: true }] } },
  },
  'init containers and volumes': {
    why: 'taken as they are, with the same limits',
    template: {
      spec: { initContainers: [{ name: 'wait' }], volumes: [{ name: 'tmp', emptyDir: {} }] },
    },
    merged: {
      spec: {
        initContainers: [{ name: 'wait', securityContext: { allowPrivilegeEscalation: false } }],
        volumes: [{ name: 'tmp', emptyDir: {} }],
      },
    },
  },
  'another readiness probe': {
    why: 'a probe has one way of asking',
    template: app({ readinessProbe: { httpGet: { path: '/healthz', port: 80 } } }),
    merged: first({ readinessProbe: { httpGet: { path: '/healthz', port: 80 } } }),
  },
  'another period of our probe': {
    why: 'it still connects to the port',
    template: app({ readinessProbe: { periodSeconds: 10 } }),
    merged: first({ readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 10 } }),
  },
  'another end of the pods': {
    why: 'a hook has one way, and the choice of the user stays',
    template: {
      spec: {
        terminationGracePeriodSeconds: 90,
        containers: [{ name: 'app', lifecycle: { preStop: { exec: { command: ['x'] } } } }],
      },
    },
    merged: {
      spec: {
        terminationGracePeriodSeconds: 90,
        containers: [{ lifecycle: { preStop: { exec: { command: ['x'] } } } }],
      },
    },
  },
  'a readiness gate of others': {
    why: 'pods wait for both',
    template: {
      spec: { readinessGates: [{ conditionType: 'theirs' }, { conditionType: 'ours' }] },
    },
    merged: { spec: { readinessGates: [{ conditionType: 'ours' }, { conditionType: 'theirs' }] } },
  },
  'a user that is not root': {
    why: 'all that Pod Security restricted asks for besides is a default',
    template: { spec: { securityContext: { runAsNonRoot: true } } },
    merged: {
      spec: {
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [
          {
            securityContext: {
              allowPrivilegeEscalation: false,
              capabilities: { drop: ['ALL'] },
            },
          },
        ],
      },
    },
  },
  'a token': {
    why: 'the limits are defaults; whether it is admitted is for the policies',
    template: { spec: { automountServiceAccountToken: true } },
    merged: { spec: { automountServiceAccountToken: true } },
  },
  'values of the wrong type': {
    why: 'the API server names them',
    template: {
      spec: { securityContext: 'x', initContainers: 'y', containers: [{ name: 'app', env: 'z' }] },
    },
    merged: { spec: { securityContext: 'x', initContainers: 'y', containers: [{ env: 'z' }] } },
  },
  'a null': {
    why: 'it says nothing',
    template: app({ readinessProbe: null, tty: null }),
    merged: first({ readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 5 } }),
  },
};

describe('a pod template', () => {
  it.each(Object.entries(CASES))('with %s', (_name, { why, template, merged }) => {
    expect(mergePodTemplate(OWN, template), why).toMatchObject(merged);
  });

  it('keeps capabilities where a container may gain privileges', () => {
    const securityContext = { runAsNonRoot: true, allowPrivilegeEscalation: true };
    const merged = mergePodTemplate(OWN, app({ securityContext }));
    expect(JSON.stringify(merged)).not.toContain('capabilities');
  });

  it('is written as in earlier releases where there is none', () => {
    expect(Object.keys(mergePodTemplate(OWN).spec)).toEqual([
      ...['automountServiceAccountToken', 'securityContext', 'terminationGracePeriodSeconds'],
      ...['readinessGates', 'containers'],
    ]);
    const [container] = mergePodTemplate(OWN).spec['containers'] as readonly object[];
    expect(Object.keys(container ?? {})).toEqual([
      ...['name', 'image', 'ports', 'securityContext', 'readinessProbe', 'lifecycle'],
    ]);
  });
});

const RUNS = { numRuns: 60 };
const name = fc.constantFrom('app', 'proxy', 'tmp', 'wait');
const anything = fc.jsonValue({ maxDepth: 2 });
const named = fc.uniqueArray(
  fc.record(
    {
      name,
      image: fc.string(),
      ports: fc.uniqueArray(fc.record({ containerPort: fc.integer({ min: 80, max: 82 }) }), {
        selector: ({ containerPort }) => containerPort,
      }),
      env: anything,
      lifecycle: fc.dictionary(fc.constantFrom('preStop', 'postStart'), anything),
      readinessProbe: fc.dictionary(fc.constantFrom('exec', 'periodSeconds'), anything),
      securityContext: anything,
    },
    { requiredKeys: ['name'] },
  ),
  { selector: (item) => item.name },
);
const templates = fc.record(
  {
    metadata: fc.record(
      { labels: fc.dictionary(fc.constantFrom('app', 'tier'), fc.string()) },
      { requiredKeys: [] },
    ),
    spec: fc.record(
      {
        containers: named,
        initContainers: named,
        volumes: named,
        securityContext: anything,
        readinessGates: fc.array(fc.record({ conditionType: fc.constantFrom('ours', 'theirs') })),
        terminationGracePeriodSeconds: fc.integer(),
        other: anything,
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<PodTemplate>;

describe('any pod template', () => {
  it('leaves our own fields as they are, and loses none of its containers', () => {
    fc.assert(
      fc.property(templates, (template) => {
        const { metadata, spec } = mergePodTemplate(OWN, template);
        expect(metadata.labels).toMatchObject(OWN.labels);
        const containers = spec['containers'] as readonly { readonly name: string }[];
        expect(containers.find((one) => one.name === 'app')).toMatchObject({
          ...OWN.container,
          ports: expect.arrayContaining([{ name: 'http', containerPort: 80 }]),
        });
        const given = (template.spec?.['containers'] ?? []) as readonly { readonly name: string }[];
        const names = new Set(['app', ...given.map((one) => one.name)]);
        expect(new Set(containers.map((one) => one.name))).toEqual(names);
        expect(containers).toHaveLength(names.size);
      }),
      RUNS,
    );
  });

  it('is merged once: the result with ours is the same', () => {
    fc.assert(
      fc.property(templates, (template) => {
        const once = mergePodTemplate(OWN, template);
        expect(mergePodTemplate(OWN, once)).toEqual(once);
      }),
      RUNS,
    );
  });
});

describe('a template in memory', () => {
  const owner = (podTemplate?: object): KubeObject =>
    ({
      ...{ apiVersion: 'apps.example.com/v1', kind: 'WebApp', metadata: { name: 'shop' } },
      spec: { image: 'a', ...(podTemplate && { podTemplate }) },
    }) as KubeObject;
  const templateOf = (object: KubeObject): object | undefined =>
    (object as unknown as { readonly spec: { readonly podTemplate?: object } }).spec.podTemplate;

  it('is held as it is up to its bound', () => {
    const longest = { spec: { a: 'x'.repeat(LONGEST_POD_TEMPLATE - 17) } };
    expect(JSON.stringify(longest)).toHaveLength(LONGEST_POD_TEMPLATE);
    expect(trimTemplateOwner(owner(longest))).toEqual(owner(longest));
    expect(describeLongTemplate(longest)).toBeUndefined();
    expect(trimTemplateOwner(owner())).toEqual(owner());
  });

  const nest = (levels: number): object =>
    Array.from({ length: levels }).reduce<object>((inner) => [inner], []);

  it.each([64, 5_000, 9_000])('is left out where it is nested by %i levels', (levels) => {
    const held = trimTemplateOwner(owner({ spec: { a: nest(levels) } }));
    expect(describeLongTemplate(templateOf(held))).toContain('more than 64 levels');
    expect(templateOf(trimTemplateOwner(owner({ spec: { a: nest(61) } })))).toHaveProperty('spec');
  });

  it('is left out beyond it, which is said', () => {
    const held = trimTemplateOwner(owner({ spec: { a: 'x'.repeat(LONGEST_POD_TEMPLATE - 16) } }));
    expect(JSON.stringify(held).length).toBeLessThan(200);
    expect(describeLongTemplate(templateOf(held))).toContain('more than 16384 characters');
  });
});
