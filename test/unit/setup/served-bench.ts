import { seededRandom } from '../../../localstack/embedded/ec2/seeded-ids.ts';
import { createEmbeddedAws, type EmbeddedAws } from '../../../localstack/embedded/embedded-aws.ts';
import type { MyIngress } from '../../../src/apis/my-ingress.ts';
import { NO_LIMITS } from '../../../src/aws/budget/budget-limits.ts';
import { sleep } from '../../../src/core/ports/clock.ts';
import type { KubeTransport } from '../../../src/kube/client/kube-transport.ts';
import { Operator } from '../../../src/operator.ts';
import { GATE_LABELS, READINESS_GATE } from '../../../src/pods/pod.ts';
import type { OperatorSettings } from '../../../src/setup/context.ts';
import { EmbeddedAwsApi } from '../../fakes/embedded-aws-api.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../fakes/recording-metrics.ts';
import { SilentLogger } from '../../fakes/silent-logger.ts';
import { ApiServerModel } from '../../simulation/api-model/api-server-model.ts';
import { BUILT_IN_KINDS, EVENTS, PODS } from '../../simulation/api-model/kinds.ts';
import { createModelTransport } from '../../simulation/api-model/model-transport.ts';
import { MY_INGRESSES } from '../../simulation/my-ingress/kind.ts';
import { DEFINED_KINDS } from '../../simulation/served-definition.ts';
import { seedNetwork } from '../controllers/my-ingress/network.ts';
import {
  draftService,
  draftSlice,
  endpointOf,
  type PodState,
} from '../controllers/targets/endpoints.ts';

export type Pods = Readonly<Record<string, PodState>>;
type Health = Parameters<EmbeddedAws['control']['setTargetHealth']>[1]['health'];

interface Pod {
  readonly status: { readonly conditions: readonly { type: string; reason?: string }[] };
}

/** The whole operator over an API server in memory and the embedded stand-in for AWS: one MyIngress, one Service. */
export class ServedBench {
  readonly clock = new ManualClock();
  readonly #model = new ApiServerModel({
    ...{ clock: this.clock, random: seededRandom(1) },
    kinds: [...BUILT_IN_KINDS, ...DEFINED_KINDS],
  });
  readonly aws: EmbeddedAws;
  /** Paths that the API server never answers. */
  silent: RegExp | undefined;
  /** Paths that it answers late. */
  slow: { readonly paths: RegExp; readonly ms: number } | undefined;
  #operator: Operator | undefined;

  constructor() {
    this.aws = createEmbeddedAws({
      ...{ clock: this.clock, random: seededRandom(7) },
      settings: { budget: 'off', provisioningMs: 0 },
    });
    seedNetwork(this.aws);
    this.send('POST', '/api/v1/namespaces', { metadata: { name: 'web' } });
    this.send('POST', '/api/v1/namespaces/web/services', draftService('shop'));
    this.send('POST', SLICES, draftSlice('shop', []));
  }

  async start(changes: Partial<OperatorSettings> = {}): Promise<void> {
    const [clock, log, metrics] = [this.clock, new SilentLogger(), new RecordingMetrics()];
    const operator = new Operator(
      {
        ...{ clock, log, metrics, leadership: { isLeader: () => true } },
        ...{ api: new EmbeddedAwsApi(this.aws, clock), acquired: Promise.resolve() },
        transport: this.#connect(),
      },
      {
        ...{ mode: 'reconcile', kinds: ['myingress'], readinessGates: false, clusterId: 'c1' },
        ...{ namespaces: [], sweepIntervalMs: 300_000, concurrency: 4 },
        aws: { region: 'us-east-1', budget: NO_LIMITS, backendSecurityGroups: ['sg-web'] },
        ...{ identity: 'operator', podName: 'operator', ...changes },
      },
    );
    this.#operator = operator;
    operator.start().catch(() => undefined);
    await clock.advance(2_000);
  }

  /** Starts with one MyIngress over these pods, which AWS has found healthy. */
  async serve(pods: readonly string[], changes: Partial<OperatorSettings> = {}): Promise<void> {
    await this.start(changes);
    this.runPods(Object.fromEntries(pods.map((id) => [id, 'ready'] as const)));
    this.createIngress();
    await this.clock.advance(2_000);
    for (const id of pods) this.check(id, { state: 'healthy' });
    await this.clock.advance(60_000);
  }

  async stop(): Promise<void> {
    const stopped = this.#operator?.stop(new Error('stopped'));
    await this.clock.advance(2_000);
    await stopped;
  }

  #connect(): KubeTransport {
    const transport = createModelTransport(this.#model, 'operator');
    return {
      request: async (request) => {
        if (this.slow?.paths.test(request.path))
          await sleep(this.clock, this.slow.ms, request.signal ?? NEVER);
        if (!this.silent?.test(request.path)) return transport.request(request);
        const { promise, reject } = Promise.withResolvers<never>();
        const { signal } = request;
        signal?.addEventListener('abort', () => reject(signal.reason));
        return promise;
      },
    };
  }

  createIngress(backend: object = {}): void {
    const spec = {
      ...{ subnets: ['subnet-a', 'subnet-b'], listeners: [{ port: 80, protocol: 'HTTP' }] },
      backends: [{ name: 'shop', service: { name: 'shop', port: 'http' }, ...backend }],
    };
    const path = '/apis/demo.rtfm.co.ua/v1/namespaces/web/myingresses';
    this.send('POST', path, { metadata: { name: 'shop' }, spec });
  }

  editIngress(patch: object): void {
    this.send('PATCH', '/apis/demo.rtfm.co.ua/v1/namespaces/web/myingresses/shop', patch);
  }

  /** Addresses of AWS's targets that do not drain. */
  get registered(): readonly string[] {
    const groups = [...this.aws.world.traffic.targetGroups.all()];
    const targets = groups.flatMap((group) => [...group.targets.values()]);
    return targets.flatMap(({ id, drainsUntilMs }) => (drainsUntilMs === undefined ? [id] : []));
  }

  runPods(pods: Pods): void {
    const endpoints = Object.entries(pods).map(([id, state]) => endpointOf(id, state));
    this.send('PATCH', `${SLICES}/shop-a`, { endpoints });
  }

  /** A pod of the Service that only its gate keeps from being Ready, named as its endpoint names it. */
  createGatedPod(podIP: string): void {
    this.send('POST', '/api/v1/namespaces/web/pods', {
      metadata: { name: `pod-${podIP}`, labels: { app: 'shop', ...GATE_LABELS } },
      spec: { readinessGates: [{ conditionType: READINESS_GATE }], containers: [{ name: 'app' }] },
      status: {
        ...{ phase: 'Running', podIP, podIPs: [{ ip: podIP }] },
        conditions: [{ type: 'ContainersReady', status: 'True' }],
      },
    });
  }

  /** Why the gate of this pod was opened; undefined: it is closed. */
  gate(podIP: string): string | undefined {
    const pod = this.#model.table.get(PODS, `web/pod-${podIP}`) as never as Pod;
    return pod.status.conditions.find(({ type }) => type === READINESS_GATE)?.reason;
  }

  /** What AWS's checks find of one target from now on. */
  check(id: string, health: Health): void {
    this.aws.control.setTargetHealth(this.#groupName, { id, health });
  }

  get #groupName(): string {
    const [group] = [...this.aws.world.traffic.targetGroups.all()];
    if (group === undefined) throw new Error('there is no target group');
    return group.name;
  }

  get status(): MyIngress['status'] {
    return (this.#model.table.get(MY_INGRESSES, 'web/shop') as never as MyIngress).status;
  }

  condition(type: string): string {
    const found = this.status.conditions?.find((one) => one.type === type);
    return `${found?.status} ${found?.reason}: ${found?.message}`;
  }

  /** Events as `Warning TargetsUnhealthy: ...`. */
  get events(): readonly string[] {
    const events = this.#model.table.list(EVENTS) as never as readonly Record<string, string>[];
    return events.map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
  }

  send(method: string, path: string, object: object): void {
    const headers = { 'content-type': 'application/merge-patch+json' };
    const request = { method, path, headers, body: JSON.stringify(object) };
    const answer = this.#model.answer(request, 'user');
    if (answer.kind !== 'answer' || answer.status >= 300) throw new Error(JSON.stringify(answer));
  }
}

const NEVER = new AbortController().signal;
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/web/endpointslices';
