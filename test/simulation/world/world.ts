import { createEmbeddedAws, type EmbeddedAws } from '../../../localstack/embedded/embedded-aws.ts';
import { seededRandom } from '../../../localstack/embedded/seeded-ids.ts';
import { type MyIngress, myIngressKind } from '../../../src/apis/my-ingress.ts';
import { isWrite } from '../../../src/aws/aws-operations.ts';
import { AWS_LIMITS, NO_LIMITS } from '../../../src/aws/budget-limits.ts';
import type { Lease } from '../../../src/kube/lease-record.ts';
import { resourcePath } from '../../../src/kube/resource-path.ts';
import { seedNetwork } from '../../unit/controllers/my-ingress/network.ts';
import { ApiServerModel, NAMESPACES } from '../api-model/api-server-model.ts';
import { EVENTS, LEASES } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import type { ServedKind } from '../api-model/stored-object.ts';
import { Account } from '../my-ingress/account.ts';
import { Actor } from '../my-ingress/actor.ts';
import { AwsInvariants } from '../my-ingress/aws-invariants.ts';
import { checkFinal } from '../my-ingress/final-check.ts';
import { KubeInvariants } from '../my-ingress/kube-invariants.ts';
import { ProcessInvariants } from '../process-invariants.ts';
import type { Fault, Scenario } from '../scenario.ts';
import { SimClock } from '../sim-clock.ts';
import type { Violation } from '../violation.ts';
import { createAwsNetwork } from './aws-network.ts';
import { FaultBoard } from './fault-board.ts';
import { createKubeNetwork } from './kube-network.ts';
import { Life } from './life.ts';
import { LEASE, OperatorProcess } from './replica.ts';
import { SimLogger } from './sim-logger.ts';
import type { SlowWatch } from './slow-watch.ts';

const CLUSTER = 'cluster-1';
/** As a Deployment: what has ended begins again a little later, and what hangs is killed. */
const RESTART_MS = 1500;
const GRACE_MS = 30_000;

interface Replica {
  readonly index: number;
  readonly watches: Set<SlowWatch>;
  lives: number;
  process: OperatorProcess | undefined;
}

/** One cluster, one account, and the processes of the operator between them. */
export class World {
  readonly clock: SimClock;
  readonly board: FaultBoard;
  readonly model: ApiServerModel;
  readonly aws: EmbeddedAws;
  readonly account: Account;
  readonly trace: string[] = [];
  /** Writes of the operator to objects and to AWS that were accepted, leases and events aside. */
  operatorWrites = 0;
  violation: Violation | undefined;
  readonly #scenario: Scenario;
  readonly #kind: ServedKind;
  readonly #isTraced: boolean;
  readonly #replicas: Replica[] = [];
  readonly #actor: Actor;
  readonly #awsInvariants: AwsInvariants;
  readonly #processInvariants: ProcessInvariants;
  readonly #cluster: string;
  #leaseDoubtfulUntilMs = 0;

  constructor(
    scenario: Scenario,
    options: { readonly kind: ServedKind; readonly isTraced: boolean },
  ) {
    const { settings, seed, faults } = scenario;
    this.#scenario = scenario;
    this.#kind = options.kind;
    this.#isTraced = options.isTraced;
    this.clock = new SimClock(seed);
    this.board = new FaultBoard(faults);
    this.model = new ApiServerModel({
      clock: this.clock,
      random: seededRandom(seed + 1),
      kinds: [options.kind, LEASES, EVENTS],
    });
    this.aws = createEmbeddedAws({
      clock: this.clock,
      random: seededRandom(seed + 2),
      settings: {
        budget: settings.accountBudget,
        provisioningMs: settings.provisioningMs,
        quota: settings.quota,
      },
    });
    seedNetwork(this.aws);
    this.#cluster = settings.isClusterIdConfigured ? CLUSTER : this.#seedNamespaces();
    if (settings.isClusterIdConfigured) this.#seedNamespaces();
    const nowMs = (): number => this.clock.monotonicMs();
    this.account = new Account({
      aws: this.aws,
      nowMs,
      cluster: () => this.#cluster,
      sweepMs: settings.sweepMs,
    });
    const { model, aws, account, clock } = this;
    const trace = (line: string): void => this.tell(line);
    this.#actor = new Actor({ model, aws, world: clock, account, cluster: this.#cluster, trace });
    const report = this.#report;
    const kube = new KubeInvariants({
      account,
      nowMs,
      report,
      provisioningMs: settings.provisioningMs,
      isOperator,
    });
    this.#awsInvariants = new AwsInvariants({
      account,
      report,
      cluster: () => this.#cluster,
      object: (namespace, name) => this.#object(`${namespace}/${name}`),
      recentPolicies: (uid) => kube.recentPolicies(uid),
    });
    this.#processInvariants = new ProcessInvariants({
      nowMs,
      report,
      limits: this.#limits(),
      holder: () => this.#holder(),
      leaseDoubtfulUntilMs: () => this.#leaseDoubtfulUntilMs,
    });
    this.model.table.onCommit((commit) => this.#onCommit(commit));
    this.model.table.onCommit(kube.onCommit);
  }

  /** Arranges everything that the scenario tells; nothing happens before time passes. */
  start(): void {
    const { settings, steps, faults } = this.#scenario;
    for (let index = 0; index < settings.replicas; index++) {
      this.#replicas.push({ index, watches: new Set(), lives: 0, process: undefined });
    }
    for (const replica of this.#replicas) this.#begin(replica, 0);
    for (const { atMs, action } of steps) {
      this.clock.setTimer(atMs, () => this.#actor.perform(action));
    }
    for (const fault of faults) this.#arrange(fault);
  }

  /** No fault from here on; whoever was stopped goes on, and AWS has room and health again. */
  heal(): void {
    this.tell('the faults are over');
    this.board.lift();
    for (const { process } of this.#replicas) process?.life.goOn();
    for (const { name } of this.account.balancers) this.aws.control.setState(name, undefined);
    this.account.remember();
  }

  checkFinal(): void {
    const { account } = this;
    const objects = this.objects();
    const quota = this.aws.control.settings().quota;
    checkFinal({ account, objects, quota, cluster: this.#cluster, report: this.#report });
    for (const { process } of this.#replicas) {
      const why = process?.operator.liveness();
      if (why !== undefined) this.#report('no-stuck-pass', why);
    }
  }

  objects(): readonly MyIngress[] {
    return this.model.table.list(this.#kind) as unknown as readonly MyIngress[];
  }

  tell(line: string): void {
    if (!this.#isTraced) return;
    this.trace.push(`${(this.clock.monotonicMs() / 1000).toFixed(3)} ${line}`);
  }

  report(invariant: string, detail: string): void {
    this.#report(invariant, detail);
  }

  /** The first one counts: what follows may be its consequence. */
  readonly #report = (invariant: string, detail: string): void => {
    const atMs = this.clock.monotonicMs();
    this.tell(`VIOLATION ${invariant}: ${detail}`);
    this.violation ??= { invariant, detail, atMs };
  };

  #begin(replica: Replica, delayMs: number): void {
    this.clock.setTimer(delayMs, () => {
      const name = `replica-${replica.index}_${++replica.lives}`;
      this.tell(`${name} begins`);
      const life = new Life({
        name,
        world: this.clock,
        seed: this.#scenario.seed * 1000 + replica.index * 100 + replica.lives,
        wallSkewMs: replica.index === 0 ? this.#scenario.settings.wallSkewMs : 0,
      });
      replica.process = this.#process(replica, life);
    });
  }

  #process(replica: Replica, life: Life): OperatorProcess {
    const { settings } = this.#scenario;
    const { clock: world, board, model, aws } = this;
    const { index, watches } = replica;
    watches.clear();
    const onCrash = (restartMs: number): void => {
      this.tell(`${life.name} is killed`);
      this.#begin(replica, restartMs);
    };
    const transport = createKubeNetwork({
      model,
      world,
      board,
      life,
      watches,
      onCrash,
      replica: index,
      onSent: (label, { method, path }) => {
        this.tell(`${life.name} ${label}`);
        if (method !== 'GET' && path.includes(myIngressKind.group)) {
          this.#processInvariants.mustLead(life, label);
        }
      },
    });
    const log = new SimLogger((level, message, fields) =>
      this.#onLog(life, { level, message, fields }),
    );
    return new OperatorProcess(
      {
        life,
        transport,
        log,
        api: (leadership) =>
          createAwsNetwork({
            aws,
            world,
            board,
            life,
            leadership,
            onCrash,
            witness: this.#witness,
          }),
      },
      {
        budget: this.#limits(),
        sweepIntervalMs: settings.sweepMs,
        concurrency: settings.concurrency,
        election: settings.election,
        ...(settings.isClusterIdConfigured && { clusterId: CLUSTER }),
      },
      () => {
        this.tell(`${life.name} has ended`);
        this.#begin(replica, RESTART_MS);
      },
    );
  }

  readonly #witness: Parameters<typeof createAwsNetwork>[0]['witness'] = {
    asked: (call) => this.#processInvariants.asked(call),
    sent: (call) => {
      this.tell(`${call.life.name} ${call.label} ${JSON.stringify(call.input)}`);
      this.#processInvariants.sent(call);
    },
    during: (call, carryOut) => this.#awsInvariants.during(call, carryOut),
    answered: (call, error) => {
      // What AWS refuses is tried again now and then, for as long as nobody heals it.
      if (isWrite(call.operation) && !error) this.operatorWrites += 1;
      if (error) this.tell(`${call.life.name} ${call.label}: ${(error as Error).message}`);
      this.#processInvariants.answered(call, error);
    },
  };

  #onCommit({ kind, type, object, by }: Commit): void {
    if (kind !== this.#kind) return;
    if (isOperator(by)) this.operatorWrites += 1;
    const { metadata, status } = object as unknown as MyIngress;
    const said = status?.conditions
      ?.map((one) => `${one.type}=${one.status} ${one.reason}`)
      .join(', ');
    this.tell(
      `${by} ${type} ${metadata.namespace}/${metadata.name}@${metadata.resourceVersion} g${metadata.generation} [${metadata.finalizers?.join() ?? ''}]${metadata.deletionTimestamp ? ' deleted' : ''} ${said ?? ''} ${status?.alb?.arn ?? ''}`,
    );
  }

  #onLog(
    { name }: Life,
    line: { readonly level: string; readonly message: string; readonly fields: object },
  ): void {
    const { level, message, fields } = line;
    if (message.startsWith('subscriber threw')) this.#report('no-internal-error', message);
    if (!this.#isTraced) return;
    const { err, key } = fields as { readonly err?: Error; readonly key?: string };
    this.tell(`${name} ${level} ${key ?? ''} ${message}${err ? `: ${err.message}` : ''}`);
  }

  #arrange(fault: Fault): void {
    const atMs = 'atMs' in fault ? fault.atMs : 'fromMs' in fault ? fault.fromMs : undefined;
    if (atMs === undefined) return;
    this.clock.setTimer(atMs, () => {
      if (this.board.isLifted) return;
      this.tell(`fault ${JSON.stringify(fault)}`);
      if ('atMs' in fault) this.#happen(fault);
      else if (fault.kind === 'apiDown') this.#openWatches().forEach((watch) => watch.break());
      else if (fault.kind === 'partition')
        this.#openWatches(fault.replica).forEach((watch) => watch.fallSilent());
    });
  }

  #openWatches(index?: number): readonly SlowWatch[] {
    const meant = this.#replicas.filter(
      (replica) => index === undefined || replica.index === index,
    );
    return meant.flatMap(({ watches }) => [...watches]);
  }

  #happen(fault: Extract<Fault, { atMs: number }>): void {
    const open = this.#openWatches();
    switch (fault.kind) {
      case 'terminate':
        return this.#terminate(fault.replica);
      case 'watchSilent':
        return open.forEach((watch) => watch.fallSilent());
      case 'watchBroken':
        return open.forEach((watch) => watch.break());
      case 'compaction':
        this.model.table.compact();
        return open.forEach((watch) => watch.break());
      case 'leaseDeleted':
      case 'leaseStolen':
        return this.#meddleWithLease(fault.kind);
      default:
        return fault satisfies never;
    }
  }

  #terminate(index: number): void {
    const replica = this.#replicas[index];
    const process = replica?.process;
    if (!replica || !process || process.life.isDead) return;
    process.terminate('SIGTERM');
    this.clock.setTimer(GRACE_MS, () => {
      if (process.life.isDead) return;
      process.life.die();
      this.#begin(replica, RESTART_MS);
    });
  }

  #meddleWithLease(kind: 'leaseDeleted' | 'leaseStolen'): void {
    const path = resourcePath({ ...LEASES }, LEASE);
    this.#leaseDoubtfulUntilMs = this.clock.monotonicMs() + 11_000;
    if (kind === 'leaseDeleted') {
      this.model.answer({ method: 'DELETE', path }, 'somebody');
      return;
    }
    const headers = { 'content-type': 'application/merge-patch+json' };
    const body = JSON.stringify({ spec: { holderIdentity: 'somebody', leaseDurationSeconds: 15 } });
    this.model.answer({ method: 'PATCH', path, headers, body }, 'somebody');
  }

  #holder(): string | undefined {
    if (!this.#scenario.settings.election) return undefined;
    const lease = this.model.table.get(
      LEASES,
      `${LEASE.namespace}/${LEASE.name}`,
    ) as unknown as Lease;
    return lease?.spec?.holderIdentity ?? '';
  }

  #object(key: string): MyIngress | undefined {
    return this.model.table.get(this.#kind, key) as unknown as MyIngress | undefined;
  }

  #limits(): typeof AWS_LIMITS {
    return this.#scenario.settings.budget === 'aws' ? AWS_LIMITS : NO_LIMITS;
  }

  /** The UID of kube-system. */
  #seedNamespaces(): string {
    for (const name of ['kube-system', 'web', 'api', LEASE.namespace]) {
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      this.model.answer({ method: 'POST', path: '/api/v1/namespaces', body }, 'setup');
    }
    return this.model.table.get(NAMESPACES, '/kube-system')?.metadata.uid ?? '';
  }
}

function isOperator(by: string): boolean {
  return by.startsWith('replica-');
}
