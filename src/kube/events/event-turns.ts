import { type EventSeries, getNamespace } from './event-series.ts';

/** Events that wait for a writer, repetitions included: four for each of 1,000 objects created at once. */
const MAX_WAITING = 4096;
const WRITERS = 8;
const WRITERS_OF_NAMESPACE = 4;
/** All but two: a namespace whose writes are slow leaves these to the others. */
const WRITERS_OF_SLOW = 6;
const SLOW_MS = 1000;
const MAX_SLOW = 1024;

/**
 * Gives the event to write next. Namespaces take turns, so that one with a slow or failing admission webhook
 * neither holds up the events of another nor takes their place in a full queue. A webhook may take
 * 10 s by default
 * (https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#timeouts).
 */
export class EventTurns {
  /** Namespaces in the order of their turns. */
  readonly #waiting = new Map<string, EventSeries[]>();
  readonly #underWay = new Map<string, number>();
  /** Namespaces whose last write took long. */
  readonly #slow = new Set<string>();
  #size = 0;
  #writers = 0;

  /** Returns the one that is dropped, if there are too many: of the slow namespaces first, and of the largest. */
  add(series: EventSeries): EventSeries | undefined {
    const namespace = getNamespace(series.regarding);
    const waiting = this.#waiting.get(namespace) ?? [];
    waiting.push(series);
    this.#waiting.set(namespace, waiting);
    this.#size++;
    return this.#size > MAX_WAITING ? this.#dropNewest() : undefined;
  }

  /** The next to be written, until `finish`. */
  take(): EventSeries | undefined {
    if (this.#writers >= WRITERS) return undefined;
    for (const [namespace, waiting] of this.#waiting) {
      const series = this.#mayWrite(namespace) ? waiting.shift() : undefined;
      if (series === undefined) continue;
      this.#size--;
      this.#waiting.delete(namespace);
      if (waiting.length > 0) this.#waiting.set(namespace, waiting); // behind the others
      this.#underWay.set(namespace, this.#countWriters(namespace) + 1);
      this.#writers++;
      return series;
    }
    return undefined;
  }

  finish(series: EventSeries, tookMs: number): void {
    const namespace = getNamespace(series.regarding);
    const writers = this.#countWriters(namespace) - 1;
    if (writers > 0) this.#underWay.set(namespace, writers);
    else this.#underWay.delete(namespace);
    this.#writers--;
    this.#slow.delete(namespace);
    if (tookMs >= SLOW_MS) this.#slow.add(namespace);
    if (this.#slow.size > MAX_SLOW) forgetOldest(this.#slow);
  }

  #dropNewest(): EventSeries | undefined {
    const all = [...this.#waiting];
    const slow = all.filter(([namespace]) => this.#slow.has(namespace));
    const [namespace, waiting] = findLargest(slow.length > 0 ? slow : all);
    if (waiting.length === 1) this.#waiting.delete(namespace);
    this.#size--;
    return waiting.pop();
  }

  #mayWrite(namespace: string): boolean {
    if (this.#countWriters(namespace) >= WRITERS_OF_NAMESPACE) return false;
    if (!this.#slow.has(namespace)) return true;
    let writers = 0;
    for (const [other, count] of this.#underWay) if (this.#slow.has(other)) writers += count;
    return writers < WRITERS_OF_SLOW;
  }

  #countWriters(namespace: string): number {
    return this.#underWay.get(namespace) ?? 0;
  }
}

type Group = readonly [namespace: string, series: EventSeries[]];

/** The first of those that have most. */
export function findLargest(groups: Iterable<Group>): Group {
  let largest: Group = ['', []];
  for (const group of groups) if (group[1].length > largest[1].length) largest = group;
  return largest;
}

/** A Set or Map keeps the order of insertion: the first entry was not repeated for the longest. */
export function forgetOldest<T>(entries: Pick<Set<T>, 'delete'> & { keys(): Iterable<T> }): void {
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
}
