import { STALE_HORIZON_MS } from '../load-balancers/balancer-store.ts';

/** A resource of ELBv2 other than a balancer. Records are never changed in place, only replaced. */
export interface TrafficRecord {
  /** Order of creation; what a paging marker points at. */
  readonly sequence: number;
  readonly arn: string;
  readonly tags: ReadonlyMap<string, string>;
}

/** The records of one kind as they are, or as they were at some time. */
export interface RecordView<Kept extends TrafficRecord> {
  byArn(arn: string): Kept | undefined;
  /** Those with this key, in order of creation. */
  byKey(key: string): readonly Kept[];
  /** In order of creation. */
  all(): readonly Kept[];
}

interface Change<Kept> {
  readonly atMs: number;
  readonly arn: string;
  readonly before: Kept | undefined;
}

/** Records of one kind, indexed by ARN and by keys, with enough history to answer stale reads. */
export class RecordStore<Kept extends TrafficRecord> implements RecordView<Kept> {
  readonly #keysOf: (record: Kept) => readonly string[];
  readonly #onChange: () => void;
  readonly #byArn = new Map<string, Kept>();
  readonly #arnsByKey = new Map<string, Set<string>>();
  #changes: Change<Kept>[] = [];
  #nextSequence = 1;

  constructor(keysOf: (record: Kept) => readonly string[], onChange: () => void) {
    this.#keysOf = keysOf;
    this.#onChange = onChange;
  }

  byArn(arn: string): Kept | undefined {
    return this.#byArn.get(arn);
  }

  byKey(key: string): readonly Kept[] {
    const arns = [...(this.#arnsByKey.get(key) ?? [])];
    return arns.flatMap((arn) => this.#byArn.get(arn) ?? []).sort(bySequence);
  }

  all(): readonly Kept[] {
    return [...this.#byArn.values()];
  }

  nextSequence(): number {
    return this.#nextSequence++;
  }

  /** Adds or replaces the record with this ARN. */
  put(record: Kept, nowMs: number): void {
    this.#remember(record.arn, nowMs);
    this.#unindex(record.arn);
    this.#byArn.set(record.arn, record);
    for (const key of this.#keysOf(record)) {
      const arns = this.#arnsByKey.get(key) ?? new Set();
      this.#arnsByKey.set(key, arns.add(record.arn));
    }
    this.#onChange();
  }

  remove(arn: string, nowMs: number): void {
    this.#remember(arn, nowMs);
    this.#unindex(arn);
    this.#byArn.delete(arn);
    this.#onChange();
  }

  clear(): void {
    this.#byArn.clear();
    this.#arnsByKey.clear();
    this.#changes = [];
    this.#onChange();
  }

  /** The records as they were at `atMs`, at most STALE_HORIZON_MS back. */
  asOf(atMs: number): RecordView<Kept> {
    const past = new Map<string, Kept | undefined>();
    for (const change of this.#changes.toReversed()) {
      if (change.atMs > atMs) past.set(change.arn, change.before);
    }
    const merged = new Map([...this.#byArn, ...past]);
    const all = [...merged.values()].filter((record) => record !== undefined).sort(bySequence);
    return {
      byArn: (arn) => merged.get(arn),
      byKey: (key) => all.filter((record) => this.#keysOf(record).includes(key)),
      all: () => all,
    };
  }

  #unindex(arn: string): void {
    const record = this.#byArn.get(arn);
    if (record === undefined) return;
    for (const key of this.#keysOf(record)) {
      const arns = this.#arnsByKey.get(key);
      arns?.delete(arn);
      if (arns?.size === 0) this.#arnsByKey.delete(key);
    }
  }

  #remember(arn: string, nowMs: number): void {
    const oldest = nowMs - STALE_HORIZON_MS;
    const first = this.#changes[0];
    // Dropping in halves keeps a write O(1) on average.
    if (first !== undefined && first.atMs < oldest - STALE_HORIZON_MS) {
      this.#changes = this.#changes.filter((change) => change.atMs >= oldest);
    }
    this.#changes.push({ atMs: nowMs, arn, before: this.#byArn.get(arn) });
  }
}

function bySequence(left: TrafficRecord, right: TrafficRecord): number {
  return left.sequence - right.sequence;
}
