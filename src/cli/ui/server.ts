import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startDeadline } from '../../core/ports/clock.ts';
import { CommandError, describeError } from '../errors.ts';
import { digestShape, framePage, PAGE_HEADERS, type Page, type Reads } from './frame.ts';
import { admit } from './guard.ts';
import { PageComposer, type Serving } from './page-composer.ts';
import type { PageContext, Visit } from './pages.ts';
import { areKnown } from './watched.ts';

export interface ServeOptions extends Omit<PageContext, 'root'> {
  /** 0: any free one. */
  readonly port: number;
  readonly token: string;
  /** Takes one sentence about each failure of this program. */
  readonly report: (sentence: string) => void;
}

export interface Served {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the pages on 127.0.0.1 alone. Throws CommandError where the port cannot be had. */
export async function servePages(options: ServeOptions): Promise<Served> {
  const { token, report } = options;
  const context = { ...options, root: `/${token}/` };
  const serving = { ...context, composer: new PageComposer(context, report) };
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    answer({ request, response }, serving, { port, token }).catch((error: unknown) => {
      report(describeError(error));
      fail(response);
    });
  });
  await listen(server, options.port);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${context.root}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'it is in use' : error.message;
      const next = 'give another one with --port, or none for any free one';
      reject(
        new CommandError(`cannot listen on port ${port} of 127.0.0.1, ${why}: ${next}`, error),
      );
    });
    server.listen(port, '127.0.0.1', resolve);
  });
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function answer(
  { request, response }: Exchange,
  serving: Serving,
  own: { readonly port: number; readonly token: string },
): Promise<void> {
  const { method = '', url = '', headers } = request;
  const admission = admit({ method, host: headers.host, url }, own);
  if (admission.kind === 'refused') {
    const type = { 'content-type': 'text/plain; charset=utf-8' };
    response.writeHead(admission.status, { ...PAGE_HEADERS, ...type }).end(`${admission.why}\n`);
    return;
  }
  if (headers.accept?.includes('text/event-stream')) streamPage(response, admission, serving);
  else await sendPage(response, admission, serving);
}

/** A page says by itself why it cannot be composed; this is for everything else. */
function fail(response: ServerResponse): void {
  if (response.headersSent) return void response.destroy();
  const type = { 'content-type': 'text/plain; charset=utf-8' };
  response.writeHead(500, { ...PAGE_HEADERS, ...type });
  response.end('this page cannot be shown: the terminal of albridge ui has the reason\n');
}

/** For the first page, in milliseconds: what has not been read by then follows. */
const PATIENCE_MS = 700;

async function sendPage(
  response: ServerResponse,
  visit: Visit,
  { objects, clock, root, composer }: Serving,
): Promise<void> {
  const deadline = startDeadline(clock, PATIENCE_MS);
  const isKnown = (): boolean => areKnown(objects.listStates()) && composer.compose(visit).isKnown;
  await objects.waitUntil(isKnown, deadline.signal);
  deadline.release();
  const page = composer.compose(visit);
  // What it has by then shows when it is loaded again, also without the script that listens.
  page.reads?.view()();
  const type = { 'content-type': 'text/html; charset=utf-8' };
  response.writeHead(page.status, { ...PAGE_HEADERS, ...type }).end(framePage(page, root));
}

/** In milliseconds: ages grow without a change in the cluster. */
const REFRESH_MS = 10_000;

/**
 * Sends the parts of a page that have changed, whenever something changes, until the browser leaves.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
function streamPage(response: ServerResponse, visit: Visit, serving: Serving): void {
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
