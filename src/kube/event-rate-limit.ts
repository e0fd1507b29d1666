import { forgetOldest } from '../core/bounded-map.ts';
import type { Clock } from '../core/clock.ts';

/** One more write about an object may happen now; saying so takes a token. */
export interface EventRateLimit {
  takes(objectId: string): boolean;
}

/** client-go's: 25 at once, then one in five minutes for each object. */
const BURST = 25;
export const REFILL_MS = 300_000;
const MAX_OBJECTS = 4096;

export function createEventRateLimit(clock: Clock): EventRateLimit {
  const buckets = new Map<string, { readonly tokens: number; readonly atMs: number }>();
  return {
    takes: (objectId) => {
      const nowMs = clock.monotonicMs();
      const known = buckets.get(objectId);
      const gained = known ? (nowMs - known.atMs) / REFILL_MS : BURST;
      const tokens = Math.min(BURST, (known?.tokens ?? 0) + gained);
      const isAllowed = tokens >= 1;
      buckets.delete(objectId);
      buckets.set(objectId, { tokens: isAllowed ? tokens - 1 : tokens, atMs: nowMs });
      if (buckets.size > MAX_OBJECTS) forgetOldest(buckets);
      return isAllowed;
    },
  };
}
