import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
class Cluster {
  readonly #clock = new ManualClock();
  readonly #model = new ApiServerModel({
    ...{ clock: this.#clock, random: seededRandom(1) },
    kinds: [...BUILT_IN_KINDS, ...DEFINED_KINDS],
  });
  #operator: Operator | undefined;
  /** Paths that the API server does not answer yet. */
  silent: RegExp | undefined;
  #answer = Promise.withResolvers<void>();

  constructor() {
    this.#send('POST', '/api/v1/namespaces', { metadata: { name: 'web' } });
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

  async createWebApp(expose?: object): Promise<void> {
    const object = { metadata: { name: 'shop' }, spec: { image: 'nginx:1', expose } };
    await this.#write('POST', '/apis/apps.example.com/v1/namespaces/web/webapps', object);
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

let cluster: Cluster;

beforeEach(() => {
  cluster = new Cluster();
});
afterEach(() => cluster.stop());

describe('a WebApp whose Service a MyIngress names', () => {
  it('has the gate from its first pod on where the MyIngress came first', async () => {
    await cluster.start();
    await cluster.createMyIngress();
    await cluster.createWebApp();
    expect(cluster.template).toBe('1: gated');
  });

  it('is rolled out once when the MyIngress comes, and once when it goes', async () => {
    await cluster.start();
    await cluster.createWebApp();
    expect(cluster.template).toBe('1: plain');
    await cluster.createMyIngress();
    expect(cluster.template).toBe('2: gated');
    await cluster.deleteMyIngress();
    await cluster.wait(15_000);
    expect(cluster.template).toBe('3: plain');
  });

  it('is not rolled out when the MyIngress is deleted and created again', async () => {
    await cluster.start();
    await cluster.createMyIngress();
    await cluster.createWebApp();
    await cluster.deleteMyIngress();
    await cluster.createMyIngress();
    await cluster.wait(60_000);
    expect(cluster.template).toBe('1: gated');
  });

  it('gets no gate while albridge would not open it', async () => {
    cluster.silent = /endpointslices/;
    await cluster.start();
    await cluster.createMyIngress();
    await cluster.createWebApp();
    expect(cluster.template).toBe('1: plain');
    await cluster.recover();
    expect(cluster.template).toBe('2: gated');
  });

  it('is served by an operator of its namespace as well', async () => {
    await cluster.start({ namespaces: ['web'] });
    await cluster.createMyIngress();
    await cluster.createWebApp();
    expect(cluster.template).toBe('1: gated');
  });

  it('has no gate where gates are off', async () => {
    await cluster.start({ readinessGates: false });
    await cluster.createMyIngress();
    await cluster.createWebApp();
    expect(cluster.template).toBe('1: plain');
  });
});

describe('after a restart the gate of a WebApp', () => {
  beforeEach(async () => {
    await cluster.start();
    await cluster.createMyIngress();
    await cluster.createWebApp();
    expect(cluster.template).toBe('1: gated');
  });

  it('stays', async () => {
    await cluster.restart();
    expect(cluster.template).toBe('1: gated');
  });

  it.each(['myingresses', 'endpointslices'])(
    'stays while the list of %s is not answered, also when its image is edited',
    async (plural) => {
      cluster.silent = new RegExp(plural);
      await cluster.restart();
      expect(cluster.template).toBe('1: gated');
      await cluster.editWebApp('nginx:2');
      expect(cluster.template).toBe('2: gated');
      await cluster.recover();
      expect(cluster.template).toBe('2: gated');
    },
  );

  it('goes when its MyIngress has gone meanwhile, as soon as that is known', async () => {
    await cluster.stop();
    await cluster.deleteMyIngress();
    cluster.silent = /myingresses/;
    await cluster.start();
    expect(cluster.template).toBe('1: gated');
    await cluster.recover();
    expect(cluster.template).toBe('2: plain');
  });

  it('goes where gates are off now', async () => {
    await cluster.restart({ readinessGates: false });
    expect(cluster.template).toBe('2: plain');
  });
});

it('a WebApp says of its routes no more what was so before once no MyIngress is served', async () => {
  await cluster.start();
  await cluster.createWebApp({ hosts: ['shop.example.com'], ingress: { name: 'none' } });
  expect(cluster.exposed).toBe('IngressNotFound');
  cluster.silent = /myingresses/;
  await cluster.restart();
  expect(cluster.exposed).toBe('IngressNotFound');
  await cluster.recover();
  await cluster.restart({ kinds: ['webapp'] });
  expect(cluster.exposed).toBe('ExposureUnknown');
});
