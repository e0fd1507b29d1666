import { expect, it } from 'vitest';
import type { ImmortalContainer } from '../../../src/apis/immortal-container.ts';
import type { MyApp } from '../../../src/apis/my-app.ts';
import { desirePod } from '../../../src/controllers/immortal-container/desired-pod.ts';
import { desirePods } from '../../../src/controllers/my-app/desired-pods.ts';
import { ensureOwned, isWrittenAs } from '../../../src/core/children/owned-objects.ts';
import type { KubeObject } from '../../../src/core/objects/kube-object.ts';
import { trimChild } from '../../../src/setup/labelled-children.ts';
import { FakeKube } from '../../fakes/fake-kube.ts';

const TEMPLATES: Readonly<Record<string, object>> = {
  'no template': {},
  'labels alone': { metadata: { labels: { team: 'a' } } },
  'resources of the container': {
    spec: { containers: [{ name: 'acontainer', resources: { requests: { cpu: '100m' } } }] },
  },
  'a volume': { spec: { volumes: [{ name: 'tmp', emptyDir: {} }] } },
  'a node selector': { spec: { nodeSelector: { disk: 'ssd' } } },
  'a security context': { spec: { securityContext: { runAsNonRoot: true, runAsUser: 1000 } } },
};

const metadata = { name: 'shop', namespace: 'web' };

/** The pod as the cache holds it once others have removed its annotations, as `kubectl annotate pod` does. */
async function strip(owner: KubeObject, desired: KubeObject): Promise<KubeObject | undefined> {
  const kube = new FakeKube();
  const stored = kube.create(owner);
  const observed = kube.cache<KubeObject>('Pod', trimChild);
  const { signal } = new AbortController();
  await ensureOwned(stored, { desired: [desired], observed, writer: kube.childWriter(), signal });
  kube.editMeta(desired, { annotations: {} });
  return observed.list()[0];
}

async function isKnown(owner: KubeObject, desired: KubeObject): Promise<boolean> {
  const observed = await strip(owner, desired);
  return observed !== undefined && isWrittenAs(observed, desired, trimChild);
}

it.each(Object.entries(TEMPLATES))(
  'a pod of an ImmortalContainer with %s is known without its annotations',
  async (_, podTemplate) => {
    const apiVersion = 'immortalcontainer.flugel.it/v1alpha1';
    const spec = { image: 'nginx', podTemplate };
    const object = { apiVersion, kind: 'ImmortalContainer', metadata, spec };
    const pods = { observed: { get: () => undefined }, isWrittenAs: () => false };
    const desired = desirePod(object as unknown as ImmortalContainer, pods);
    expect(await isKnown(object, desired)).toBe(true);
  },
);

it.each(Object.entries(TEMPLATES))(
  'a pod of a MyApp with %s is known without its annotations',
  async (_, podTemplate) => {
    const spec = { image: 'nginx', replicas: 1, banner: 'x', podTemplate };
    const object = { apiVersion: 'demo.rtfm.co.ua/v1', kind: 'MyApp', metadata, spec };
    const [desired] = desirePods(object as unknown as MyApp);
    expect(await isKnown(object, desired as KubeObject)).toBe(true);
  },
);

it('a pod of another image is not', async () => {
  const object = { apiVersion: 'demo.rtfm.co.ua/v1', kind: 'MyApp', metadata };
  const [before, desired] = ['nginx', 'httpd'].flatMap((image) =>
    desirePods({ ...object, spec: { image, replicas: 1, banner: 'x' } } as unknown as MyApp),
  );
  const observed = await strip(object, before as KubeObject);
  expect(isWrittenAs(observed as KubeObject, desired as KubeObject, trimChild)).toBe(false);
});
