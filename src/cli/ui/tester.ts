import type { MyIngress } from '../../apis/my-ingress.ts';
import { getSource } from '../../controllers/my-ingress/attaching/attaching-object.ts';
import { readRoutes } from '../../controllers/my-ingress/routes/read-routes.ts';
import { OWN_SOURCE, type Routes } from '../../controllers/my-ingress/routes/routes.ts';
import { type Markup, markup, NO_MARKUP, trustMarkup } from '../markup/markup.ts';
import type { Part } from './frame.ts';
import { composeOption } from './list-page.ts';
import { type Typed, tryRequest, type Verdict } from './try-request.ts';

/** The form for a request, and which rule answers it; pure. */
export function composeTester(object: MyIngress, query: URLSearchParams): readonly Part[] {
  const routes = readRoutes(object.spec ?? {});
  if (routes.listeners.length === 0) return [];
  const typed = readTyped(query, routes);
  return [
    { id: 'tester', content: composeForm(typed, routes) },
    { id: 'verdict', isAnnounced: true, content: composeResult(typed, routes, object) },
  ];
}

function readTyped(query: URLSearchParams, { listeners }: Routes): Typed {
  const main = listeners.find(({ protocol }) => protocol === 'HTTPS') ?? listeners[0];
  const read = (name: string): string => (query.get(name) ?? '').trim();
  return {
    port: Number(query.get('port') ?? main?.port ?? 0),
    method: (read('method') || 'GET').toUpperCase(),
    host: read('host'),
    path: read('path'),
    headers: read('headers').replaceAll('\r\n', '\n'),
    from: read('from'),
  };
}

/** A value that is printed shows a line break as text, and a textarea has real ones. */
const LINE_BREAK = trustMarkup('\n');

function composeForm({ port, method, host, path, headers, from }: Typed, routes: Routes): Markup {
  const ports = routes.listeners.map((one) => composeOption(`${one.port}`, one.port === port));
  if (routes.listeners.every((one) => one.port !== port)) {
    // What was chosen stays chosen, since the verdict is about it.
    ports.push(markup`<option value="${port}" selected>${port}, no listener</option>`);
  }
  const lines = headers
    .split('\n')
    .map((line, at) => markup`${at === 0 ? NO_MARKUP : LINE_BREAK}${line}`);
  return markup`<section aria-labelledby="tester"><h2 id="tester">Which rule answers a request?</h2><form aria-label="Request"><label>Port<select name="port">${ports}</select></label><label>Method<input name="method" value="${method}" size="7" autocomplete="off"></label><label>Host<input name="host" value="${host}" placeholder="shop.example.com" size="24" autocomplete="off"></label><label>Path and query<input name="path" value="${path}" placeholder="/api?id=1" size="28" autocomplete="off"></label><label>Client address<input name="from" value="${from}" placeholder="any" size="14" autocomplete="off"></label><label>Headers, one a line<textarea name="headers" rows="1" cols="24">${lines}</textarea></label><button>Test</button></form></section>`;
}

function composeResult(typed: Typed, routes: Routes, { status }: MyIngress): Markup {
  const fault = findFault(typed);
  if (fault !== undefined) return markup`<p class="dim">${fault}</p>`;
  const verdict = tryRequest(routes, typed);
  if (verdict === undefined)
    return markup`<p class="bad">Nothing listens on port ${typed.port}.</p>`;
  const doubt = describeDoubt(routes, status);
  return markup`<div class="card">${composeVerdict(verdict)}${doubt}</div>`;
}

/** Where the page does not have all rules of others that the operator serves, or has more. */
function describeDoubt({ rules }: Routes, status: MyIngress['status'] | undefined): Markup {
  const attached = (status?.attached ?? []).filter(({ reason }) => reason === 'Attached');
  const served = new Set(attached.map(getSource));
  const known = new Set(rules.map(({ source }) => source).filter((one) => one !== OWN_SOURCE));
  const isOneMissing = [...served].some((one) => !known.has(one));
  if (served.size === known.size && !isOneMissing) return NO_MARKUP;
  const but = served.size === known.size ? ', not all of them the same' : '';
  return markup`<p class="warning">By status ${served.size} other objects have rules here, and this page knows ${known.size}${but}: the answer may be another one.</p>`;
}

function findFault({ host, path }: Typed): string | undefined {
  if (host === '' && path === '') return 'Type a host and a path. Nothing is sent.';
  if (host === '') return 'Type a host: every HTTP/1.1 request has one.';
  return path.startsWith('/') ? undefined : 'Type a path that begins with a slash.';
}

function composeVerdict({ winner, action, passedOver, remarks }: Verdict): Markup {
  const lines = passedOver.map(
    ({ rule, because }) =>
      markup`<li><b>${rule}</b>: passed over, for this does not hold: ${because}</li>`,
  );
  return markup`<p><b class="good">${winner}</b> wins: it ${action}.</p>${remarks.map((text) => markup`<p class="warning">${text}.</p>`)}${lines.length === 0 ? NO_MARKUP : markup`<ol>${lines}</ol>`}`;
}
