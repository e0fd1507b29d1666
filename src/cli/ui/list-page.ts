import { compareText } from '../../core/objects/kube-object.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Known } from '../leader/leader-metrics.ts';
import { type Markup, markup, NO_MARKUP } from '../markup/markup.ts';
import { formatAge, type Health, summarise } from '../objects/health.ts';
import { OUR_KINDS } from '../objects/kinds.ts';
import type { FoundObject } from '../objects/read.ts';
import { shorten } from '../output/table.ts';
import type { Part } from './frame.ts';
import { composeOperator } from './operator-part.ts';
import { areKnown, type ReadState } from './watched.ts';

/** The list of all objects; pure. */

/** The fields of the list's form. */
export interface Filter {
  readonly text: string;
  readonly kind: string;
  readonly isTroubledOnly: boolean;
  /** From 1 on. */
  readonly page: number;
}

export function readFilter(query: URLSearchParams): Filter {
  return {
    text: query.get('q') ?? '',
    kind: query.get('kind') ?? '',
    isTroubledOnly: query.get('not-ready') !== null,
    page: Math.max(1, Math.floor(Number(query.get('page') ?? 1)) || 1),
  };
}

export interface ListContext {
  /** The path of the list, which ends in a slash. */
  readonly root: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly filter: Filter;
  /** Of the operator's metrics. */
  readonly known: Known;
  /** Of each kind. */
  readonly states: readonly ReadState[];
}

/** Rows that are sent at once. */
export const MOST_ROWS = 200;
const MESSAGE_CHARACTERS = 160;

interface Row extends Health {
  readonly found: FoundObject;
}

export function composeList(
  objects: readonly FoundObject[],
  context: ListContext,
): readonly Part[] {
  const { filter } = context;
  const rows = objects.map((found) => ({ found, ...summarise(found.object) }));
  const fitting = rows.filter((row) => fits(row, filter)).toSorted(compareRows);
  const pages = Math.max(1, Math.ceil(fitting.length / MOST_ROWS));
  const page = Math.min(filter.page, pages);
  const shown = fitting.slice((page - 1) * MOST_ROWS, page * MOST_ROWS);
  const kinds = new Set(objects.map(({ kind }) => kind.kind));
  return [
    { id: 'form', content: composeForm(filter) },
    { id: 'count', content: composeCount(rows, fitting.length, context) },
    { id: 'operator', content: composeOperator(context.known, { ...context, kinds }) },
    { id: 'rows', content: rows.length === 0 ? NO_MARKUP : composeTable(shown, context) },
    { id: 'pages', content: composePages({ page, pages }, context) },
  ];
}

function composeCount(
  rows: readonly Row[],
  fitting: number,
  { states }: Pick<ListContext, 'states'>,
): Markup {
  if (rows.length === 0) return markup`<p>${describeLack(states)}</p>`;
  const troubled = rows.filter(({ ready }) => ready !== 'True').length;
  const filtered = fitting === rows.length ? '' : `; ${fitting} fit the filter`;
  const objects = rows.length === 1 ? '1 object' : `${rows.length} objects`;
  return markup`<p>${objects}, ${troubled} not ready${filtered}</p>`;
}

/** Why there is no object: nothing more is claimed than has been read. */
function describeLack(states: readonly ReadState[]): string {
  if (states.every(({ isRead }) => isRead))
    return 'There are no objects of albridge. What is created appears here.';
  const isPartly = states.some(({ isRead }) => isRead);
  if (!areKnown(states))
    return isPartly ? 'Nothing has been found so far.' : 'Nothing has been read yet.';
  return isPartly
    ? 'There are no objects of the kinds that can be read.'
    : 'Nothing can be read, for the reason above.';
}

function fits({ found, reason, message, ready }: Row, filter: Filter): boolean {
  if (filter.isTroubledOnly && ready === 'True') return false;
  if (filter.kind !== '' && found.kind.kind !== filter.kind) return false;
  if (filter.text === '') return true;
  const { namespace, name } = found.object.metadata;
  const texts = [`${found.kind.kind} ${namespace}/${name}`, reason, message].join(' ');
  return texts.toLowerCase().includes(filter.text.toLowerCase());
}

const RANKS = { False: 0, Unknown: 1, True: 2 } as const;

/** Objects that are not ready come first. */
function compareRows(a: Row, b: Row): number {
  return RANKS[a.ready] - RANKS[b.ready] || compareText(getName(a), getName(b));
}

function getName({ found: { kind, object } }: Row): string {
  return `${object.metadata.namespace}\0${object.metadata.name}\0${kind.kind}`;
}

function composeForm({ text, kind, isTroubledOnly }: Filter): Markup {
  const options = OUR_KINDS.map(({ kind: name }) => composeOption(name, name === kind));
  const checked = isTroubledOnly ? markup` checked` : NO_MARKUP;
  return markup`<h1>Objects of albridge</h1><form role="search" aria-label="Filter"><label>Filter by text<input type="search" name="q" value="${text}" autocomplete="off" size="32"></label><label>Kind<select name="kind"><option value="">every kind</option>${options}</select></label><label class="line"><input type="checkbox" name="not-ready" value="1"${checked}>only those not ready</label><button>Filter</button></form>`;
}

export function composeOption(text: string, isSelected: boolean): Markup {
  return markup`<option${isSelected ? markup` selected` : NO_MARKUP}>${text}</option>`;
}

function composeTable(rows: readonly Row[], context: ListContext): Markup {
  if (rows.length === 0) return markup`<p>No object fits.</p>`;
  return markup`<table><caption>Objects that are not ready come first.</caption><thead><tr><th scope="col">Kind</th><th scope="col">Namespace</th><th scope="col">Name</th><th scope="col">Ready</th><th scope="col">Reason</th><th scope="col">Age</th><th scope="col">Message</th></tr></thead><tbody>${rows.map((row) => composeRow(row, context))}</tbody></table>`;
}

function composeRow({ found, ready, reason, message }: Row, context: ListContext): Markup {
  const { kind, object } = found;
  const { namespace = '', name, creationTimestamp } = object.metadata;
  const href = `${context.root}${[kind.plural, namespace, name].map(encodePart).join('/')}`;
  const age = formatAge(creationTimestamp, context.clock.now());
  return markup`<tr><td>${kind.kind}</td><td class="${chooseWidth(namespace, 'some')}" data-label="namespace">${namespace}</td><th scope="row" class="${chooseWidth(name, 'long')}"><a href="${href}">${name}</a></th><td data-label="ready">${markReady(ready)}</td><td class="${chooseWidth(reason, 'some')}" data-label="reason">${reason}</td><td data-label="age">${age}</td><td class="long">${shorten(message, MESSAGE_CHARACTERS)}</td></tr>`;
}

/** Up to so many characters a cell is one line, and its column no wider than it: the rest is the message's. */
const BRIEF_CHARACTERS = 20;

function chooseWidth(text: string, wide: 'some' | 'long'): string {
  return text.length <= BRIEF_CHARACTERS ? 'brief' : wide;
}

function encodePart(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

const MARKS = {
  True: { health: 'good', mark: '✓' },
  False: { health: 'bad', mark: '✗' },
  Unknown: { health: 'warning', mark: '?' },
} as const;

/** In colour, and without it. */
export function markReady(ready: Health['ready'], text: string = ready): Markup {
  const { health, mark } = MARKS[ready];
  return markup`<span class="brief ${health}"><span aria-hidden="true">${mark} </span>${text}</span>`;
}

function composePages(
  { page, pages }: { readonly page: number; readonly pages: number },
  { filter }: ListContext,
): Markup {
  if (pages === 1) return NO_MARKUP;
  const link = (to: number, text: string): Markup =>
    to < 1 || to > pages
      ? NO_MARKUP
      : markup`<a href="?${printFilter({ ...filter, page: to })}">${text}</a>`;
  return markup`<nav aria-label="Pages" class="pages">${link(page - 1, 'previous')}<span>page ${page} of ${pages}</span>${link(page + 1, 'next')}</nav>`;
}

function printFilter({ text, kind, isTroubledOnly, page }: Filter): string {
  const query = new URLSearchParams({ q: text, kind, page: `${page}` });
  if (isTroubledOnly) query.set('not-ready', '1');
  return query.toString();
}
