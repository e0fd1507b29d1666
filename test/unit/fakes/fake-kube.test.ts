import { describeObjectStore, type StoreUnderTest } from '../../contract/object-store.ts';
import { FakeKube } from '../../fakes/fake-kube.ts';
import { probe } from '../core/controller/probe.ts';

describeObjectStore('the API server in memory', async () => open());

function open(): StoreUnderTest {
  const kube = new FakeKube();
  return {
    cache: kube.cache('Probe'),
    writer: kube.writer(),
    childCache: kube.cache('ConfigMap'),
    childWriter: kube.childWriter(),
    draft: (name) => probe(name),
    withEditedSpec: (object) => ({ ...object, spec: { size: 2 } }),
    people: {
      create: async (draft) => kube.create(draft),
      edit: async (object, change) => kube.edit(object, change),
      delete: async (object) => kube.delete(object),
      get: async (object) => kube.get(object),
    },
  };
}
