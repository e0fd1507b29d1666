import type { Clock } from '../../core/ports/clock.ts';
import { describeFaults } from '../ui/pages.ts';
import type { ReadState } from '../ui/watched.ts';

/** In milliseconds: the watches of all kinds notice one outage within this time. */
const SETTLE_MS = 1000;

export interface Watching {
  listStates(): readonly ReadState[];
  subscribe(onChange: () => void): () => void;
}

export interface ReportOptions {
  readonly clock: Pick<Clock, 'setTimer'>;
  readonly write: (sentence: string) => void;
}

/**
 * Writes a sentence for what can no longer be watched, once, and one when everything can be again. Returns the
 * function that ends it.
 */
export function reportFaults(watching: Watching, { clock, write }: ReportOptions): () => void {
  let known: ReadonlyMap<string, string> = new Map();
  let cancel: (() => void) | undefined;
  const report = (): void => {
    cancel = undefined;
    const failing = watching.listStates().filter(({ fault }) => fault !== undefined);
    const later = failing.filter(({ name, fault }) => known.get(name) !== fault);
    for (const sentence of describeFaults(later)) write(sentence);
    if (failing.length === 0 && known.size > 0) write('everything is watched again');
    known = new Map(failing.map(({ name, fault = '' }) => [name, fault]));
  };
  const onChange = (): void => {
    cancel ??= clock.setTimer(SETTLE_MS, report);
  };
  const stop = watching.subscribe(onChange);
  onChange();
  return () => {
    stop();
    cancel?.();
  };
}
