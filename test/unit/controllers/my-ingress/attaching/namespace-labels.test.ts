import { expect, it } from 'vitest';
import {
  type NamespaceCache,
  NamespaceLabels,
} from '../../../../../src/controllers/my-ingress/attaching/namespace-labels.ts';
import type { KubeObject } from '../../../../../src/core/objects/kube-object.ts';
import { FakeKube } from '../../../../fakes/fake-kube.ts';
import { settle } from './bench.ts';

/** Namespaces of a cluster, and how often their labels were said to change. */
class Bench {
  readonly kube = new FakeKube();
  readonly labels: NamespaceLabels;
  opened = 0;
  heard = 0;
  readonly #read = Promise.withResolvers<void>();
  readonly stop: () => void;

  constructor() {
    const cache = this.kube.cache<KubeObject>('Namespace');
    this.labels = new NamespaceLabels((): NamespaceCache => {
      this.opened += 1;
      return { cache, synced: this.#read.promise };
    });
    this.stop = this.labels.follow(() => {
      this.heard += 1;
    });
  }

  async allRead(): Promise<void> {
    this.#read.resolve();
    await settle();
  }
}

function draft(labels?: Readonly<Record<string, string>>): KubeObject {
  const metadata = { name: 'team', uid: '', resourceVersion: '', generation: 1 };
  return {
    ...{ apiVersion: 'v1', kind: 'Namespace' },
    metadata: { ...metadata, creationTimestamp: '', ...(labels && { labels }) },
  };
}

it('are read from the first question on, once', async () => {
  const bench = new Bench();
  expect(bench.opened).toBe(0);
  expect(bench.labels.read('team')).toBeUndefined();
  bench.labels.read('another');
  expect(bench.opened).toBe(1);
  bench.kube.create(draft({ team: 'a' }));
  expect(bench.labels.read('team'), 'some of them may be missing').toBeUndefined();
  expect(bench.heard).toBe(0);
  await bench.allRead();
  expect(bench.heard).toBe(1);
  expect(bench.labels.read('team')).toEqual({ team: 'a' });
  expect(bench.labels.read('none')).toEqual({});
});

it('are announced when one is added, changed or removed, and not with other changes', async () => {
  const bench = new Bench();
  bench.labels.read('team');
  await bench.allRead();
  const heard = (): number => {
    const count = bench.heard;
    bench.heard = 0;
    return count;
  };
  heard();
  bench.kube.create(draft());
  expect(heard()).toBe(1);
  bench.kube.editMeta(draft(), { annotations: { note: 'x' } });
  expect(heard()).toBe(0);
  bench.kube.editMeta(draft(), { labels: { team: 'a' } });
  expect(heard()).toBe(1);
  bench.kube.delete(draft());
  expect(heard()).toBe(1);
});

it('that were there already are announced once, not one by one', async () => {
  const bench = new Bench();
  bench.kube.create(draft({ team: 'a' }));
  bench.labels.read('team');
  await bench.allRead();
  expect(bench.heard).toBe(1);
});

it('are announced no more after a stop', async () => {
  const bench = new Bench();
  bench.labels.read('team');
  await bench.allRead();
  bench.stop();
  bench.kube.create(draft({ team: 'a' }));
  expect(bench.heard).toBe(1);
});

it('are never known without the right to read them', () => {
  expect(new NamespaceLabels(undefined).read('team')).toBeUndefined();
});
