import type { Target } from '../../aws/elbv2/traffic.ts';
import { OperatorError } from '../../core/reconcile/operator-error.ts';

/** Targets that AWS does not take, each alone or all of them together, and why. */
export interface Refusal {
  readonly targets: readonly Target[];
  readonly error: OperatorError;
}

/** AWS does not take a target of the call. */
const ABOUT_TARGETS: ReadonlySet<string> = new Set(['InvalidTarget', 'ValidationError']);
/** One bad target among 200 causes two of them; so many are about all targets, or about none. */
const MOST_REFUSED_IN_A_ROW = 6;

/**
 * Sends a batch. Where AWS refuses it because of a target, the rest is sent without it: AWS may name the bad
 * ones, and else they are found by halves. Throws every other failure.
 */
export async function sendInParts(
  batch: readonly Target[],
  send: (targets: readonly Target[]) => Promise<void>,
): Promise<readonly Refusal[]> {
  const parts = [batch];
  const refusals: Refusal[] = [];
  let refusedInARow = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const error = await findRefusal(send(part));
    refusedInARow = error === undefined ? 0 : refusedInARow + 1;
    if (error === undefined) continue;
    const isHopeless = refusedInARow >= MOST_REFUSED_IN_A_ROW;
    if (isHopeless) refusals.push({ targets: [...part, ...parts.splice(0).flat()], error });
    else if (part.length === 1) refusals.push({ targets: part, error });
    else parts.push(...split(part, error.message));
  }
  return refusals;
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
 * For a target outside the group's VPC, such as a pod on a secondary network, AWS wants the zone `all`, and
 * for one inside it takes none. Nobody here knows the VPC's blocks, so AWS's refusal decides.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_TargetDescription.html
 */
export function placeOutside(targets: readonly Target[]): readonly Target[] {
  return targets.map((target) => ({ ...target, zone: 'all' }));
}

/** Those that AWS may take with a zone. */
export function mayBeOutside({ error }: Refusal): boolean {
  return error.reason === 'ValidationError';
}

/** The message is a hint alone: each part is tried, whatever it says. */
function split(part: readonly Target[], message: string): readonly (readonly Target[])[] {
  const said = new Set(message.match(/\d+(?:\.\d+){3}|i-[0-9a-f]+/g));
  const named = part.filter(({ id }) => said.has(id));
  if (named.length > 0 && named.length < part.length) {
    return [part.filter((target) => !named.includes(target)), named];
  }
  const half = Math.ceil(part.length / 2);
  return [part.slice(0, half), part.slice(half)];
}
