import { seededRandom } from '../../../localstack/embedded/ec2/seeded-ids.ts';
import type { WebApp } from '../../../src/apis/web-app.ts';
import { DEFAULT_LIMITS } from '../../../src/aws/budget/budget-limits.ts';
import type { AwsApi } from '../../../src/aws/client/aws-api.ts';
import type { KubeRequest, KubeTransport } from '../../../src/kube/client/kube-transport.ts';
import { Operator } from '../../../src/operator.ts';
import type { OperatorSettings } from '../../../src/setup/context.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../fakes/recording-metrics.ts';
import { SilentLogger } from '../../fakes/silent-logger.ts';
import { ApiServerModel } from '../../simulation/api-model/api-server-model.ts';
import { BUILT_IN_KINDS, DEPLOYMENTS } from '../../simulation/api-model/kinds.ts';
import { createModelTransport } from '../../simulation/api-model/model-transport.ts';
import { MY_INGRESSES } from '../../simulation/my-ingress/kind.ts';
import { DEFINED_KINDS, definedKind } from '../../simulation/served-definition.ts';

const WEB_APPS = definedKind('WebApp');

/** So long a controller may take for what it has heard of. */
const SOON_MS = 2_000;

/** AWS never answers well: no gate depends on it. */
const AWS_DOWN: AwsApi = {
  send: () => Promise.reject(Object.assign(new Error('down'), { name: 'TimeoutError' })),
};

interface Deployment {
  readonly metadata: { readonly generation: number };
  readonly spec: { readonly template: { readonly spec: { readonly readinessGates?: object[] } } };
}

/** One operator after the other, on one API server in memory. */
export class GatesBench {
  readonly #clock = new ManualClock();
  readonly #model = new ApiServerModel({
    ...{ clock: this.#clock, random: seededRandom(1) },
    kinds: [...BUILT_IN_KINDS, ...DEFINED_KINDS],
  });
  #operator: Operator | undefined;
  /** Paths that the API server does not answer yet. */
  silent: Pick<RegExp, 'test'> | undefined;
  #answer = Promise.withResolvers<void>();

  constructor() {
    this.#send('POST', '/api/v1/namespaces', {
      metadata: { name: 'web', labels: { public: 'true' } },
    });
  }

  async start(changes: Partial<OperatorSettings> = {}): Promise<void> {
    const [clock, log, metrics] = [this.#clock, new SilentLogger(), new RecordingMetrics()];
    const leadership = { isLeader: () => true };
    this.#operator = new Operator(
      {
        ...{ clock, log, metrics, leadership, api: AWS_DOWN },
        transport: this.#connect(),
        acquired: Promise.resolve(),
      },
      {
        ...{ mode: 'reconcile', kinds: ['myingress', 'webapp'], readinessGates: true },
        ...{ clusterId: 'cluster', namespaces: [], sweepIntervalMs: 300_000, concurrency: 4 },
        aws: { region: 'us-east-1', budget: DEFAULT_LIMITS, backendSecurityGroups: [] },
        ...{ identity: 'operator', podName: 'operator', ...changes },
      },
    );
    this.#operator.start().catch(() => undefined);
    await this.#clock.advance(SOON_MS);
  }

  async stop(): Promise<void> {
    const stopped = this.#operator?.stop(new Error('stopped'));
    await this.#clock.advance(SOON_MS);
    await stopped;
  }

  async restart(changes: Partial<OperatorSettings> = {}): Promise<void> {
    await this.stop();
    await this.start(changes);
  }

  /** The API server answers all again. */
  async recover(): Promise<void> {
    this.silent = undefined;
    this.#answer.resolve();
    await this.#clock.advance(SOON_MS);
  }

  async createWebApp(more: object = {}): Promise<void> {
    const object = { metadata: { name: 'shop' }, spec: { image: 'nginx:1', ...more } };
    await this.#write('POST', '/apis/apps.example.com/v1/namespaces/web/webapps', object);
  }

  async createShared(allowedNamespaces: object, annotations: object = {}): Promise<void> {
    this.#send('POST', '/api/v1/namespaces', { metadata: { name: 'platform' } });
    const listeners = [{ port: 80, protocol: 'HTTP' }];
    const spec = { subnets: ['subnet-a', 'subnet-b'], listeners, allowedNamespaces };
    const object = { metadata: { name: 'shared', annotations }, spec };
    await this.#write('POST', '/apis/demo.rtfm.co.ua/v1/namespaces/platform/myingresses', object);
  }

  async editShared(spec: object): Promise<void> {
    const path = '/apis/demo.rtfm.co.ua/v1/namespaces/platform/myingresses/shared';
    await this.#write('PATCH', path, { spec });
  }

  get sharedStatus(): unknown {
    return (this.#model.table.get(MY_INGRESSES, 'platform/shared') as never as { status: unknown })
      .status;
  }

  async editWebApp(image: string): Promise<void> {
    const path = '/apis/apps.example.com/v1/namespaces/web/webapps/shop';
    await this.#write('PATCH', path, { spec: { image } });
  }

  async createMyIngress(): Promise<void> {
    const backends = [{ name: 'shop', service: { name: 'shop', port: 'http' } }];
    const spec = { subnets: ['subnet-a', 'subnet-b'], backends };
    const object = { metadata: { name: 'shop' }, spec };
    await this.#write('POST', '/apis/demo.rtfm.co.ua/v1/namespaces/web/myingresses', object);
  }

  async patchMyIngress(change: object): Promise<void> {
    const path = '/apis/demo.rtfm.co.ua/v1/namespaces/web/myingresses/shop';
    await this.#write('PATCH', path, change);
  }

  /** With AWS down its finalizer is taken off by hand. */
  async deleteMyIngress(): Promise<void> {
    const path = '/apis/demo.rtfm.co.ua/v1/namespaces/web/myingresses/shop';
    const { finalizers = [] } = this.#model.table.get(MY_INGRESSES, 'web/shop')?.metadata ?? {};
    await this.#write('DELETE', path, {});
    if (finalizers.length > 0) await this.#write('PATCH', path, { metadata: { finalizers: null } });
  }

  /** The reason of the WebApp's condition Exposed. */
  get exposed(): string | undefined {
    const { status } = this.#model.table.get(WEB_APPS, 'web/shop') as never as WebApp;
    return status?.conditions?.find(({ type }) => type === 'Exposed')?.reason;
  }

  wait(ms: number): Promise<void> {
    return this.#clock.advance(ms);
  }

  /** How many templates the Deployment has had, and whether the newest has the gate. */
  get template(): string {
    const { metadata, spec } = this.#model.table.get(
      DEPLOYMENTS,
      'web/shop',
    ) as never as Deployment;
    const isGated = spec.template.spec.readinessGates !== undefined;
    return `${metadata.generation}: ${isGated ? 'gated' : 'plain'}`;
  }

  async #write(method: string, path: string, object: object): Promise<void> {
    this.#send(method, path, object);
    await this.#clock.advance(SOON_MS);
  }

  #send(method: string, path: string, object: object): void {
    const headers = { 'content-type': 'application/merge-patch+json' };
    const answer = this.#model.answer(
      { method, path, headers, body: JSON.stringify(object) },
      'user',
    );
    if (answer.kind !== 'answer' || answer.status >= 300) throw new Error(JSON.stringify(answer));
  }

  #connect(): KubeTransport {
    const transport = createModelTransport(this.#model, 'operator');
    return {
      request: async (request) => {
        if (this.silent?.test(request.path)) await waitFor(this.#answer.promise, request);
        return transport.request(request);
      },
    };
  }
}

function waitFor(answer: Promise<void>, { signal }: KubeRequest): Promise<void> {
  const aborted = Promise.withResolvers<void>();
  signal?.addEventListener('abort', () => aborted.reject(signal.reason));
  return Promise.race([answer, aborted.promise]);
}
