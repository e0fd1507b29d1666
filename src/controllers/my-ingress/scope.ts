import type { MyIngress } from '../../apis/my-ingress.ts';
import type { Certificates } from '../../aws/acm/certificates.ts';
import type { SecurityGroups } from '../../aws/ec2/security-groups.ts';
import type { Subnets } from '../../aws/ec2/subnets.ts';
import {
  type AwsOperation,
  type Inventory,
  isWrite,
  type LoadBalancers,
  type Reservation,
} from '../../aws/elbv2/load-balancers.ts';
import type { Listeners, ResourceTags, Rules, TargetGroups } from '../../aws/elbv2/traffic.ts';
import { splitKey } from '../../core/objects/kube-object.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Pass } from '../../core/reconcile/reconciler.ts';
import { getRevision } from './attaching/joined.ts';
import type { RecallGroup } from './attaching/recall.ts';
import type { SubnetRequest } from './discovery/choose-subnets.ts';
import { type Identity, identify } from './identity.ts';
import { type DesiredLoadBalancer, desireLoadBalancer } from './load-balancer/desired.ts';
import type { Memory, ObjectMemory } from './memory.ts';
import type { Targets } from './targets.ts';

/** Clients of everything beside the balancer, paid for by one pass. */
export interface TrafficClients {
  readonly targetGroups: TargetGroups;
  readonly listeners: Listeners;
  readonly rules: Rules;
  readonly tags: ResourceTags;
  readonly securityGroups: SecurityGroups;
  readonly subnets: Subnets;
  readonly certificates: Certificates;
}

/** The context of all passes of the controller. */
export interface MyIngressContext {
  /** This cluster's id in ownership tags and default names. */
  readonly cluster: string;
  readonly aws: LoadBalancers;
  readonly inventory: Inventory;
  readonly traffic: (payer: Payer) => TrafficClients;
  readonly targets: Targets;
  /** Security groups that every balancer with a managed one carries too, so that pods admit it. */
  readonly backendSecurityGroups: readonly string[];
  /** For subnets that a spec leaves out. */
  readonly discovery: SubnetRequest;
  readonly memory: Memory;
  readonly clock: Clock;
  readonly attachments: {
    /** Gives an object with the routes that others attach to it. */
    join(object: MyIngress): MyIngress;
    readonly recallGroup: RecallGroup;
  };
}

type Payer = Parameters<LoadBalancers['chargeTo']>[0];

/** The scope of one pass over one object, whether its spec is valid or not. */
export interface ObjectScope extends Omit<MyIngressContext, 'memory' | 'traffic'> {
  /** Its status is completed by what this process remembers. */
  readonly object: MyIngress;
  /** `status.owned` as it is stored: what this process remembers may never have got there. */
  readonly stored: MyIngress['status']['owned'];
  readonly pass: Pass<MyIngress>;
  readonly identity: Identity;
  readonly memory: ObjectMemory;
  /** That this process knows. */
  readonly objectCount: number;
  readonly tokens: PlanTokens;
  /** Clients of what is beside the balancer, made when they are first asked for. */
  readonly traffic: () => TrafficClients;
}

/** The scope of a pass toward the spec. */
export interface Scope extends ObjectScope {
  readonly desired: DesiredLoadBalancer;
}

/** Of what a pass is made. */
interface PassParts {
  readonly object: MyIngress;
  readonly stored: MyIngress['status']['owned'];
  readonly pass: Pass<MyIngress>;
  /** As `beforeWrite` of a payer. */
  readonly beforeWrite?: () => void;
}

export function createObjectScope(
  context: MyIngressContext,
  { object, stored, pass, ...access }: PassParts,
): ObjectScope {
  const identity = identify(context.cluster, object);
  const { namespace, uid } = identity;
  const memory = context.memory.of(pass.key, uid);
  const tokens = new PlanTokens({ aws: context.aws, memory, object, pass });
  const payer = { namespace, reservation: tokens, log: pass.log, ...access };
  const aws = context.aws.chargeTo(payer);
  const inventory = context.inventory.chargeTo({ namespace, reservation: tokens });
  let clients: TrafficClients | undefined;
  const traffic = (): TrafficClients => {
    clients ??= context.traffic({ ...payer, isUnderWay: true });
    return clients;
  };
  const objectCount = context.memory.size;
  const own = { object, stored, pass, identity, memory, objectCount, tokens };
  return { ...context, ...own, aws, inventory, traffic };
}

export function createScope(context: MyIngressContext, parts: PassParts): Scope {
  const scope = createObjectScope(context, parts);
  return { ...scope, desired: desireLoadBalancer(parts.object, scope.identity) };
}

interface PlanTokensParts {
  readonly aws: LoadBalancers;
  readonly memory: ObjectMemory;
  readonly object: MyIngress;
  readonly pass: Pass;
}

/**
 * The tokens of one pass: those of its reads together, then those of its whole plan. Where they take
 * longer than a second the pass ends and keeps its place; the passes until its turn ask for the tokens
 * alone, and send nothing. With them in hand everything is read once more, for every write follows a
 * read: so all that the pass has read counts, or had tokens for. Else the reads would spend what the plan has waited
 * for, or give it back for tokens of their own; then two plans that a bucket does not hold together let each other
 * pass for ever.
 */
class PlanTokens {
  readonly #parts: PlanTokensParts;
  readonly #reads: AwsOperation[] = [];
  /** Reads that it had reserved, beside those that it had done by then. */
  #asked: readonly AwsOperation[] = [];
  #held: Reservation | undefined;

  constructor(parts: PlanTokensParts) {
    this.#parts = parts;
  }

  /** Throws BudgetExhausted while these reads, or an earlier pass's plan, still have to wait. */
  async begin(reads: readonly AwsOperation[]): Promise<void> {
    const { memory, object } = this.#parts;
    const isAwaited = memory.awaited?.madeFor === identifyVersion(object);
    await this.#reserve((isAwaited && memory.awaited?.operations) || reads);
  }

  /** The calls of a plan, unless the pass began with their tokens; throws as `begin`. */
  async reserve(operations: readonly AwsOperation[]): Promise<void> {
    const reads = unite(this.#reads, this.#asked);
    this.#asked = [...this.#reads, ...operations.filter((one) => !isWrite(one))];
    if (this.#held?.covers(operations)) return;
    const { memory, object } = this.#parts;
    memory.awaited = { operations: [...reads, ...operations], madeFor: identifyVersion(object) };
    await this.#reserve(operations);
  }

  /** As `Reservation.spend`. */
  spend(operation: AwsOperation): boolean {
    if (!isWrite(operation)) this.#reads.push(operation);
    return this.#held?.spend(operation) ?? false;
  }

  /** Call at the end of the pass, whatever came of it. */
  release(): void {
    this.#held?.release();
    this.#held = undefined;
  }

  async #reserve(operations: readonly AwsOperation[]): Promise<void> {
    const { aws, memory, pass } = this.#parts;
    const { namespace } = splitKey(pass.key);
    this.release();
    const claimant = { subject: `load balancer of ${pass.key}`, namespace };
    this.#held = await aws.reserve(operations, claimant, pass.signal);
    memory.awaited = undefined;
  }
}

/** As many of each as there are in the one or in the other. */
function unite(
  one: readonly AwsOperation[],
  other: readonly AwsOperation[],
): readonly AwsOperation[] {
  const left = [...one];
  const more = other.filter((operation) => {
    const at = left.indexOf(operation);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return [...one, ...more];
}

/** An edit or a deletion makes another plan. */
function identifyVersion(object: MyIngress): string {
  return `${getRevision(object)} ${object.metadata.deletionTimestamp}`;
}
