import type { Clock } from '../../core/ports/clock.ts';
import type { Bucket, Figures, Restart } from '../leader/figures.ts';
import type { Known, LeaderReport, Sample } from '../leader/leader-metrics.ts';
import { type Markup, markup, NO_MARKUP } from '../markup/markup.ts';
import { formatAge } from '../objects/health.ts';
import { OUR_KINDS } from '../objects/kinds.ts';
import { shorten } from '../output/table.ts';

export interface OperatorContext {
  readonly clock: Pick<Clock, 'now'>;
  /** That have objects. */
  readonly kinds: ReadonlySet<string>;
}

/** AWS budget, drift scan and restarts, in one line each that opens; pure. */
export function composeOperator(known: Known, { clock, kinds }: OperatorContext): Markup {
  switch (known.kind) {
    case 'unread':
      return markup`<p class="dim">Operator: its metrics are being read.</p>`;
    case 'failed':
      return composeLack('Operator', known.why);
    case 'read':
      return markup`${known.reports.map((report) => composeReport(report, clock.now()))}${composeOff(known.reports, kinds)}`;
  }
}

/** Kinds that ALBRIDGE_KINDS leaves out: their last status stays, also a green one. */
function composeOff(reports: readonly LeaderReport[], kinds: ReadonlySet<string>): Markup {
  const controllers = reports.map(({ samples }) => samples.at(-1)?.figures.controllers ?? []);
  if (controllers.some((ofOne) => ofOne.length === 0)) return NO_MARKUP;
  const names = OUR_KINDS.map(({ kind }) => kind).filter((kind) => kinds.has(kind));
  const off = names.filter((name) => !controllers.flat().includes(name.toLowerCase()));
  if (off.length === 0) return NO_MARKUP;
  return markup`<p class="warning">${off.join(', ')}: no operator reconciles them (ALBRIDGE_KINDS), so that their status may be old. Add them there, with their components.</p>`;
}

const MOST_CHARACTERS = 400;

function composeLack(who: string, why: string): Markup {
  return markup`<p class="dim">${who}: its metrics are not shown: ${shorten(why, MOST_CHARACTERS)}</p>`;
}

function composeReport({ leader, samples, fault }: LeaderReport, nowMs: number): Markup {
  const name = `${leader.namespace}/${leader.pod}`;
  const last = samples.at(-1);
  if (last === undefined) return composeLack(`Operator ${name}`, fault ?? '');
  const { figures, atMs } = last;
  const old =
    fault === undefined
      ? NO_MARKUP
      : markup`<p class="warning">Of ${formatTime(atMs, nowMs)} ago: ${shorten(fault, MOST_CHARACTERS)}</p>`;
  const brief = [
    ...describeBudget(figures),
    describeThrottles(samples),
    ...describeScan(figures, nowMs),
    describeRestarts(figures),
  ];
  return markup`<details id="operator-${name}" class="card"><summary>Operator: ${joinClauses(brief)}</summary><p class="dim">By the metrics of the pod ${name}, every 15 s while this page is open.</p>${composeBuckets(figures.buckets)}${composeRestarts(figures.restarts)}</details>${old}`;
}

interface Clause {
  readonly text: string;
  readonly health?: 'warning';
}

function joinClauses(clauses: readonly Clause[]): Markup {
  const texts = clauses.map(({ text, health }, index) => {
    return markup`${index === 0 ? '' : '; '}<span class="${health ?? 'dim'}">${text}</span>`;
  });
  return markup`${texts}`;
}

function describeBudget({ buckets }: Figures): readonly Clause[] {
  if (buckets.length === 0) return [];
  const waiting = buckets.reduce((sum, one) => sum + one.waiting, 0);
  if (waiting === 0) return [{ text: 'nothing waits for the AWS budget' }];
  return [{ text: `${count(waiting, 'claim')} in line for the AWS budget`, health: 'warning' }];
}

/** Two samples tell what has happened between them. */
function describeThrottles(samples: readonly Sample[]): Clause {
  const [first, last] = [samples[0], samples.at(-1)];
  const total = last?.figures.throttled ?? 0;
  if (first === undefined || last === undefined || first === last)
    return { text: `${count(total, 'throttled request')} since it started` };
  const since = total - first.figures.throttled;
  const span = formatTime(first.atMs, last.atMs);
  const text = `${count(since, 'throttled request')} in the last ${span}`;
  return since === 0 ? { text } : { text, health: 'warning' };
}

const LATE_SCANS = 3;

function describeScan({ scan }: Figures, nowMs: number): readonly Clause[] {
  if (scan === undefined) return [];
  const isLate = nowMs - scan.atMs > LATE_SCANS * scan.everyMs;
  const text = `last drift scan ${formatTime(scan.atMs, nowMs)} ago`;
  return [isLate ? { text, health: 'warning' } : { text }];
}

function describeRestarts({ restarts }: Figures): Clause {
  const waiting = restarts.reduce((sum, one) => sum + one.waiting, 0);
  if (waiting === 0) return { text: 'no restart under way' };
  return { text: `${count(waiting, 'pod')} to restart`, health: 'warning' };
}

/** ALBRIDGE_AWS_BUDGET=off has buckets of 1e9 tokens (src/aws/budget/budget-limits.ts). */
const BOUNDLESS = 1e6;
const MOST_ROWS = 20;

function composeBuckets(buckets: readonly Bucket[]): Markup {
  if (buckets.length === 0) return markup`<p>It does not use AWS.</p>`;
  const rows = buckets.slice(0, MOST_ROWS).map(({ name, tokens, waiting }) => {
    const left = tokens > BOUNDLESS ? 'no limit' : Math.floor(tokens);
    const health = waiting > 0 ? 'warning' : 'plain';
    return markup`<tr class="${health}"><th scope="row" class="long">${shorten(name, MOST_NAME)}</th><td data-label="tokens left:">${left}</td><td data-label="in line:">${waiting}</td></tr>`;
  });
  return markup`<table><caption>AWS budget</caption><thead><tr><th scope="col">Bucket</th><th scope="col">Tokens left</th><th scope="col">Claims in line</th></tr></thead><tbody>${rows}</tbody></table>`;
}

const MOST_NAME = 100;

function composeRestarts(restarts: readonly Restart[]): Markup {
  if (restarts.length === 0)
    return markup`<p>No ConfigMonitor has restarted a pod since it started.</p>`;
  const rows = restarts.slice(0, MOST_ROWS).map((one) => {
    const health = one.waiting > 0 ? 'warning' : 'plain';
    return markup`<tr class="${health}"><td class="some">${shorten(one.namespace, MOST_NAME)}</td><th scope="row" class="long">${shorten(one.source, MOST_NAME)}</th><td data-label="to restart:">${one.waiting}</td><td data-label="restarted:">${one.restarted}</td><td data-label="got stuck:">${one.stuck}</td></tr>`;
  });
  const rest = restarts.length - rows.length;
  const more = rest > 0 ? markup`<p>and ${rest} more</p>` : NO_MARKUP;
  return markup`<table><caption>Restarts of ConfigMonitors, since the operator started</caption><thead><tr><th scope="col">Namespace</th><th scope="col">Source</th><th scope="col">Pods to restart</th><th scope="col">Pods restarted</th><th scope="col">Got stuck</th></tr></thead><tbody>${rows}</tbody></table>${more}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** `2m`, from one time to another, in milliseconds. */
function formatTime(fromMs: number, toMs: number): string {
  const from = new Date(Math.min(fromMs, toMs));
  return Number.isNaN(from.getTime()) ? 'a while' : formatAge(from.toISOString(), toMs);
}
