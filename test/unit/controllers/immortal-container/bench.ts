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
import type { FakeCache } from '../../../fakes/fake-cache.ts';
import { FakeKube } from '../../../fakes/fake-kube.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { RecordingEvents } from '../../../fakes/recording-events.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { SilentLogger } from '../../../fakes/silent-logger.ts';
import { Kubelet } from '../kubelet.ts';
import { type CrashPlan, Incarnation } from '../my-ingress/crashing-ports.ts';

export const POD: Key = 'web/shop-immortalpod';

/** The controller of ImmortalContainers over a cluster in memory; a process of it may die. */
export class ImmortalBench {
  readonly clock = new ManualClock();
  readonly kube = new FakeKube();
  readonly kubelet: Kubelet = new Kubelet(this.kube, this.clock);
  readonly events = new RecordingEvents();
  readonly log = new SilentLogger();
  incarnation = new Incarnation();
  pods: FakeCache<Pod> = this.kube.cache<Pod>('Pod');
  #controller: Controller<ImmortalContainer> | undefined;

  /** A new process, which dies where the plan says; it comes to rest. */
  start(plan?: CrashPlan): Promise<void> {
    this.incarnation = new Incarnation(plan);
    this.pods = this.kube.cache<Pod>('Pod');
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

  async edit(image: string): Promise<void> {
    this.kube.edit(this.object, (live) => ({ ...live, spec: { image } }));
    await this.clock.settle();
  }

  async annotate(annotations: Readonly<Record<string, string>>): Promise<void> {
    this.kube.edit(this.object, (live) => ({
      ...live,
      metadata: { ...live.metadata, annotations },
    }));
    await this.clock.settle();
  }

  get object(): ImmortalContainer {
    return this.kube.server.get('ImmortalContainer', 'web/shop') as unknown as ImmortalContainer;
  }

  get status(): ImmortalContainer['status'] {
    return this.object.status;
  }

  /** `True Running`, as `kubectl get` would show it. */
  condition(type: string): string | undefined {
    const found = this.status.conditions?.find((condition) => condition.type === type);
    return found && `${found.status} ${found.reason}`;
  }

  /** The verbs of what was written since the last call. */
  takeWrites(): readonly string[] {
    return this.kube.writes.splice(0).map(({ verb }) => verb);
  }

  #build(incarnation: Incarnation): Controller<ImmortalContainer> {
    const { clock, kube, log } = this;
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
      concurrency: 4,
      deadlineMs: 120_000,
      backoff: { firstMs: 100, maxMs: 60_000 },
      clock,
      events: { record: (o, event) => incarnation.isOver || this.events.record(o, event) },
      log,
      metrics: new RecordingMetrics(),
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
