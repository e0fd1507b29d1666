import type { ServerResponse } from 'node:http';
import { digestShape, PAGE_HEADERS, type Page, type Reads } from './frame.ts';
import type { Serving } from './page-composer.ts';
import type { Visit } from './pages.ts';

/** In milliseconds: ages grow without a change in the cluster. */
const REFRESH_MS = 10_000;

/**
 * Sends the parts of a page that have changed, whenever something changes, until the browser leaves.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function streamPage(response: ServerResponse, visit: Visit, serving: Serving): void {
  const { objects, clock, composer } = serving;
  response.writeHead(200, { ...PAGE_HEADERS, 'content-type': 'text/event-stream' });
  const send = createSender(response);
  const view = new View();
  let cancel = (): void => {};
  const refresh = (): void => {
    cancel();
    cancel = clock.setTimer(REFRESH_MS, refresh);
    // A browser that does not read is sent nothing more until it does.
    if (response.writableNeedDrain) return;
    const page = composer.compose(visit);
    view.follow(page.reads);
    send(page);
  };
  const stop = objects.subscribe(refresh);
  response.once('close', () => {
    stop();
    cancel();
    view.follow(undefined);
  });
  refresh();
}

/** The reads of one page while it is open: they change when its object appears, or is created again. */
class View {
  #reads: Reads | undefined;
  #end = (): void => {};

  follow(reads: Reads | undefined): void {
    if (reads === this.#reads) return;
    this.#end();
    this.#reads = reads;
    this.#end = reads?.view() ?? ((): void => {});
  }
}

function createSender(response: ServerResponse): (page: Page) => void {
  const sent = new Map<string, string>();
  let last = '';
  return (page) => {
    const { parts, state } = page;
    const changed = parts
      .map(({ id, content }) => [id, content.toString()] as const)
      .filter(([id, html]) => sent.get(id) !== html);
    for (const [id, html] of changed) sent.set(id, html);
    const head = { shape: digestShape(page), state: state.text, isBad: state.isBad };
    const text = JSON.stringify({ ...head, parts: Object.fromEntries(changed) });
    if (text === last) return;
    last = text;
    response.write(`data: ${text}\n\n`);
  };
}
