import { onTestFinished } from 'vitest';
import type { AwsSettings } from '../../../../localstack/embedded/aws-world.ts';
import { seededRandom } from '../../../../localstack/embedded/ec2/seeded-ids.ts';
import {
  createEmbeddedAws,
  type EmbeddedAws,
} from '../../../../localstack/embedded/embedded-aws.ts';
import type { FaultRule } from '../../../../localstack/embedded/faults/fault-script.ts';
import {
  deregisterTargets,
  registerTargets,
} from '../../../../localstack/embedded/target-groups/targets.ts';
import { type BudgetLimits, NO_LIMITS } from '../../../../src/aws/budget/budget-limits.ts';
import type { AwsApi } from '../../../../src/aws/client/aws-api.ts';
import { wireAws } from '../../../../src/aws/client/wire.ts';
import { TargetsController } from '../../../../src/controllers/targets/controller.ts';
import type { GateOptions } from '../../../../src/controllers/targets/gates/gate-work.ts';
import type { ServedGroup, TargetsState } from '../../../../src/controllers/targets/group.ts';
import type { NodeCache } from '../../../../src/controllers/targets/instances/node-watch.ts';
import {
  type TrimmedNode,
  trimNode,
} from '../../../../src/controllers/targets/instances/trimmed-node.ts';
import {
  type TrimmedEndpointSlice,
  type TrimmedService,
  trimEndpointSlice,
  trimService,
} from '../../../../src/controllers/targets/transforms.ts';
import type { Key } from '../../../../src/core/objects/kube-object.ts';
import { EmbeddedAwsApi } from '../../../fakes/embedded-aws-api.ts';
import type { FakeCache } from '../../../fakes/fake-cache.ts';
import { FakeKube } from '../../../fakes/fake-kube.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { SilentLogger } from '../../../fakes/silent-logger.ts';
import { seedNetwork } from '../my-ingress/network.ts';
import {
  draftService,
  draftSlice,
  endpointOf,
  type PodState,
  type SliceDraft,
} from './endpoints.ts';
import { draftNode, instanceOf, type NodeDraft } from './instances/nodes.ts';

export const SHOP: Key = 'web/shop';

interface BenchOptions {
  readonly settings?: Partial<AwsSettings>;
  readonly budget?: BudgetLimits;
  readonly gates?: (kube: FakeKube) => GateOptions;
  /** Nodes are read; resolves once they are. */
  readonly nodesSynced?: Promise<void>;
}

/** The controller over the embedded stand-in and a cluster in memory, under virtual time. */
export class TargetsBench {
  readonly clock = new ManualClock();
  readonly kube = new FakeKube();
  readonly log = new SilentLogger();
  readonly metrics = new RecordingMetrics();
  readonly aws: EmbeddedAws;
  /** Keys that were woken, each with its time. */
  readonly woken: { readonly key: Key; readonly atMs: number }[] = [];
  readonly api: EmbeddedAwsApi;
  slices!: FakeCache<TrimmedEndpointSlice>;
  targets!: TargetsController;
  isLeader = true;
  /** How often a watch on nodes was opened. */
  nodeWatches = 0;
  readonly #options: BenchOptions;
  #stop = (): void => {};
  #balancer: string | undefined;
  #listeners = 0;

  constructor(options: BenchOptions = {}) {
    this.#options = options;
    this.aws = createEmbeddedAws({
      clock: this.clock,
      random: seededRandom(7),
      settings: { budget: 'off', provisioningMs: 0, ...options.settings },
    });
    seedNetwork(this.aws);
    this.api = new EmbeddedAwsApi(this.aws, this.clock);
    this.start();
    onTestFinished(() => this.stop());
  }

  /** A process of its own, which knows nothing of the one before. */
  start(api: AwsApi = this.api): void {
    const { clock, log, metrics } = this;
    const aws = wireAws({
      ...{ api, clock, log, metrics, budget: this.#options.budget ?? NO_LIMITS },
      leadership: { isLeader: () => this.isLeader },
    });
    this.slices = this.kube.cache<TrimmedEndpointSlice>('EndpointSlice', trimEndpointSlice);
    const targets = new TargetsController({
      ...{ clock, log, metrics, slices: this.slices },
      services: this.kube.cache<TrimmedService>('Service', trimService),
      connect: (payer) => aws.traffic(payer).targets,
      gates: this.#options.gates?.(this.kube),
      openNodes: this.#options.nodesSynced && ((): NodeCache => this.#openNodes()),
    });
    this.targets = targets;
    this.#stop = targets.changes((key) => {
      this.woken.push({ key, atMs: clock.monotonicMs() });
    });
  }

  stop(): void {
    this.#stop();
  }

  #openNodes(): NodeCache {
    this.nodeWatches += 1;
    const cache = this.kube.cache<TrimmedNode>('Node', trimNode);
    return { cache, synced: this.#options.nodesSynced ?? Promise.resolve() };
  }

  /** A node and its instance, which runs. */
  putNode(index: number, plan?: Parameters<typeof draftNode>[1]): void {
    const node = draftNode(index, plan);
    this.aws.control.putInstance({
      ...{ id: instanceOf(index), subnetId: 'subnet-a', state: 'running' },
    });
    this.putLostNode(node);
  }

  /** A node whose instance AWS does not have. */
  putLostNode(node: NodeDraft): void {
    const { labels = {} } = node.metadata;
    if (this.kube.get(node) === undefined) this.kube.create(node);
    this.kube.edit(node, (live) => ({ ...live, ...node, metadata: { ...live.metadata, labels } }));
    this.kube.server.applyStatus(node, { ...node.status });
  }

  /** A group, of ip targets and in use by a listener unless told otherwise; returns its ARN. */
  group(name: string, { isUsed = true, TargetType = 'ip', IpAddressType = 'ipv4' } = {}): string {
    const arn = this.outOfBand('CreateTargetGroup', {
      ...{ Name: name, Protocol: 'HTTP', Port: 80, VpcId: 'vpc-main', TargetType },
      IpAddressType,
    })['TargetGroups'][0].TargetGroupArn as string;
    if (isUsed) this.listen(arn, IpAddressType === 'ipv6');
    return arn;
  }

  /** An address of subnet-a. */
  addressOfIpv6(host: number): string {
    const [network = ''] =
      this.aws.world.network.subnets.get('subnet-a')?.ipv6Cidr?.split('/') ?? [];
    return `${network}${host}`;
  }

  listen(arn: string, isDualstack = false): void {
    this.#balancer ??= this.outOfBand('CreateLoadBalancer', {
      ...{ Name: 'shop', Subnets: ['subnet-a', 'subnet-b', 'subnet-c'] },
      ...(isDualstack && { IpAddressType: 'dualstack', Subnets: ['subnet-a', 'subnet-b'] }),
    })['LoadBalancers'][0].LoadBalancerArn as string;
    this.outOfBand('CreateListener', {
      ...{ LoadBalancerArn: this.#balancer, Protocol: 'HTTP', Port: 80 + this.#listeners++ },
      DefaultActions: [{ Type: 'forward', TargetGroupArn: arn }],
    });
  }

  /** The Service `shop` with these pods, in one slice. */
  runPods(pods: Readonly<Record<string, PodState>> | number, service = 'shop'): void {
    const states = typeof pods === 'number' ? podsOf(pods) : pods;
    const endpoints = Object.entries(states).map(([id, state]) => endpointOf(id, state));
    if (this.kube.get(draftService(service)) === undefined) this.kube.create(draftService(service));
    this.putSlice(draftSlice(service, endpoints));
  }

  /** The Service `shop` gets the pods of this version. */
  select(version: string): void {
    const { spec } = draftService('shop');
    const selector = { ...spec.selector, version };
    this.kube.edit(draftService('shop'), (live) => ({ ...live, spec: { ...spec, selector } }));
  }

  putSlice(slice: SliceDraft): void {
    if (this.kube.get(slice) === undefined) this.kube.create(slice);
    else this.kube.edit(slice, (live) => ({ ...live, ...slice, metadata: live.metadata }));
  }

  publish(arn: string, more: Partial<ServedGroup> = {}): void {
    this.targets.publish(SHOP, [servedBy(arn, more)]);
  }

  get state(): TargetsState {
    const [state] = this.targets.read(SHOP);
    if (state === undefined) throw new Error('nothing is published');
    return state;
  }

  /** Targets of AWS that are not draining, by name. */
  registered(arn: string): readonly string[] {
    const group = this.aws.world.traffic.targetGroups.byArn(arn);
    const targets = [...(group?.targets.values() ?? [])];
    return targets
      .filter(({ drainsUntilMs }) => drainsUntilMs === undefined)
      .map(({ id, port }) => `${id}:${port}`)
      .toSorted();
  }

  /** The operator's calls since the last question, oldest first, as `RegisterTargets 3`. */
  sent(): readonly string[] {
    const calls = this.aws.control.calls().filter(({ userAgent }) => userAgent === undefined);
    this.aws.control.clearCalls();
    return calls.map(({ operation, input }) => {
      const targets = input['Targets'];
      return Array.isArray(targets) ? `${operation} ${targets.length}` : operation;
    });
  }

  /** Somebody else's call to AWS. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows the answer it looks into
  outOfBand(operation: string, input: Readonly<Record<string, unknown>>): Record<string, any> {
    // oxlint-disable-next-line typescript/no-explicit-any -- as above
    return this.aws.handle(operation, input, { userAgent: 'somebody else' }) as Record<string, any>;
  }

  /** As somebody else does it, past all faults. */
  registerOutOfBand(TargetGroupArn: string, ...ids: readonly string[]): void {
    const Targets = ids.map((Id) => ({ Id, Port: 8080 }));
    registerTargets(this.aws.world, { TargetGroupArn, Targets });
  }

  deregisterOutOfBand(TargetGroupArn: string, ...ids: readonly string[]): void {
    const Targets = ids.map((Id) => ({ Id, Port: 8080 }));
    deregisterTargets(this.aws.world, { TargetGroupArn, Targets });
  }

  /** What health checks find of all targets of the group from now on. */
  check(name: string, state: 'healthy' | 'unhealthy' | 'initial'): void {
    const reasons = { unhealthy: 'Target.Timeout', initial: 'Elb.InitialHealthChecking' };
    const health = state === 'healthy' ? { state } : { state, reason: reasons[state] };
    this.aws.control.setTargetHealth(name, { health });
  }

  fault(operation: string, effect: FaultRule['effect'], rule: Partial<FaultRule> = {}): void {
    this.aws.control.addFault({ operation, effect, ...rule });
  }

  refuse(operation: string, code: string, rule: Partial<FaultRule> = {}): void {
    const status = code === 'InternalFailure' ? 500 : 400;
    this.fault(operation, { kind: 'error', code, status, message: 'refused' }, rule);
  }
}

/** A group that this process has created and filled with so many pods, some time ago. */
export async function filled(
  count = 2,
): Promise<{ readonly bench: TargetsBench; readonly arn: string }> {
  const bench = new TargetsBench();
  const arn = bench.group('web');
  bench.runPods(count);
  bench.publish(arn, { isNew: true });
  await bench.clock.settle();
  bench.check('web', 'healthy');
  await bench.clock.advance(60_000);
  bench.sent();
  return { bench, arn };
}

export function servedBy(arn: string, more: Partial<ServedGroup> = {}): ServedGroup {
  return {
    ...{ backend: 'shop', arn, isNew: false, targetType: 'ip', ipAddressType: 'ipv4' },
    service: { name: 'shop', port: 'http' },
    ...more,
  };
}

/** Ready pods with addresses of the subnets, 250 in each. */
export function podsOf(count: number, from = 0): Readonly<Record<string, PodState>> {
  const ids = Array.from({ length: count }, (_, index) => addressOf(from + index));
  return Object.fromEntries(ids.map((id) => [id, 'ready' as const]));
}

export function addressOf(index: number): string {
  return `10.0.${Math.floor(index / 250)}.${(index % 250) + 4}`;
}

export function namesOf(pods: Readonly<Record<string, PodState>>): readonly string[] {
  return Object.keys(pods)
    .map((id) => `${id}:8080`)
    .toSorted();
}
