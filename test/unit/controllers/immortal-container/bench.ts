import {
  type ImmortalContainer,
  immortalContainerKind,
} from '../../../../src/apis/immortal-container.ts';
import { createImmortalContainerReconciler } from '../../../../src/controllers/immortal-container/controller.ts';
import { Children } from '../../../../src/core/children/children.ts';
import { Controller } from '../../../../src/core/controller/controller.ts';
import type { Key } from '../../../../src/core/objects/kube-object.ts';
import type { ChildWriter, ObjectWriter } from '../../../../src/core/ports/writers.ts';
import type { Pod } from '../../../../src/pods/pod.ts';
import type { PodTemplate } from '../../../../src/pods/pod-template.ts';
import type { FakeCache } from '../../../fakes/fake-cache.ts';
import { KindBench } from '../kind-bench.ts';
import { Kubelet } from '../kubelet.ts';
import { type CrashPlan, Incarnation } from '../my-ingress/crashing-ports.ts';

export const POD: Key = 'web/shop-immortalpod';

/** The controller of ImmortalContainers over a cluster in memory; a process of it may die. */
export class ImmortalBench extends KindBench<ImmortalContainer> {
  protected readonly kind = 'ImmortalContainer';
  readonly kubelet: Kubelet = new Kubelet(this.kube, this.clock);
  incarnation = new Incarnation();
  pods: FakeCache<Pod> = this.watchPods();
  #controller: Controller<ImmortalContainer> | undefined;

  /** A new process, which dies where the plan says; it comes to rest. */
  start(plan?: CrashPlan): Promise<void> {
    this.incarnation = new Incarnation(plan);
    this.pods = this.watchPods();
    this.#controller = this.#build(this.incarnation);
    this.#controller.start();
    return this.clock.settle();
  }

  crash(): void {
    this.incarnation.end();
    void this.#controller?.stop(new Error('killed'));
  }

  stop(): void {
    this.crash();
  }

  async apply(image = 'nginx:latest', name = 'shop'): Promise<ImmortalContainer> {
    const draft = {
      apiVersion: 'immortalcontainer.flugel.it/v1alpha1',
      kind: 'ImmortalContainer',
      metadata: { name, namespace: 'web' },
      spec: { image },
    };
    const created = this.kube.create(draft) as unknown as ImmortalContainer;
    await this.clock.settle();
    return created;
  }

  async edit(image: string, podTemplate?: PodTemplate): Promise<void> {
    const spec = { image, ...(podTemplate && { podTemplate }) };
    this.kube.edit(this.object, (live) => ({ ...live, spec }));
    await this.clock.settle();
  }

  #build(incarnation: Incarnation): Controller<ImmortalContainer> {
    const { clock, kube } = this;
    const pods = new Children<Pod>({
      cache: this.pods,
      writer: mortal(kube.childWriter(), incarnation),
      owner: immortalContainerKind,
      clock,
    });
    return new Controller<ImmortalContainer>({
      name: 'immortalcontainer',
      cache: kube.cache<ImmortalContainer>('ImmortalContainer'),
      writer: mortal(kube.writer<ImmortalContainer>(), incarnation),
      reconciler: createImmortalContainerReconciler({ pods, clock }),
      children: [pods],
      ...this.common,
      events: { record: (o, event) => incarnation.isOver || this.events.record(o, event) },
    });
  }
}

/** Every operation goes through the port of one life of the process. */
function mortal<W extends ChildWriter | ObjectWriter<ImmortalContainer>>(
  writer: W,
  incarnation: Incarnation,
): W {
  const wrapped = Object.entries(writer).map(([name, operation]) => [
    name,
    (...args: unknown[]) => incarnation.through('kube', () => operation(...args)),
  ]);
  return Object.fromEntries(wrapped) as W;
}
