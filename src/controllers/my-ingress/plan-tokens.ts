import type { MyIngress } from '../../apis/my-ingress.ts';
import {
  type AwsOperation,
  isWrite,
  type LoadBalancers,
  type Reservation,
} from '../../aws/elbv2/load-balancers.ts';
import { splitKey } from '../../core/objects/kube-object.ts';
import type { Pass } from '../../core/reconcile/reconciler.ts';
import { getRevision } from './attaching/joined.ts';
import type { ObjectMemory } from './memory.ts';

export interface PlanTokensParts {
  readonly aws: LoadBalancers;
  readonly memory: ObjectMemory;
  readonly object: MyIngress;
  readonly pass: Pass;
}

/**
 * The tokens of one pass: those of its reads together, then those of its whole plan. Where they take
 * longer than a second the pass ends and keeps its place; the passes until its turn ask for the tokens
 * alone, and send nothing. With them in hand everything is read once more, for every write follows a
 * read: so all that the pass has read counts, or the reads would spend what the plan has waited for.
 */
export class PlanTokens {
  readonly #parts: PlanTokensParts;
  readonly #reads: AwsOperation[] = [];
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
    if (this.#held?.covers(operations)) return;
    const { memory, object } = this.#parts;
    memory.awaited = {
      operations: [...this.#reads, ...operations],
      madeFor: identifyVersion(object),
    };
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

/** An edit or a deletion makes another plan. */
function identifyVersion(object: MyIngress): string {
  return `${getRevision(object)} ${object.metadata.deletionTimestamp}`;
}
