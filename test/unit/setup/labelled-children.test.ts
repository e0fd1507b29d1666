import { describe, expect, it } from 'vitest';
import type { MyApp } from '../../../src/apis/my-app.ts';
import type { WebApp } from '../../../src/apis/web-app.ts';
import { desirePods } from '../../../src/controllers/my-app/desired-pods.ts';
import { desireDeployment, desireService } from '../../../src/controllers/web-app/desired.ts';
import { ensureOwned, type OwnedChange } from '../../../src/core/children/owned-objects.ts';
import type { KubeObject } from '../../../src/core/objects/kube-object.ts';
import { trimChild } from '../../../src/setup/labelled-children.ts';
import { FakeKube } from '../../fakes/fake-kube.ts';

const LARGE = 'x'.repeat(1_000_000);
const MANY = Array.from({ length: 10_000 }, (_, index) => `${index}`);
const metadata = { name: 'shop', namespace: 'web', uid: 'u' };

function myApp(args: readonly string[]): MyApp {
  const spec = { image: 'nginx', replicas: 1, banner: '$'.repeat(4096), command: ['run'], args };
  return { apiVersion: 'demo.rtfm.co.ua/v1', kind: 'MyApp', metadata, spec } as unknown as MyApp;
}

const webApp = {
  ...{ apiVersion: 'apps.example.com/v2', kind: 'WebApp', metadata },
  spec: { image: 'registry.example/shop:1', port: 8080, replicas: 3 },
} as unknown as WebApp;

function podOf(args: readonly string[]): KubeObject & { readonly spec: object } {
  return desirePods(myApp(args))[0] as KubeObject & { readonly spec: object };
}

function controlledBy(kind: string, child: object): KubeObject {
  const apiVersion = 'demo.rtfm.co.ua/v1';
  const ownerReferences = [{ apiVersion, kind, name: 'o', uid: 'forged', controller: true }];
  const { metadata: more, ...others } = child as Partial<KubeObject>;
  const own = { ...metadata, ...more, ownerReferences };
  return { apiVersion: 'v1', kind: 'Pod', ...others, metadata: own };
}

const bloated: Readonly<Record<string, { readonly why: string; readonly child: object }>> = {
  'a large argument': {
    why: 'nobody bounds the arguments of a pod',
    child: { spec: { containers: [{ name: 'c', args: [LARGE] }] } },
  },
  'many arguments': {
    why: 'each of them is short',
    child: { spec: { containers: [{ name: 'c', args: MANY }] } },
  },
  'many variables': {
    why: 'they are no list of texts',
    child: {
      spec: { containers: [{ name: 'c', env: MANY.map((name) => ({ name, value: name })) }] },
    },
  },
  'many containers with many variables': {
    why: 'each list is short',
    child: {
      spec: {
        containers: MANY.map((name) => ({
          name,
          env: MANY.slice(0, 30).map((variable) => ({ name: variable, value: 'x'.repeat(200) })),
        })),
      },
    },
  },
  'large labels in a template': {
    why: 'labels are held with any name',
    child: {
      spec: {
        replicas: 1,
        template: { metadata: { labels: Object.fromEntries(MANY.map((name) => [name, 'x'])) } },
      },
    },
  },
  'a large unread field': {
    why: 'only what is read counts',
    child: { spec: { volumes: [{ name: LARGE }] }, data: LARGE },
  },
  'a Service with many annotations': {
    why: 'all of them are held while they are few',
    child: {
      kind: 'Service',
      metadata: {
        annotations: Object.fromEntries(MANY.map((name) => [name, LARGE.slice(0, 200)])),
      },
    },
  },
  'a status with long messages': {
    why: 'a container says why it ends',
    child: { status: { conditions: MANY.map((type) => ({ type, message: LARGE })) } },
  },
};

describe('a child with our labels in memory', () => {
  it.each(Object.entries(bloated))('is short in spite of %s', (_name, { child, why }) => {
    const held = trimChild(controlledBy('MyApp', child));
    expect(JSON.stringify(held).length, why).toBeLessThan(16_000);
  });

  it.each(Object.entries(bloated))('is the same for every owner: %s', (_name, { child, why }) => {
    const [ours, theirs] = ['MyApp', 'ReplicaSet'].map((kind) =>
      trimChild(controlledBy(kind, child)),
    );
    expect({ ...ours, metadata }, why).toEqual({ ...theirs, metadata });
  });

  it.each([
    ['pod', podOf(['short'])],
    ['Deployment', desireDeployment(webApp)],
    ['Service', desireService(webApp)],
  ])('keeps every field that is set in a %s', (_kind, desired) => {
    const short = JSON.parse(JSON.stringify(desired).replaceAll('$', ''));
    expect(trimChild(short)).toEqual(short);
  });

  it('keeps all annotations that a WebApp can give its Service, next to those of others', () => {
    const keys = MANY.slice(0, 16).map((name) => `${'a'.repeat(253)}/${name.padEnd(63, 'b')}`);
    const annotations = Object.fromEntries(keys.map((key) => [key, 'x'.repeat(256)]));
    const others = Object.fromEntries(keys.map((key) => [`others.${key.slice(7)}`, 'x']));
    const service = { type: 'NodePort', annotations } as const;
    const { metadata, ...desired } = desireService({
      ...webApp,
      spec: { ...webApp.spec, service },
    });
    const both = { ...others, ...metadata.annotations };
    const held = trimChild({ ...desired, metadata: { ...metadata, annotations: both } });
    expect(held).toEqual({ ...desired, metadata: { ...metadata, annotations: both } });
  });

  it('keeps all of a Deployment that a template of a WebApp can have set', () => {
    const env = MANY.slice(0, 50).map((name) => ({ name, value: 'x'.repeat(200) }));
    const podTemplate = {
      spec: {
        hostAliases: [{ ip: '192.0.2.1' }],
        containers: [{ name: 'app', env, livenessProbe: { grpc: { port: 1 } } }],
      },
    };
    const desired = desireDeployment({
      ...webApp,
      spec: { ...webApp.spec, podTemplate },
    });
    expect(trimChild(desired)).toEqual(desired);
  });

  it('keeps of a Deployment that is too large what is read', () => {
    const env = MANY.slice(0, 500).map((name) => ({ name, value: 'x'.repeat(200) }));
    const template = {
      spec: { terminationGracePeriodSeconds: 90, containers: [{ name: 'app', env }] },
    };
    const large = { kind: 'Deployment', spec: { replicas: 2, template } };
    const held = trimChild(controlledBy('WebApp', large));
    expect(JSON.stringify(held).length).toBeLessThan(16_000);
    expect(held).toMatchObject({
      spec: { replicas: 2, template: { spec: { terminationGracePeriodSeconds: 90 } } },
    });
  });

  it('keeps what is read of a child that is too large', () => {
    const env = MANY.map((name) => ({ name, value: 'x'.repeat(250) }));
    const spec = { nodeName: 'n', replicas: 2, containers: [{ name: 'c', env }] };
    const status = { phase: 'Running', startTime: null, message: LARGE };
    expect(trimChild(controlledBy('MyApp', { spec, status }))).toMatchObject({
      spec: { nodeName: 'n', replicas: 2 },
      status: { phase: 'Running', startTime: null },
    });
  });
});

describe('a WebApp whose Deployment has many variables of others', () => {
  it.each(['httpGet', 'exec', 'grpc'])(
    'keeps their %s probe, with no other next to it',
    (mechanism) => {
      const env = MANY.slice(0, 32).map((name) => ({ name, value: 'x'.repeat(250) }));
      const readinessProbe = { [mechanism]: { port: 80, path: LARGE, command: MANY } };
      const containers = [{ name: 'app', env, readinessProbe }];
      const spec = { replicas: 3, template: { metadata: { labels: {} }, spec: { containers } } };
      const observed = trimChild(controlledBy('WebApp', { spec }));
      expect(JSON.stringify(desireDeployment(webApp, { observed }))).not.toContain(
        'readinessProbe',
      );
      expect(JSON.stringify(observed).length).toBeLessThan(1_000);
    },
  );
});

describe('a WebApp behind a load balancer', () => {
  it.each([0, 32])('is seen to have its gate next to %i variables of others', (count) => {
    const desired = desireDeployment(webApp, { isBalanced: true });
    const template = JSON.parse(JSON.stringify(desired.spec)) as {
      readonly template: { readonly spec: { readonly containers: readonly object[] } };
    };
    const env = MANY.slice(0, count).map((name) => ({ name, value: 'x'.repeat(250) }));
    const containers = template.template.spec.containers.map((one) => ({ ...one, env }));
    const spec = {
      ...template,
      template: { ...template.template, spec: { ...template.template.spec, containers } },
    };
    const observed = trimChild(controlledBy('WebApp', { spec }));
    expect(desireDeployment(webApp, { observed })).toEqual(desired);
  });

  it.each([0, 32])('leaves others their grace period next to %i variables of theirs', (count) => {
    const env = MANY.slice(0, count).map((name) => ({ name, value: 'x'.repeat(250) }));
    const pod = { terminationGracePeriodSeconds: 300, containers: [{ name: 'app', env }] };
    const spec = { replicas: 3, template: { metadata: { labels: {} }, spec: pod } };
    const observed = trimChild(controlledBy('WebApp', { spec }));
    const desired = desireDeployment(webApp, { observed, isBalanced: true });
    expect(JSON.stringify(desired)).toContain('readinessGates');
    expect(JSON.stringify(desired)).not.toContain('terminationGracePeriodSeconds');
  });
});

describe('a pod whose long arguments are held as a digest', () => {
  const LONG = MANY.slice(0, 100);

  it.each([33, 64])('is not sent again while all %i are as desired', async (count) => {
    const kube = new FakeKube();
    const desired = podOf(MANY.slice(0, count));
    const owned = {
      ...{ desired: [desired], observed: kube.cache<KubeObject>('Pod', trimChild) },
      ...{ writer: kube.childWriter(), signal: new AbortController().signal },
    };
    const owner = kube.create(myApp(MANY.slice(0, count)));
    await ensureOwned(owner, owned);
    await ensureOwned(owner, owned);
    expect(kube.writes.map(({ verb }) => verb)).toEqual(['create']);
  });

  it('is not written again while they are as desired, and is repaired when they are not', async () => {
    const kube = new FakeKube();
    const observed = kube.cache<KubeObject>('Pod', trimChild);
    const owner = kube.create(myApp(LONG));
    const changes: OwnedChange[] = [];
    const ensure = (desired: KubeObject): Promise<void> =>
      ensureOwned(owner, {
        ...{ desired: [desired], observed, writer: kube.childWriter() },
        signal: new AbortController().signal,
        onChange: (change) => changes.push(change),
      });
    await ensure(podOf(LONG));
    await ensure(podOf(LONG));
    expect(changes.map(({ kind }) => kind)).toEqual(['created']);
    kube.edit(podOf(LONG), (live) => ({ ...live, spec: podOf([...LONG, 'more']).spec }));
    await ensure(podOf(LONG));
    expect(changes.at(-1)).toMatchObject({
      kind: 'repaired',
      differences: ['spec.containers[shop].args'],
    });
  });
});
