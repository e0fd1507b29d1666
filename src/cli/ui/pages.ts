import type { Key } from '../../core/objects/kube-object.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { type Markup, markup } from '../markup/markup.ts';
import type { FoundObject } from '../objects/read.ts';
import type { Focus } from './focus.ts';
import type { Page, PageState, Part } from './frame.ts';
import { composeList, readFilter } from './list-page.ts';
import { composeObject } from './object-page.ts';
import { areKnown, type ReadState } from './watched.ts';
import type { KindState, WatchedObjects } from './watched-objects.ts';

export interface Visit {
  readonly path: string;
  readonly query: URLSearchParams;
}

export interface PageContext {
  readonly objects: WatchedObjects;
  readonly clock: Clock;
  /** The path of the list, which ends in a slash. */
  readonly root: string;
  /** Such as `all namespaces of https://127.0.0.1:6443`. */
  readonly place: string;
}

/** The object that a path names; undefined for the list. */
type Named = { readonly plural: string; readonly key: Key } | 'list' | 'nothing';

/** The page of a visit as it is now. */
export function composePage(visit: Visit, context: PageContext): Page {
  const { objects, place } = context;
  const named = readPath(visit.path);
  const states = objects.listStates();
  const base = { state: describeState(states, place), isKnown: areKnown(states) };
  if (named === 'list') return { ...base, ...composeListPage(visit, states, context) };
  const found = named === 'nothing' ? undefined : objects.find(named.plural, named.key);
  if (found === undefined) return { ...base, ...composeMissing(named, states, place) };
  const focus = objects.focus(found);
  const isKnown = base.isKnown && (focus?.isKnown() ?? true);
  const object = composeObjectPage(found, focus, { visit, states, context });
  return { ...base, ...object, isKnown, reads: focus };
}

type Composed = Pick<Page, 'status' | 'title' | 'parts' | 'reads'>;

function composeListPage(
  { query }: Visit,
  states: readonly KindState[],
  { objects, root, clock }: PageContext,
): Composed {
  const { metrics } = objects;
  const filter = readFilter(query);
  const list = composeList(objects.list(), { root, clock, known: metrics.known, filter, states });
  const parts = [...listFaults(states), ...list];
  return { status: 200, title: 'Objects', parts, reads: metrics };
}

interface Scene {
  readonly visit: Visit;
  readonly states: readonly KindState[];
  readonly context: PageContext;
}

function composeObjectPage(
  found: FoundObject,
  focus: Focus | undefined,
  { visit, states, context }: Scene,
): Composed {
  const { kind, object } = found;
  const parts = composeObject(found, {
    ...{ clock: context.clock, query: visit.query },
    ...{ events: focus?.listEvents(), targets: focus?.mapTargets() },
  });
  const own = [
    ...states.filter((one) => one.kind.kind === kind.kind),
    ...(focus?.listStates() ?? []),
  ];
  const title = `${kind.kind} ${object.metadata.namespace}/${object.metadata.name}`;
  const faults = listFaults(own, focus === undefined ? [TOO_MANY] : []);
  return { status: 200, title, parts: [...faults, ...parts] };
}

function readPath(path: string): Named {
  if (path === '/') return 'list';
  const [, plural = '', namespace = '', name = '', ...more] = path.split('/').map(decode);
  if (name === '' || more.length > 0) return 'nothing';
  return { plural, key: `${namespace}/${name}` };
}

/** Empty for a part that cannot be decoded: no object has that name. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

const TOO_MANY =
  'its events and targets are not read, for eight other objects are open: close some of their pages, and load this one again';

function listFaults(states: readonly ReadState[], others: readonly string[] = []): readonly Part[] {
  return [{ id: 'faults', content: composeFaults([...describeFaults(states), ...others]) }];
}

/** A sentence for each failure of a watch, with all that have it. */
export function describeFaults(states: readonly ReadState[]): readonly string[] {
  const byFault = new Map<string, string[]>();
  for (const { name, isRead, fault } of states) {
    if (fault === undefined) continue;
    const text = `${isRead ? 'may be out of date' : 'not shown'}, ${fault}`;
    byFault.set(text, [...(byFault.get(text) ?? []), name]);
  }
  return [...byFault].map(([text, names]) => `${names.join(', ')}: ${text}`);
}

function composeFaults(faults: readonly string[]): Markup {
  if (faults.length === 0) return markup`<span></span>`;
  return markup`<section aria-label="What is missing" class="card"><ul>${faults.map((fault) => markup`<li class="warning">${fault}</li>`)}</ul></section>`;
}

function describeState(states: readonly ReadState[], place: string): PageState {
  if (!areKnown(states)) return { text: `Reading ${place} ...`, isBad: false };
  const failing = states.filter(({ fault }) => fault !== undefined);
  if (failing.length === 0) return { text: `Live: ${place}`, isBad: false };
  const names = failing.map(({ name }) => name).join(', ');
  if (failing.length < states.length)
    return { text: `Live: ${place}, but not ${names}`, isBad: true };
  return { text: `Not live: cannot read ${place}. Trying again.`, isBad: true };
}

function composeMissing(named: Named, states: readonly KindState[], place: string): Composed {
  if (typeof named === 'string')
    return composeNothing('This page does not exist. The link above leads to all objects.', states);
  const what = `${named.plural} ${named.key}`;
  const kind = states.find((state) => state.kind.plural === named.plural);
  if (kind?.fault !== undefined)
    return composeUnknown(
      `${what} may exist: its kind cannot be read, for the reason above.`,
      states,
    );
  if (kind?.isRead === false)
    return composeUnknown(`${what} may exist: its kind has not been read yet.`, states);
  const absence = `${what} was not found in ${place}. It may have been deleted. The link above leads to all objects.`;
  return composeNothing(absence, states);
}

function composeNothing(sentence: string, states: readonly KindState[]): Composed {
  const content = markup`<h1>Not there</h1><p>${sentence}</p>`;
  const parts = [...listFaults(states), { id: 'head', content }];
  return { status: 404, title: 'Not there', parts };
}

/** The page appears by itself once it can. */
function composeUnknown(sentence: string, states: readonly KindState[]): Composed {
  const content = markup`<h1>Not known</h1><p>${sentence}</p>`;
  const parts = [...listFaults(states), { id: 'head', content }];
  return { status: 503, title: 'Not known', parts };
}
