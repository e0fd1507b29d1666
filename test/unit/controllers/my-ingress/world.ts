import { expect, onTestFinished } from 'vitest';
import type { AwsSettings } from '../../../../localstack/embedded/aws-world.ts';
import { seededRandom } from '../../../../localstack/embedded/ec2/seeded-ids.ts';
import {
  createEmbeddedAws,
  type EmbeddedAws,
} from '../../../../localstack/embedded/embedded-aws.ts';
import type { FaultRule } from '../../../../localstack/embedded/faults/fault-script.ts';
import type { Policy } from '../../../../localstack/embedded/iam/policy-evaluation.ts';
import type { WorldSnapshot } from '../../../../localstack/embedded/world-snapshot.ts';
import {
  loadBalancerFinalizer,
  type MyIngress,
  type MyIngressSpec,
} from '../../../../src/apis/my-ingress.ts';
import { myIngressReasons as texts } from '../../../../src/apis/my-ingress-reasons.ts';
import { type BudgetLimits, NO_LIMITS } from '../../../../src/aws/budget/budget-limits.ts';
import type { AwsApi } from '../../../../src/aws/client/aws-api.ts';
import { wireAws } from '../../../../src/aws/client/wire.ts';
import {
  type RecallGroup,
  recallById,
} from '../../../../src/controllers/my-ingress/attaching/recall.ts';
import { createMyIngressReconciler } from '../../../../src/controllers/my-ingress/controller.ts';
import { DriftScan } from '../../../../src/controllers/my-ingress/drift-scan.ts';
import { Memory } from '../../../../src/controllers/my-ingress/memory.ts';
import { Controller } from '../../../../src/core/controller/controller.ts';
import type { ObjectCache } from '../../../../src/core/ports/cache.ts';
import type { ObjectWriter } from '../../../../src/core/ports/writers.ts';
import { EmbeddedAwsApi } from '../../../fakes/embedded-aws-api.ts';
import type { FakeCache } from '../../../fakes/fake-cache.ts';
import { FakeKube } from '../../../fakes/fake-kube.ts';
import { FakeTargets } from '../../../fakes/fake-targets.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { RecordingEvents } from '../../../fakes/recording-events.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { SilentLogger } from '../../../fakes/silent-logger.ts';
import { OPERATOR_KEY, shippedPolicy } from '../../../surroundings/shipped-policy.ts';
import { draftApp } from './attaching/app.ts';
import { type CrashPlan, Incarnation } from './crashing-ports.ts';
import { draftOf } from './drafts.ts';
import { seedNetwork } from './network.ts';
import { faultsOf, listBeside, type Resource, type Scene } from './witness.ts';

export type Balancer = WorldSnapshot['loadBalancers'][number];

export interface WorldOptions {
  readonly settings?: Partial<AwsSettings>;
  readonly budget?: BudgetLimits;
  readonly scanMs?: number;
  readonly concurrency?: number;
  readonly backendSecurityGroups?: readonly string[];
  /** `ALBRIDGE_VPC_ID` */
  readonly vpcId?: string;
  /** Of the operator's role; default the whole one. */
  readonly policy?: 'of a balancer alone';
  /** Those that the operator watches; default all. */
  readonly namespaces?: readonly string[];
  /** What others attach; default nothing. */
  readonly join?: (object: MyIngress) => MyIngress;
}

const CLUSTER = 'cluster-1';
const recallGroup: RecallGroup = (id) => recallById(id, ({ name }) => draftApp(name).backends);
export const SCAN_MS = 300_000;
export const MINUTE_MS = 60_000;

/**
 * One cluster, one AWS account and the operator between them, under virtual time: everything but the
 * two adapters is real. Every write to AWS is witnessed: see witness.ts.
 */
export class World {
  readonly clock = new ManualClock();
  readonly kube = new FakeKube();
  readonly events = new RecordingEvents();
  readonly log = new SilentLogger();
  readonly metrics = new RecordingMetrics();
  readonly targets = new FakeTargets();
  readonly aws: EmbeddedAws;
  readonly faults: string[] = [];
  cache: FakeCache<MyIngress>;
  incarnation = new Incarnation();
  readonly #options: WorldOptions;
  #controller: Controller<MyIngress> | undefined;

  constructor(options: WorldOptions = {}) {
    this.#options = options;
    this.aws = createEmbeddedAws({
      clock: this.clock,
      random: seededRandom(7),
      settings: { budget: 'off', provisioningMs: 0, quota: 1000, ...options.settings },
    });
    seedNetwork(this.aws);
    const policy = shippedPolicy(CLUSTER);
    const isOld = options.policy !== undefined;
    this.aws.control.setPolicy(OPERATOR_KEY, isOld ? takeTrafficOff(policy) : policy);
    this.cache = this.kube.cache<MyIngress>('MyIngress');
    onTestFinished(() => expect(this.faults).toEqual([]));
  }

  /** A world in which the operator runs. */
  static started(options?: WorldOptions): World {
    const world = new World(options);
    world.start();
    return world;
  }

  /** A world in which the operator has reconciled this object. */
  static async having(name: string, spec?: Partial<MyIngressSpec>): Promise<World> {
    const world = World.started();
    await world.applied(name, spec);
    return world;
  }

  /** A new process of the operator over this world; it dies where the plan says. */
  start(plan?: CrashPlan, mode: 'reconcile' | 'observe' = 'reconcile'): void {
    const { clock, log, metrics } = this;
    const incarnation = new Incarnation(plan);
    this.incarnation = incarnation;
    this.cache = this.kube.cache<MyIngress>('MyIngress');
    const { budget = NO_LIMITS, scanMs = SCAN_MS, concurrency = 8 } = this.#options;
    const { namespaces = [] } = this.#options;
    const isObserver = mode === 'observe';
    const leadership = { isLeader: () => true, isObserver };
    const api = this.#mortalApi(incarnation);
    const aws = wireAws({ api, clock, leadership, metrics, budget, log, texts });
    const memory = new Memory(clock);
    const shared = { cluster: CLUSTER, inventory: aws.inventory, memory, clock };
    const { join = (object) => object } = this.#options;
    const common = { ...shared, targets: this.targets };
    const limits = { cache: joinAll(this.cache, join), namespaces, intervalMs: scanMs, isObserver };
    const scan = new DriftScan({ ...common, ...limits, recallGroup, log, metrics });
    this.#controller = new Controller<MyIngress>({
      name: 'myingress',
      cache: this.cache,
      writer: this.#mortalWriter(incarnation),
      reconciler: createMyIngressReconciler({
        attachments: { join, recallGroup },
        ...{ ...common, aws: aws.loadBalancers, traffic: aws.traffic },
        backendSecurityGroups: this.#options.backendSecurityGroups ?? [],
        discovery: { clusterName: CLUSTER, vpcId: this.#options.vpcId },
      }),
      finalizer: loadBalancerFinalizer,
      sources: [scan.source, this.targets.changes],
      isObserver,
      concurrency,
      deadlineMs: 120_000,
      backoff: { firstMs: 1_000, maxMs: 300_000 },
      clock,
      events: { record: (o, event) => incarnation.isOver || this.events.record(o, event) },
      log,
      metrics,
    });
    this.#controller.start();
  }

  /** Kills the process; a new one starts with the next `start`. */
  crash(): void {
    this.incarnation.end();
    void this.#controller?.stop(new Error('killed'));
  }

  async restart(): Promise<void> {
    this.crash();
    this.start();
    await this.clock.settle();
  }

  apply(name: string, spec: Partial<MyIngressSpec> = {}, namespace = 'web'): MyIngress {
    return this.kube.create(draftOf(name, spec, namespace));
  }

  /** As `apply`, and lets the operator finish. */
  async applied(name: string, spec: Partial<MyIngressSpec> = {}): Promise<MyIngress> {
    await this.clock.settle();
    this.apply(name, spec);
    await this.clock.advance(1_000);
    return this.object(name);
  }

  edit(name: string, spec: Partial<MyIngressSpec>): void {
    this.kube.edit(draftOf(name), (live) => ({ ...live, spec: { ...live.spec, ...spec } }));
  }

  /** As `edit`, and lets the operator work for so long. */
  async edited(name: string, spec: Partial<MyIngressSpec>, forMs: number): Promise<void> {
    this.edit(name, spec);
    await this.clock.advance(forMs);
  }

  unset(name: string, ...fields: readonly (keyof MyIngressSpec)[]): void {
    this.kube.edit(draftOf(name), (live) => {
      const kept = Object.entries(live.spec).filter(([key]) => !fields.includes(key as 'name'));
      return { ...live, spec: Object.fromEntries(kept) as unknown as MyIngressSpec };
    });
  }

  annotate(name: string, annotations: Readonly<Record<string, string>>): void {
    this.kube.editMeta(draftOf(name), { annotations });
  }

  delete(name: string): void {
    this.kube.delete(draftOf(name));
  }

  /** As `delete`, and lets the operator work for so long. */
  async deleted(name: string, forMs: number): Promise<void> {
    this.delete(name);
    await this.clock.advance(forMs);
  }

  exists(name: string): boolean {
    return this.kube.get(draftOf(name)) !== undefined;
  }

  object(name: string, namespace = 'web'): MyIngress {
    const found = this.kube.get(draftOf(name, {}, namespace));
    if (found === undefined) throw new Error(`no MyIngress ${namespace}/${name}`);
    return found;
  }

  /** `<status> <reason>` of a condition, as `kubectl get` shows Ready. */
  condition(name: string, type = 'Ready'): string | undefined {
    const found = this.object(name).status?.conditions?.find((one) => one.type === type);
    return found && `${found.status} ${found.reason}`;
  }

  message(name: string, type = 'Ready'): string {
    const found = this.object(name).status?.conditions?.find((one) => one.type === type);
    return found?.message ?? '';
  }

  get balancers(): readonly Balancer[] {
    return this.aws.control.snapshot().loadBalancers;
  }

  /** Target groups, listeners, rules and security groups with a tag of ours. */
  get beside(): readonly Resource[] {
    const all = listBeside(this.aws.control.snapshot());
    return all.filter(({ tags }) =>
      Object.keys(tags).some((key) => key.startsWith('albridge.io/')),
    );
  }

  /** The balancer of this name, or the only one. */
  balancer(name?: string): Balancer {
    const found = this.balancers.filter((one) => name === undefined || one.name === name);
    const [first] = found;
    if (first === undefined || found.length > 1) throw new Error(`${found.length} balancers`);
    return first;
  }

  /** Somebody else's call to AWS. */
  outOfBand(operation: string, input: Readonly<Record<string, unknown>>): unknown {
    return this.aws.handle(operation, input, { userAgent: 'somebody else' });
  }

  tagOutOfBand(arn: string, tags: Readonly<Record<string, string>>): void {
    const pairs = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
    this.outOfBand('AddTags', { ResourceArns: [arn], Tags: pairs });
  }

  untagOutOfBand(arn: string, ...keys: readonly string[]): void {
    this.outOfBand('RemoveTags', { ResourceArns: [arn], TagKeys: keys });
  }

  fault(operation: string, effect: FaultRule['effect'], rule: Partial<FaultRule> = {}): void {
    this.aws.control.addFault({ operation, effect, ...rule });
  }

  /** Calls of the operator per operation during `act`. */
  async callsDuring(act: () => unknown): Promise<Readonly<Record<string, number>>> {
    const before = this.aws.control.calls().length;
    await act();
    const calls = this.aws.control.calls().slice(before);
    const own = calls.filter(({ userAgent }) => userAgent === undefined);
    return Object.fromEntries(
      [...Map.groupBy(own, ({ operation }) => operation)].map(([name, of]) => [name, of.length]),
    );
  }

  /** What `act` makes the operator write, to AWS and to the cluster. */
  async writesDuring(act: () => unknown): Promise<readonly string[]> {
    const before = this.kube.writes.length;
    const calls = await this.callsDuring(act);
    const toAws = Object.keys(calls).filter((name) => !isRead(name));
    return [...toAws, ...this.kube.writes.slice(before).map(({ verb }) => verb)];
  }

  /** The operator's writes to AWS so far, in their order. */
  get writesToAws(): readonly string[] {
    const own = this.aws.control.calls().filter(({ userAgent }) => userAgent === undefined);
    return own.map(({ operation }) => operation).filter((name) => !isRead(name));
  }

  #mortalApi(incarnation: Incarnation): AwsApi {
    const api = new EmbeddedAwsApi(this.aws, this.clock);
    return {
      send: (operation, input, options) =>
        incarnation.through('aws', () => {
          this.faults.push(...faultsOf(operation, input, () => this.#scene()));
          return api.send(operation, input, options);
        }),
    };
  }

  #scene(): Scene {
    const object = (namespace: string, name: string): MyIngress | undefined =>
      this.kube.get(draftOf(name, {}, namespace));
    const snapshot = this.aws.control.snapshot();
    const beside = listBeside(snapshot);
    return { cluster: CLUSTER, balancers: snapshot.loadBalancers, beside, object };
  }

  #mortalWriter(incarnation: Incarnation): ObjectWriter<MyIngress> {
    const writer = this.kube.writer<MyIngress>();
    return {
      addFinalizer: (object, finalizer) =>
        incarnation.through('kube', () => writer.addFinalizer(object, finalizer)),
      removeFinalizer: (object, finalizer) =>
        incarnation.through('kube', () => writer.removeFinalizer(object, finalizer)),
      applyStatus: (object, status) =>
        incarnation.through('kube', () => writer.applyStatus(object, status)),
    };
  }
}

function takeTrafficOff(policy: Policy): Policy {
  const isTraffic = (action: string): boolean => /^ec2:|Target|Listener|Rule/.test(action);
  const statements = policy.Statement.map((statement) => ({
    ...statement,
    Action: [statement.Action ?? []].flat().filter((action) => !isTraffic(action)),
  }));
  return { ...policy, Statement: statements };
}

export function reads(calls: Readonly<Record<string, number>>): number {
  return total(calls, isRead);
}

export function writes(calls: Readonly<Record<string, number>>): number {
  return total(calls, (name) => !isRead(name));
}

function isRead(operation: string): boolean {
  return /^(Describe|List)/.test(operation);
}

function total(calls: Readonly<Record<string, number>>, counts: (name: string) => boolean): number {
  return Object.entries(calls).reduce((sum, [name, of]) => sum + (counts(name) ? of : 0), 0);
}

/** As `Attachments.view`. */
function joinAll(
  cache: FakeCache<MyIngress>,
  join: (object: MyIngress) => MyIngress,
): Pick<ObjectCache<MyIngress>, 'get' | 'list' | 'subscribe'> {
  return {
    get: (key) => {
      const object = cache.get(key);
      return object && join(object);
    },
    list: () => cache.list().map(join),
    subscribe: (onChange) => cache.subscribe(onChange),
  };
}
