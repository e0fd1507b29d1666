import { type Clock, sleep } from '../core/clock.ts';
import { OperatorError } from '../core/operator-error.ts';
import { type AwsCall, callFor } from './aws-call.ts';
import {
  type Answers,
  type Calls,
  describeAll,
  describeThese,
  isOfOneArn,
  LARGEST_PAGE,
  MOST_ARNS,
} from './balancer-reader.ts';
import { createBatch } from './batch.ts';
import type {
  Inventory,
  LoadBalancer,
  Recalled,
  TaggedLoadBalancer,
  Tags,
} from './load-balancers.ts';
import { readTags } from './tags-reader.ts';
import type { WriteLedger } from './write-ledger.ts';

export interface InventoryParts {
  readonly call: AwsCall;
  readonly ledger: WriteLedger;
  readonly clock: Clock;
}

/** What one refresh said. */
interface Snapshot {
  /** Monotonic time at which its first call began: nothing in it is older. */
  readonly takenAtMs: number;
  readonly listed: ReadonlySet<string>;
  readonly byArn: ReadonlyMap<string, TaggedLoadBalancer>;
  /** ARNs of what was listed and not wanted. */
  readonly others: readonly string[];
}

/** Reads of tags under way at once. */
const MOST_READS = 4;

export function createInventory(parts: InventoryParts): Inventory {
  const { call, ledger, clock } = parts;
  let snapshot: Snapshot | undefined;
  const look = createBatch<LoadBalancer | undefined>({
    clock,
    mostKeys: Number.POSITIVE_INFINITY,
    load: (arns, signal, payerOf) =>
      lookAt({ call, payerOf }, arns, { signal, listed: snapshot?.listed.size }),
  });

  const inventory: Inventory = {
    look: (arn, signal) => look(arn, signal),
    paidBy: (payer) => ({ ...inventory, look: (arn, signal) => look(arn, signal, payer) }),
    wanted: () => [...(snapshot?.byArn.values() ?? [])],
    others: () => snapshot?.others ?? [],
    tagsOf: (arns, signal) => tagsOfEach(patient(parts, signal), arns, { signal }),
    async refresh(wanted, signal) {
      snapshot = await take(parts, wanted, signal);
      ledger.forget(snapshot.takenAtMs);
    },
    recall: (arn) => recallFrom(snapshot, arn, ledger),
  };
  return inventory;
}

function recallFrom(snapshot: Snapshot | undefined, arn: string, ledger: WriteLedger): Recalled {
  if (!snapshot || !ledger.isSettled(arn, snapshot.takenAtMs)) return { kind: 'unknown' };
  if (!snapshot.listed.has(arn)) return { kind: 'absent' };
  const seen = snapshot.byArn.get(arn);
  const isKnown = seen && ledger.isSettled(seen.loadBalancer.name, snapshot.takenAtMs);
  return isKnown ? { kind: 'seen', seen } : { kind: 'unknown' };
}

async function take(
  parts: InventoryParts,
  wanted: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Snapshot> {
  const takenAtMs = parts.clock.monotonicMs();
  const call = patient(parts, signal);
  const listed = await describeAll(call, signal);
  const isWanted = ({ arn, name }: LoadBalancer): boolean => wanted.has(arn) || wanted.has(name);
  const ours = new Map(listed.filter(isWanted).map((one) => [one.arn, one]));
  const others = listed.filter((one) => one.type === 'application' && !isWanted(one));
  // What we delete meanwhile would fail the reads of its neighbours, and is not in question.
  const isMeant = (arn: string): boolean => parts.ledger.isSettled(arn, takenAtMs);
  const tags = await tagsOfEach(call, [...ours.keys()], { signal, isMeant });
  const byArn = new Map<string, TaggedLoadBalancer>();
  for (const [arn, of] of tags) {
    const loadBalancer = ours.get(arn);
    if (loadBalancer) byArn.set(arn, { loadBalancer, tags: of });
  }
  return {
    takenAtMs,
    listed: new Set(listed.map(({ arn }) => arn)),
    byArn,
    others: others.map(({ arn }) => arn),
  };
}

async function tagsOfEach(
  call: AwsCall,
  arns: readonly string[],
  how: { readonly signal: AbortSignal; readonly isMeant?: (arn: string) => boolean },
): Promise<ReadonlyMap<string, Tags>> {
  const { signal, isMeant = () => true } = how;
  const chunks = chunksOf(arns);
  const read = new Map<string, Tags>();
  const refusals: unknown[] = [];
  // What AWS refuses for every ARN is not about the ARNs.
  const assertSome = (fewest: number): void => {
    if (read.size === 0 && refusals.length >= fewest) throw refusals[0];
  };
  const readOn = async (): Promise<void> => {
    for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) {
      const meant = chunk.filter(isMeant);
      if (meant.length === 0) continue;
      for (const [arn, answer] of await readTags({ call }, meant, signal)) {
        // An ARN that AWS lists and then refuses says nothing; the others do.
        const tags = await Promise.resolve(answer).catch((error: unknown) => {
          if (!isOfOneArn(error)) throw error;
          refusals.push(error);
        });
        if (tags) read.set(arn, tags);
      }
      assertSome(2);
    }
  };
  const stop = (reason: unknown): never => {
    chunks.length = 0;
    throw reason;
  };
  await Promise.all(Array.from({ length: MOST_READS }, () => readOn().catch(stop)));
  assertSome(1);
  return read;
}

interface LookOptions {
  readonly signal: AbortSignal;
  /** What the account has; undefined before the first scan. */
  readonly listed: number | undefined;
}

/** For more than twenty whichever is fewer calls: twenty ARNs each, or all that the account has. */
async function lookAt(
  { call, payerOf }: Required<Calls>,
  arns: readonly string[],
  { signal, listed = Number.POSITIVE_INFINITY }: LookOptions,
): Promise<Answers<LoadBalancer>> {
  const found = new Map<string, LoadBalancer>();
  if (Math.ceil(listed / LARGEST_PAGE) < Math.ceil(arns.length / MOST_ARNS) - 1) {
    for (const one of await describeAll(callFor(payerOf(arns), call), signal))
      found.set(one.arn, one);
  }
  const answers = arns.map((arn) => [arn, found.get(arn)] as const);
  const parts = [];
  for (const chunk of chunksOf(arns.filter((arn) => !found.has(arn)))) {
    parts.push(...(await describeThese({ call, payerOf }, chunk, signal)));
  }
  return new Map([...answers, ...parts]);
}

function chunksOf(arns: readonly string[]): (readonly string[])[] {
  const count = Math.ceil(arns.length / MOST_ARNS);
  return Array.from({ length: count }, (_, i) => arns.slice(i * MOST_ARNS, (i + 1) * MOST_ARNS));
}

/**
 * With the tokens of the scan. No worker waits here, so a spent budget is waited for, and a short
 * outage: what the scan has read by then is not read again.
 */
function patient({ call, clock }: InventoryParts, signal: AbortSignal): AwsCall {
  const ofScan = callFor({ isScan: true }, call);
  return async (operation, input, options) => {
    let downSinceMs: number | undefined;
    for (;;) {
      try {
        return await ofScan(operation, input, options);
      } catch (error) {
        const nowMs = clock.monotonicMs();
        if (isOutage(error)) downSinceMs ??= nowMs;
        const waitMs = waitMsAfter(error, nowMs - (downSinceMs ?? nowMs));
        if (waitMs === undefined) throw error;
        await sleep(clock, waitMs, signal);
      }
    }
  };
}

/** Where the failure of an outage does not state its time. */
const OUTAGE_PAUSE_MS = 2_000;
/** What lasts longer is for the log, and for the next try of the scan. */
const LONGEST_OUTAGE_MS = 20_000;

function waitMsAfter(error: unknown, downMs: number): number | undefined {
  if (isOutage(error)) {
    return downMs < LONGEST_OUTAGE_MS ? (error.retryAfterMs ?? OUTAGE_PAUSE_MS) : undefined;
  }
  const isWait = isOneOf(['BudgetExhausted', 'Throttled'], error);
  return isWait ? error.retryAfterMs : undefined;
}

function isOutage(error: unknown): error is OperatorError {
  return isOneOf(['AwsUnavailable', 'AwsUnreachable'], error);
}

function isOneOf(reasons: readonly string[], error: unknown): error is OperatorError {
  return error instanceof OperatorError && reasons.includes(error.reason);
}
