import { expect, it } from 'vitest';
import { ensureOwned } from '../../../../src/core/children/owned-objects.ts';
import type { KubeObject } from '../../../../src/core/objects/kube-object.ts';
import { FakeKube } from '../../../fakes/fake-kube.ts';
import { probe } from '../controller/probe.ts';

it('a pass does not end as if a child were there where a foreign one goes between create and read', async () => {
  const kube = new FakeKube();
  const cache = kube.cache<KubeObject>('Part');
  const owner = kube.create(probe());
  const part: KubeObject = {
    apiVersion: 'tests.albridge.io/v1',
    kind: 'Part',
    metadata: { name: 'a', namespace: 'web' },
  };
  const foreign = kube.create(part);
  const observed = {
    get: () => undefined,
    listOwned: (uid: string) => cache.listOwned(uid),
  };
  const writer = kube.childWriter();
  const create: typeof writer.create = async (child) => {
    const created = await writer.create(child);
    if (created === undefined) kube.delete(foreign);
    return created;
  };
  const { signal } = new AbortController();
  const owned = { desired: [part], observed, writer: { ...writer, create }, signal };
  await expect(ensureOwned(owner, owned)).rejects.toMatchObject({ reason: 'Replacing' });
});
