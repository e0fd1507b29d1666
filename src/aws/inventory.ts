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
    async refresh(wanted, signal) {
      if (wanted.size === 0) return;
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
  { readerFor, tagsOf, clock }: InventoryParts,
  wanted: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Picture> {
  const patiently = patience(clock, signal);
  const seenAtMs = clock.monotonicMs();
  const listed = await patiently(() => readerFor().all(signal));
  const ours = listed.filter(({ arn, name }) => wanted.has(arn) || wanted.has(name));
  const tagged = await Promise.all(
    ours.map(async (loadBalancer) => {
      const tags = await patiently(() => tagsOf(loadBalancer.arn, signal));
      return tags ? [{ loadBalancer, tags }] : [];
    }),
  );
  const seen = tagged.flat();
  return {
    seenAtMs,
    byArn: new Map(seen.map((one) => [one.loadBalancer.arn, one])),
    byName: new Map(seen.map((one) => [one.loadBalancer.name, one])),
  };
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
