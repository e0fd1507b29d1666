import { type MyApp, myAppKind } from '../../../../src/apis/my-app.ts';
import { createMyAppReconciler } from '../../../../src/controllers/my-app/controller.ts';
import { Children } from '../../../../src/core/children/children.ts';
import { Controller } from '../../../../src/core/controller/controller.ts';
import type { Key } from '../../../../src/core/objects/kube-object.ts';
import type { Pod } from '../../../../src/pods/pod.ts';
import type { FakeCache } from '../../../fakes/fake-cache.ts';
import { KindBench } from '../kind-bench.ts';
import { Kubelet } from '../kubelet.ts';

/** Index 0, 1 and 2. */
export const PODS: readonly [Key, Key, Key] = ['web/shop-pod', 'web/shop-pod-1', 'web/shop-pod-2'];

type Spec = Partial<MyApp['spec']>;

/** The controller of MyApps over a cluster in memory. */
export class MyAppBench extends KindBench<MyApp> {
  protected readonly kind = 'MyApp';
  readonly kubelet: Kubelet = new Kubelet(this.kube, this.clock);
  readonly pods: FakeCache<Pod> = this.watchPods();
  readonly #controller = this.#build();

  start(): Promise<void> {
    this.#controller.start();
    return this.clock.settle();
  }

  stop(): Promise<void> {
    return this.#controller.stop(new Error('done'));
  }

  /** As the API server stores it, with the default of the CRD. */
  async apply(spec: Spec = {}, name = 'shop'): Promise<MyApp> {
    const draft = {
      apiVersion: 'demo.rtfm.co.ua/v1',
      kind: 'MyApp',
      metadata: { name, namespace: 'web' },
      spec: { image: 'nginx:latest', replicas: 1, ...spec },
    };
    const created = this.kube.create(draft) as unknown as MyApp;
    await this.clock.settle();
    return created;
  }

  /** Fields that are undefined are removed. */
  async edit(spec: { readonly [Field in keyof Spec]?: Spec[Field] | undefined }): Promise<void> {
    this.kube.edit(this.object, (live) => ({
      ...live,
      spec: JSON.parse(JSON.stringify({ ...live.spec, ...spec })) as MyApp['spec'],
    }));
    await this.clock.settle();
  }

  /** The pods that are there, by their names. */
  get names(): readonly string[] {
    return this.kubelet.pods.map(({ metadata }) => metadata.name).toSorted();
  }

  #build(): Controller<MyApp> {
    const { clock, kube, events } = this;
    const writer = kube.childWriter();
    const pods = new Children<Pod>({ cache: this.pods, writer, owner: myAppKind, clock });
    return new Controller<MyApp>({
      name: 'myapp',
      cache: kube.cache<MyApp>('MyApp'),
      writer: kube.writer<MyApp>(),
      reconciler: createMyAppReconciler({ pods, clock }),
      children: [pods],
      ...this.common,
      events,
    });
  }
}
