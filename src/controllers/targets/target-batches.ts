import type { Target } from '../../aws/elbv2/traffic.ts';
import { OperatorError } from '../../core/reconcile/operator-error.ts';

/** Targets that AWS does not take, each alone or all of them together, and why. */
export interface Refusal {
  readonly targets: readonly Target[];
  readonly error: OperatorError;
}

type Part = readonly Target[];

/** AWS does not take a target of the call. */
const ABOUT_TARGETS: ReadonlySet<string> = new Set(['InvalidTarget', 'ValidationError']);
/** Refusals in a row that tell the side of no target. One bad target among 200 causes two; so many are about all, or about none. */
const MOST_IN_VAIN = 5;

/**
 * Sends a batch. Where AWS refuses it because of a target, the rest is sent without it: AWS may name the bad
 * ones, and else they are found by halves. With `bounds` a refused target is tried on the other side of the
 * VPC's bounds too. Throws every other failure.
 */
export async function sendInParts(
  batch: Part,
  send: (targets: Part) => Promise<void>,
  bounds?: VpcBounds,
): Promise<readonly Refusal[]> {
  const parts = new Parts(batch, bounds);
  for (let part = parts.take(); part !== undefined; part = parts.take()) {
    const error = await findRefusal(send(bounds?.place(part) ?? part));
    if (error === undefined) parts.recordTaken();
    else parts.recordRefused(part, error);
  }
  return parts.refusals;
}

async function findRefusal(sending: Promise<void>): Promise<OperatorError | undefined> {
  try {
    await sending;
    return undefined;
  } catch (error) {
    if (error instanceof OperatorError && ABOUT_TARGETS.has(error.reason)) return error;
    throw error;
  }
}

/**
 * For a target outside the group's VPC, such as a pod on a secondary network, AWS wants the zone `all`, and for
 * one inside it takes none. Only AWS's refusals tell the VPC's blocks: what is learned of an address holds for all
 * that have more leading bits in common with it than with others, so that each block costs one refusal.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_TargetDescription.html
 */
export class VpcBounds {
  /** By the bits of the address. */
  readonly #isOutside = new Map<string, boolean>();

  /** One part for each side. */
  separate(targets: Part): readonly Part[] {
    return [...Map.groupBy(targets, (target) => this.#expectOutside(target)).values()];
  }

  /** As AWS takes the targets of one side. */
  place(targets: Part): Part {
    return targets.map((one) => (this.#expectOutside(one) ? { ...one, zone: 'all' } : one));
  }

  /** AWS does not take them where they were placed. */
  cross(targets: Part): void {
    const sides = targets.map((one) => [one, !this.#expectOutside(one)] as const);
    for (const [target, isOutside] of sides) {
      if (this.#expectOutside(target) === isOutside) continue;
      this.#isOutside.set(spellBits(target.id), isOutside);
    }
  }

  forget({ id }: Target): void {
    this.#isOutside.delete(spellBits(id));
  }

  #expectOutside({ id }: Target): boolean {
    const bits = spellBits(id);
    let nearest = { common: -1, isOutside: false };
    for (const [known, isOutside] of this.#isOutside) {
      const common = countCommon(known, bits);
      if (common > nearest.common) nearest = { common, isOutside };
    }
    return nearest.isOutside;
  }
}

/** Text for an IPv6 address: it is near enough. */
function spellBits(id: string): string {
  if (id.includes(':')) return id;
  return id
    .split('.')
    .map((octet) => Number(octet).toString(2).padStart(8, '0'))
    .join('');
}

function countCommon(a: string, b: string): number {
  let count = 0;
  while (count < a.length && a[count] === b[count]) count += 1;
  return count;
}

/** Of one batch: what is still to be sent, and what was tried on both sides. */
class Parts {
  readonly refusals: Refusal[] = [];
  readonly #parts: Part[];
  readonly #bounds: VpcBounds | undefined;
  /** Tried on the other side because AWS has named them, which is a hint alone. */
  readonly #named = new Set<Target>();
  /** Because they were refused alone, or all of them together. */
  readonly #whole = new Set<Target>();
  #refusedInVain = 0;

  constructor(batch: Part, bounds: VpcBounds | undefined) {
    this.#parts = [batch];
    this.#bounds = bounds;
  }

  take(): Part | undefined {
    const next = this.#parts.shift();
    if (next === undefined || this.#bounds === undefined) return next;
    const [first, ...others] = this.#bounds.separate(next);
    this.#parts.unshift(...others);
    return first;
  }

  recordTaken(): void {
    this.#refusedInVain = 0;
  }

  recordRefused(part: Part, error: OperatorError): void {
    const isHopeless = this.#refusedInVain >= MOST_IN_VAIN;
    const whole = isHopeless ? [...part, ...this.#parts.splice(0).flat()] : part;
    const isWhole = isHopeless || part.length === 1;
    if (this.#cross(whole, error, isWhole)) {
      this.#parts.push(whole);
      if (isHopeless) this.#refusedInVain = 0;
      return;
    }
    this.#refusedInVain += 1;
    if (isWhole) this.#giveUp({ targets: whole, error });
    else this.#parts.push(...split(part, error.message));
  }

  /** Returns false where none of them may be on the other side. */
  #cross(refused: Part, error: OperatorError, isWhole: boolean): boolean {
    const suspects = this.#listSuspects(refused, error, isWhole);
    this.#bounds?.cross(suspects);
    for (const target of suspects) (isWhole ? this.#whole : this.#named).add(target);
    return suspects.length > 0;
  }

  #listSuspects(refused: Part, { reason, message }: OperatorError, isWhole: boolean): Part {
    if (this.#bounds === undefined || reason !== 'ValidationError') return [];
    const addresses = refused.filter(({ id }) => !id.startsWith('i-'));
    if (!isWhole) return listNamed(addresses, message).filter((one) => !this.#named.has(one));
    return addresses.filter((one) => !this.#whole.has(one));
  }

  /** A target that AWS takes on no side says nothing of those near it. */
  #giveUp(refusal: Refusal): void {
    this.refusals.push(refusal);
    for (const target of refusal.targets) this.#bounds?.forget(target);
  }
}

/** The message is a hint alone: each part is tried, whatever it says. */
function split(part: Part, message: string): readonly Part[] {
  const named = listNamed(part, message);
  if (named.length > 0 && named.length < part.length) {
    return [part.filter((target) => !named.includes(target)), named];
  }
  const half = Math.ceil(part.length / 2);
  return [part.slice(0, half), part.slice(half)];
}

function listNamed(part: Part, message: string): Part {
  const said = new Set(message.match(/\d+(?:\.\d+){3}|i-[0-9a-f]+/g));
  return part.filter(({ id }) => said.has(id));
}
