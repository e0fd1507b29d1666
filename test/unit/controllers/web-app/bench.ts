import { type WebApp, webAppKind } from '../../../../src/apis/web-app.ts';
import type { Autoscaler } from '../../../../src/controllers/web-app/autoscalers.ts';
import { Autoscalers } from '../../../../src/controllers/web-app/autoscalers.ts';
import { createWebAppReconciler } from '../../../../src/controllers/web-app/controller.ts';
import type {
  Deployment,
  DeploymentStatus,
  Service,
} from '../../../../src/controllers/web-app/deployment.ts';
import type { ExposeState } from '../../../../src/controllers/web-app/expose.ts';
import { Children } from '../../../../src/core/children/children.ts';
import { Controller } from '../../../../src/core/controller/controller.ts';
import type { KubeObject } from '../../../../src/core/objects/kube-object.ts';
import type { FakeCache } from '../../../fakes/fake-cache.ts';
import type { LogLine } from '../../../fakes/silent-logger.ts';
import { KindBench } from '../kind-bench.ts';

type Spec = Partial<WebApp['spec']>;

/** The controller of WebApps over a cluster in memory; no Deployment controller runs in it. */
export class WebAppBench extends KindBench<WebApp> {
  protected readonly kind = 'WebApp';
  readonly deployments: FakeCache<Deployment> = this.kube.cache<Deployment>('Deployment');
  readonly services: FakeCache<Service> = this.kube.cache<Service>('Service');
  /** Its answer about each Service. */
  /** The result of `spec.expose`. */
  exposeState: ExposeState = { kind: 'unknown' };
  isBalanced: boolean | undefined = false;
  readonly #controller = this.#build();

  /** Applied, and three pods serve. */
  async run(): Promise<void> {
    this.store();
    await this.start();
    await this.serve(3);
  }

  /** Starts the controller and lets it come to rest. */
  start(): Promise<void> {
    this.#controller.start();
    return this.clock.settle();
  }

  stop(): Promise<void> {
    return this.#controller.stop(new Error('done'));
  }

  /** As the API server stores it, with the defaults of the CRD. */
  store(spec: Spec = {}, annotations: Readonly<Record<string, string>> = {}): WebApp {
    const metadata = { name: 'shop', namespace: 'web', annotations };
    const draft = {
      apiVersion: 'apps.example.com/v1',
      kind: 'WebApp',
      metadata,
      spec: { image: 'nginx:1.25', replicas: 3, port: 80, ...spec },
    };
    return this.kube.create(draft) as unknown as WebApp;
  }

  async edit(spec: Spec): Promise<void> {
    this.kube.edit(this.object, (live) => ({ ...live, spec: { ...live.spec, ...spec } }));
    await this.clock.settle();
  }

  get deployment(): Deployment {
    return this.kube.server.get('Deployment', 'web/shop') as Deployment;
  }

  get service(): Service {
    return this.kube.server.get('Service', 'web/shop') as Service;
  }

  /** What the Deployment controller would write: `count` pods of the newest spec serve. */
  async serve(count: number, more: DeploymentStatus = {}): Promise<void> {
    const { deployment } = this;
    this.kube.server.applyStatus(deployment, {
      observedGeneration: deployment.metadata.generation,
      replicas: count,
      updatedReplicas: count,
      readyReplicas: count,
      availableReplicas: count,
      ...more,
    });
    await this.clock.settle();
  }

  /** Somebody else's hands on the Deployment. */
  async editDeployment(change: (live: Deployment) => Deployment): Promise<void> {
    this.kube.edit(this.deployment, change);
    await this.clock.settle();
  }

  async createAutoscaler(target: object): Promise<KubeObject> {
    const created = this.kube.create({
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'scaler', namespace: 'web' },
      spec: { scaleTargetRef: target },
    } as KubeObject);
    await this.clock.settle();
    return created;
  }

  takeLines(): readonly LogLine[] {
    return this.log.lines.splice(0);
  }

  #build(): Controller<WebApp> {
    const { clock, events, kube } = this;
    const owned = { writer: kube.childWriter(), owner: webAppKind, clock };
    const deployments = new Children({ ...owned, cache: this.deployments });
    const services = new Children({ ...owned, cache: this.services });
    const autoscalers = new Autoscalers(kube.cache<Autoscaler>('HorizontalPodAutoscaler'), clock);
    const balanced = { has: (): boolean | undefined => this.isBalanced };
    const exposing = { read: () => this.exposeState };
    return new Controller<WebApp>({
      name: 'webapp',
      cache: kube.cache<WebApp>('WebApp'),
      writer: kube.writer<WebApp>(),
      reconciler: createWebAppReconciler({
        ...{ deployments, services, autoscalers, balanced, exposing },
      }),
      children: [deployments, services],
      sources: [autoscalers.source],
      ...this.common,
      events,
    });
  }
}
