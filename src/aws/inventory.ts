import { type Clock, sleep } from '../core/clock.ts';
import { OperatorError } from '../core/operator-error.ts';
import type { BalancerReader } from './balancer-reader.ts';
import { type Ask, createBatch } from './batch.ts';
import type {
  Inventory,
  LoadBalancer,
  LoadBalancerRef,
  TaggedLoadBalancer,
  Tags,
} from './load-balancers.ts';
import type { WriteLedger } from './write-ledger.ts';

export interface InventoryParts {
  readonly readerFor: (namespace?: string) => BalancerReader;
  readonly tagsOf: Ask<Tags | undefined>;
  readonly ledger: WriteLedger;
  readonly clock: Clock;
}

/** What one refresh said. */
interface Picture {
  /** Monotonic time at which its first call began: nothing in it is older. */
  readonly seenAtMs: number;
  readonly byArn: ReadonlyMap<string, TaggedLoadBalancer>;
  readonly byName: ReadonlyMap<string, TaggedLoadBalancer>;
  /** ARNs of what was listed and not wanted. */
  readonly others: readonly string[];
}

export function createInventory(parts: InventoryParts): Inventory {
  const { readerFor, ledger, clock } = parts;
  let picture: Picture | undefined;
  const look = createBatch<LoadBalancer | undefined>({
    clock,
    mostKeys: Number.POSITIVE_INFINITY,
    load: (arns, signal, namespace) => readerFor(namespace).these(arns, signal),
  });

  const inventory: Inventory = {
    look: (arn, signal) => look(arn, signal),
    paidBy: (namespace) => ({
      ...inventory,
      look: (arn, signal) => look(arn, signal, namespace),
    }),
    others: () => picture?.others ?? [],
    tagsOf: (arns, signal) => tagsOfEach(parts, arns, signal),
    async refresh(wanted, signal) {
      const taken = await take(parts, wanted, signal);
      if (picture && picture.seenAtMs > taken.seenAtMs) return;
      picture = taken;
      ledger.forget(taken.seenAtMs);
    },
    recall(ref, notBeforeMs) {
      if (!picture || picture.seenAtMs < notBeforeMs) return undefined;
      const seen = recallFrom(picture, ref);
      return seen && isSettled(ledger, seen.loadBalancer, picture) ? seen : undefined;
    },
  };
  return inventory;
}

function isSettled(ledger: WriteLedger, { arn, name }: LoadBalancer, picture: Picture): boolean {
  return ledger.isSettled(arn, picture.seenAtMs) && ledger.isSettled(name, picture.seenAtMs);
}

function recallFrom(picture: Picture, ref: LoadBalancerRef): TaggedLoadBalancer | undefined {
  return 'arn' in ref ? picture.byArn.get(ref.arn) : picture.byName.get(ref.name);
}

async function take(
  parts: InventoryParts,
  wanted: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Picture> {
  const { readerFor, clock } = parts;
  const seenAtMs = clock.monotonicMs();
  const listed = await patience(clock, signal)(() => readerFor().all(signal));
  const isWanted = ({ arn, name }: LoadBalancer): boolean => wanted.has(arn) || wanted.has(name);
  const ours = listed.filter(isWanted);
  const others = listed.filter((one) => one.type === 'application' && !isWanted(one));
  const tags = await tagsOfEach(
    parts,
    ours.map(({ arn }) => arn),
    signal,
  );
  const seen = ours.flatMap((loadBalancer) => {
    const found = tags.get(loadBalancer.arn);
    return found ? [{ loadBalancer, tags: found }] : [];
  });
  return {
    seenAtMs,
    byArn: new Map(seen.map((one) => [one.loadBalancer.arn, one])),
    byName: new Map(seen.map((one) => [one.loadBalancer.name, one])),
    others: others.map(({ arn }) => arn),
  };
}

async function tagsOfEach(
  { tagsOf, clock }: InventoryParts,
  arns: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Tags>> {
  const patiently = patience(clock, signal);
  const read = await Promise.all(
    arns.map(async (arn) => {
      const tags = await patiently(() => tagsOf(arn, signal));
      return tags ? [[arn, tags] as const] : [];
    }),
  );
  return new Map(read.flat());
}

/** No worker waits here, so a spent budget is waited for instead of starting all over. */
function patience(clock: Clock, signal: AbortSignal): <T>(read: () => Promise<T>) => Promise<T> {
  return async (read) => {
    for (;;) {
      try {
        return await read();
      } catch (error) {
        const turnInMs = error instanceof OperatorError ? error.retryAfterMs : undefined;
        if (turnInMs === undefined) throw error;
        await sleep(clock, turnInMs, signal);
      }
    }
  };
}
