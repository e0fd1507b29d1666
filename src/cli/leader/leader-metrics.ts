// Lives here: AWS budget, drift scans and restarts, from the metrics of the operator that leads.
// May import it: src/cli/ui.
// Start with: this file, then find-leaders.ts.

import type { Clock } from '../../core/ports/clock.ts';
import type { KubeClient } from '../../kube/client/kube-client.ts';
import { CommandError, describeError } from '../errors.ts';
import { type Figures, READ_METRICS, readFigures } from './figures.ts';
import { findLeaders, type Leader, readMetricsText } from './find-leaders.ts';
import { parseMetrics } from './metrics-text.ts';

export interface LeaderMetricsOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Whose restarts are shown; undefined: of all. */
  readonly namespace: string | undefined;
  /** Something else is known. */
  readonly onChange: () => void;
}

/** The leaders, as far as they are known. */
export type Known =
  | { readonly kind: 'unread' }
  /** One sentence why there is nothing. */
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'read'; readonly reports: readonly LeaderReport[] };

export interface LeaderReport {
  readonly leader: Leader;
  /** The newest last; empty: never read. */
  readonly samples: readonly Sample[];
  /** One sentence, where the last read failed. */
  readonly fault: string | undefined;
}

export interface Sample {
  /** On the wall clock of this machine, in milliseconds. */
  readonly atMs: number;
  readonly figures: Figures;
}

/** Between two reads, in milliseconds; longer after a failure, which seldom ends by itself. */
const INTERVAL_MS = 15_000;
const FAILED_INTERVAL_MS = 60_000;
/** Older samples are not compared with, in milliseconds. */
const WINDOW_MS = 5 * 60_000;

/** Reads the metrics of the leaders while somebody looks, and at no other time. */
export class LeaderMetrics {
  readonly #options: LeaderMetricsOptions;
  readonly #stopping = new AbortController();
  #viewers = 0;
  #known: Known = { kind: 'unread' };
  #cancel: (() => void) | undefined;
  #reading: Promise<void> | undefined;

  constructor(options: LeaderMetricsOptions) {
    this.#options = options;
  }

  get known(): Known {
    return this.#known;
  }

  /** Returns the function that ends the view. */
  view(): () => void {
    this.#viewers += 1;
    if (this.#viewers === 1 && this.#cancel === undefined) this.#read();
    return () => {
      this.#viewers -= 1;
    };
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancel?.();
    await this.#reading;
  }

  #read(): void {
    if (this.#reading || this.#stopping.signal.aborted) return;
    this.#reading = this.#readOnce().finally(() => {
      this.#reading = undefined;
      this.#schedule();
    });
  }

  /** The timer runs on without a viewer, so that a page that is loaded again and again asks no more often. */
  #schedule(): void {
    if (this.#stopping.signal.aborted) return;
    const delayMs = isHealthy(this.#known) ? INTERVAL_MS : FAILED_INTERVAL_MS;
    this.#cancel = this.#options.clock.setTimer(delayMs, () => {
      this.#cancel = undefined;
      if (this.#viewers > 0) this.#read();
    });
  }

  async #readOnce(): Promise<void> {
    const { client, clock, namespace, onChange } = this.#options;
    const reads = { client, clock, signal: this.#stopping.signal };
    try {
      const leaders = await findLeaders(reads);
      const reports = leaders.map(async (leader): Promise<LeaderReport> => {
        const samples = this.#listSamples(leader);
        try {
          const figures = readText(await readMetricsText(leader, reads), namespace);
          const sample = { atMs: clock.now(), figures };
          return { leader, samples: append(samples, sample), fault: undefined };
        } catch (error) {
          return { leader, samples, fault: describeError(error) };
        }
      });
      this.#known = { kind: 'read', reports: await Promise.all(reports) };
    } catch (error) {
      this.#known = { kind: 'failed', why: describeError(error) };
    }
    onChange();
  }

  #listSamples({ namespace, pod }: Leader): readonly Sample[] {
    if (this.#known.kind !== 'read') return [];
    const same = this.#known.reports.find(
      ({ leader }) => leader.namespace === namespace && leader.pod === pod,
    );
    return same?.samples ?? [];
  }
}

function isHealthy(known: Known): boolean {
  return known.kind === 'read' && known.reports.every(({ fault }) => fault === undefined);
}

function readText(text: string, namespace: string | undefined): Figures {
  const series = parseMetrics(text, READ_METRICS);
  if (series === undefined)
    throw new CommandError('its answer at /metrics is not in the format of Prometheus');
  return readFigures(series, namespace);
}

/** A counter that has shrunk began again: with what was before, nothing can be compared. */
function append(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const last = samples.at(-1);
  if (last !== undefined && last.figures.throttled > sample.figures.throttled) return [sample];
  return [...samples.filter(({ atMs }) => atMs >= sample.atMs - WINDOW_MS), sample];
}
