import type { MyIngress } from '../../apis/my-ingress.ts';
import type { Condition } from '../../core/objects/conditions.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { composeGraph } from '../drawing/graph.ts';
import { placeGraph } from '../drawing/place.ts';
import { captionDrawing, drawInPage, MARKS } from '../drawing/svg.ts';
import { type Markup, markup, NO_MARKUP } from '../markup/markup.ts';
import type { ObjectEvent } from '../objects/events.ts';
import { listTroubles, type Trouble } from '../objects/explain.ts';
import { formatAge, summarise } from '../objects/health.ts';
import type { TargetsByService } from '../objects/my-ingress-parts.ts';
import { growMyIngress } from '../objects/my-ingress-tree.ts';
import type { FoundObject } from '../objects/read.ts';
import type { TreeNode } from '../objects/tree.ts';
import { hasPlan, readStoredPlan } from '../plan/stored-plan.ts';
import type { Part } from './frame.ts';
import { markReady } from './list-page.ts';
import { composeTester } from './tester.ts';

/** One object; pure. */

export interface ObjectContext {
  readonly clock: Pick<Clock, 'now'>;
  readonly query: URLSearchParams;
  /** The newest first; undefined: they have not been read. */
  readonly events: readonly ObjectEvent[] | undefined;
  /** Undefined: they have not been read. */
  readonly targets: TargetsByService | undefined;
}

export function composeObject(found: FoundObject, context: ObjectContext): readonly Part[] {
  const { kind, object } = found;
  const conditions = object.status?.conditions ?? [];
  const rest: readonly Part[] = [
    { id: 'conditions', content: composeConditions(conditions, context) },
    { id: 'events', content: composeEvents(context) },
  ];
  const head = { id: 'head', content: composeHead(found) };
  if (kind.kind !== 'MyIngress') return [head, ...rest];
  const ingress = object as MyIngress;
  return [
    head,
    { id: 'drawing', content: composeDrawing(ingress, context.targets) },
    ...composeTester(ingress, context.query),
    { id: 'plan', content: composePlan(ingress) },
    ...rest,
  ];
}

function composeHead(found: FoundObject): Markup {
  const { kind, object } = found;
  const { namespace, name } = object.metadata;
  const { ready, reason, message } = summarise(object);
  const troubles = listTroubles(found);
  const why =
    troubles.length === 0
      ? markup`<p class="good">It is as desired.</p>`
      : markup`<h2>Why it is not as desired</h2>${troubles.map(composeTrouble)}`;
  return markup`<h1>${kind.kind} ${namespace}/${name}</h1><p>Ready: ${markReady(ready)}, ${reason}: ${message}</p>${why}`;
}

function composeTrouble({ conditions, reason, message, cause, next }: Trouble): Markup {
  const head = [conditions.join(', '), reason].filter((text) => text !== '').join(': ');
  const line = (label: string, text: string | undefined): Markup =>
    text === undefined ? NO_MARKUP : markup`<p><b>${label}:</b> ${text}</p>`;
  const title = head === '' ? NO_MARKUP : markup`<h3 class="bad">${head}</h3>`;
  return markup`<div class="card">${title}<p>${message}</p>${line('Cause', cause)}${line('Next', next)}</div>`;
}

const LEGEND = Object.values(MARKS)
  .map(({ mark, means }) => `${mark} ${means}`)
  .join(', ');

/** Of events and targets. */
const UNREAD = 'They have not been read: if they cannot be, the reason is at the top.';

function composeDrawing(object: MyIngress, read: TargetsByService | undefined): Markup {
  const targets = read ?? new Map<string, readonly TreeNode[]>();
  const lack = read ? NO_MARKUP : markup`<p class="dim">Targets: ${UNREAD}</p>`;
  const drawing = drawInPage(placeGraph(composeGraph(object, targets)), captionDrawing(object));
  const tree = growMyIngress(object, targets).map(composeNode);
  return markup`<section aria-labelledby="way"><h2 id="way">The way of a request</h2><div class="wide" id="drawing-wide" role="region" aria-label="Drawing" tabindex="0">${drawing}</div><p class="dim">${LEGEND}</p>${lack}<details id="as-text"><summary>The same as text</summary><ul class="tree">${tree}</ul></details></section>`;
}

/** Of one backend. */
const MOST_TARGETS = 50;

/** Targets that are not ready come first, and are not cut for others. */
function composeNodes(nodes: readonly TreeNode[]): readonly Markup[] {
  if (nodes.length <= MOST_TARGETS || nodes[0]?.kind !== 'target') return nodes.map(composeNode);
  const rank = ({ health }: TreeNode): number => (health === 'good' ? 1 : 0);
  const shown = nodes.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST_TARGETS);
  const rest = markup`<li>and ${nodes.length - shown.length} more</li>`;
  return [...shown.map(composeNode), rest];
}

function composeNode({
  kind,
  name,
  state,
  health,
  reason,
  message,
  children = [],
}: TreeNode): Markup {
  const why = [reason, message].filter((text) => text !== undefined && text !== '').join(': ');
  const below = children.length === 0 ? NO_MARKUP : markup`<ul>${composeNodes(children)}</ul>`;
  return markup`<li>${kind} <b>${name}</b> <span class="${health ?? 'dim'}">${state}</span> ${why}${below}</li>`;
}

function composePlan(object: MyIngress): Markup {
  if (object.status === undefined || !hasPlan(object)) return NO_MARKUP;
  const { plan, notes, failure } = readStoredPlan(object);
  const steps = (plan?.steps ?? []).map((step) => markup`<li>${step}</li>`);
  const more = plan && plan.omitted > 0 ? markup`<p>and ${plan.omitted} more</p>` : NO_MARKUP;
  const none = plan && steps.length === 0 ? markup`<p>Nothing would change.</p>` : NO_MARKUP;
  const remarks = [...notes, failure].map((text) => {
    return text === undefined ? NO_MARKUP : markup`<p class="warning">${text}</p>`;
  });
  return markup`<section aria-labelledby="plan"><h2 id="plan">Plan</h2>${remarks}${none}<ol class="plan">${steps}</ol>${more}</section>`;
}

function composeConditions(conditions: readonly Condition[], { clock }: ObjectContext): Markup {
  const rows = conditions.map(
    ({ type, status, reason, message, lastTransitionTime }) =>
      markup`<tr><th scope="row" class="some">${type}</th><td>${status}</td><td class="some">${reason}</td><td data-label="for">${formatAge(lastTransitionTime, clock.now())}</td><td class="long">${message}</td></tr>`,
  );
  if (rows.length === 0) return markup`<h2>Conditions</h2><p>There are none yet.</p>`;
  return markup`<section aria-labelledby="conditions"><h2 id="conditions">Conditions</h2><table aria-labelledby="conditions"><thead><tr><th scope="col">Type</th><th scope="col">Status</th><th scope="col">Reason</th><th scope="col">For</th><th scope="col">Message</th></tr></thead><tbody>${rows}</tbody></table></section>`;
}

function composeEvents({ events, clock }: ObjectContext): Markup {
  return markup`<section aria-labelledby="events"><h2 id="events">Events</h2>${composeTimeline(events, clock)}</section>`;
}

function composeTimeline(
  events: readonly ObjectEvent[] | undefined,
  clock: Pick<Clock, 'now'>,
): Markup {
  if (events === undefined) return markup`<p>${UNREAD}</p>`;
  if (events.length === 0)
    return markup`<p>There are none: the API server keeps them for an hour.</p>`;
  const rows = events.map(({ time, type, reason, note, count }) => {
    const age = formatAge(time, clock.now());
    const health = type === 'Normal' ? 'dim' : 'warning';
    const times = count > 1 ? `(${count} times) ` : '';
    return markup`<tr><td><time datetime="${time}">${age}</time></td><td class="${health}">${type}</td><th scope="row" class="some">${reason}</th><td class="long">${times}${note}</td></tr>`;
  });
  return markup`<table><caption>The newest first.</caption><thead><tr><th scope="col">Age</th><th scope="col">Type</th><th scope="col">Event</th><th scope="col">Note</th></tr></thead><tbody>${rows}</tbody></table>`;
}
