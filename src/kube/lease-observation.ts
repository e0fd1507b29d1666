import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../core/clock.ts';
import { compareVersions } from '../core/kube-object.ts';
import { holderOf, type Lease } from './lease-record.ts';

/**
 * What a candidate has seen of the Lease. Only the moment at which the record was seen to change
 * counts, by the monotonic clock of this process: the times in the record come from other clocks
 * (https://pkg.go.dev/k8s.io/client-go/tools/leaderelection).
 */
export class LeaseObservation {
  readonly #clock: Clock;
  readonly #identity: string;
  readonly #defaultDurationMs: number;
  #seen: { readonly lease: Lease | undefined; readonly changedAtMs: number } | undefined;
  #isDoubtful = true;

  constructor(options: {
    readonly clock: Clock;
    readonly identity: string;
    /** For a record that names none. */
    readonly defaultDurationMs: number;
  }) {
    this.#clock = options.clock;
    this.#identity = options.identity;
    this.#defaultDurationMs = options.defaultDurationMs;
  }

  /** It has to be read before the next attempt. */
  get isDoubtful(): boolean {
    return this.#isDoubtful;
  }

  get lease(): Lease | undefined {
    return this.#seen?.lease;
  }

  /** undefined: there is no Lease. A read and a watch may overtake each other; the newer counts. */
  see(lease: Lease | undefined): void {
    const before = this.#seen;
    this.#isDoubtful = false;
    if (lease && before?.lease && isOlder(lease, before.lease)) return;
    const isNews = !before || !isDeepStrictEqual(lease?.spec, before.lease?.spec);
    this.#seen = { lease, changedAtMs: isNews ? this.#clock.monotonicMs() : before.changedAtMs };
  }

  /** A write failed, or nobody tells of changes: what is known may be out of date. */
  doubt(): void {
    this.#isDoubtful = true;
  }

  /** Milliseconds until this candidate may take it; 0 or less: now. */
  freeInMs(): number {
    const holder = holderOf(this.#seen?.lease);
    if (!this.#seen || holder === '' || holder === this.#identity) return 0;
    const seconds = this.#seen.lease?.spec?.leaseDurationSeconds;
    const durationMs = seconds === undefined ? this.#defaultDurationMs : seconds * 1000;
    return this.#seen.changedAtMs + durationMs - this.#clock.monotonicMs();
  }
}

/** Of the same Lease: one that was deleted and created anew begins with another UID. */
function isOlder(lease: Lease, than: Lease): boolean {
  const [a, b] = [lease.metadata, than.metadata];
  return a.uid === b.uid && compareVersions(a.resourceVersion ?? '', b.resourceVersion ?? '') < 0;
}
