import type { ServerResponse } from 'node:http';
import { PAGE_HEADERS } from './frame.ts';
import { beginView, composePage, type PageContext, type Visit } from './pages.ts';

/** In milliseconds: ages grow without a change in the cluster. */
const REFRESH_MS = 10_000;

/**
 * Sends the parts of a page that have changed, whenever something changes, until the browser leaves.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function streamPage(response: ServerResponse, visit: Visit, context: PageContext): void {
  const { objects, clock } = context;
  response.writeHead(200, { ...PAGE_HEADERS, 'content-type': 'text/event-stream' });
  const send = createSender(response, visit, context);
  const endView = beginView(visit, context);
  let cancel = (): void => {};
  const refresh = (): void => {
    cancel();
    cancel = clock.setTimer(REFRESH_MS, refresh);
    send();
  };
  const stop = objects.subscribe(refresh);
  response.once('close', () => {
    stop();
    cancel();
    endView();
  });
  refresh();
}

function createSender(response: ServerResponse, visit: Visit, context: PageContext): () => void {
  const sent = new Map<string, string>();
  let last = '';
  return () => {
    // A browser that does not read is sent nothing more until it does.
    if (response.writableNeedDrain) return;
    const { parts, state } = composePage(visit, context);
    const changed = parts
      .filter(({ isFixed }) => !isFixed)
      .map(({ id, content }) => [id, content.toString()] as const)
      .filter(([id, html]) => sent.get(id) !== html);
    for (const [id, html] of changed) sent.set(id, html);
    const message = { parts: Object.fromEntries(changed), state: state.text, isBad: state.isBad };
    const text = JSON.stringify(message);
    if (text === last) return;
    last = text;
    response.write(`data: ${text}\n\n`);
  };
}
