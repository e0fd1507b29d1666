import type { Clock } from '../../core/ports/clock.ts';
import { readServing } from '../account/operators.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../errors.ts';
import { escapeText } from '../output/escape.ts';
import { createToken } from '../ui/guard.ts';
import { describeFaults } from '../ui/pages.ts';
import { servePages } from '../ui/server.ts';
import type { ReadState } from '../ui/watched.ts';
import { WatchedObjects } from '../ui/watched-objects.ts';

/** `ui`: a page about all objects, on this machine alone. */
export const ui: Command = {
  name: 'ui',
  summary: 'serve a page about all objects on 127.0.0.1, until Ctrl-C',
  operands: { usage: '', min: 0, max: 0 },
  details:
    'Read-only, with your kubeconfig: all objects, one MyIngress as a drawing, why it is not ' +
    'ready, its plan and events, and which rule answers a request. All namespaces, unless -n ' +
    'names one. The URL has a token: with it, anyone can read what you can read.',
  examples: [
    { line: 'ui', what: 'print a URL, and serve it' },
    { line: 'ui -n shop --port 8080', what: 'one namespace, on a fixed port' },
  ],
  options: {
    port: { type: 'string', value: 'PORT', help: 'the port (default any free one)' },
  },
  run: async (context) => {
    const port = readPort(context.flags.text('port'));
    const access = context.cluster();
    const { clock, surroundings, signal, flags } = context;
    const namespace = flags.text('namespace');
    const { client } = access;
    // What fails shows in the watches; the rules of all WebApps are drawn then.
    const operators = readServing(client, { namespace, signal }).catch(() => []);
    const objects = new WatchedObjects({ access: { client, namespace }, clock, operators });
    const write = (sentence: string): void => {
      surroundings.stderr.write(`${escapeText(sentence)}\n`);
    };
    try {
      const place = `${describeNamespaces(namespace)} of ${access.cluster.server}`;
      const served = await servePages({
        ...{ objects, clock, port, token: createToken(), place },
        report: write,
      });
      context.output.print({ url: served.url }, () => `${served.url}\n`);
      write(`serving ${place}, read-only; Ctrl-C ends it`);
      const stop = reportFaults(objects, { clock, write });
      await waitForAbort(signal);
      stop();
      await served.close();
    } finally {
      await objects.stop();
    }
    throw signal.reason;
  },
};

function readPort(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new UsageError(`--port takes a number from 1 to 65535, not "${text}"`);
}

function describeNamespaces(namespace: string | undefined): string {
  return namespace === undefined ? 'all namespaces' : `the namespace ${namespace}`;
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** In milliseconds: the watches of all kinds notice one outage within this time. */
const SETTLE_MS = 1000;

interface Watching {
  listStates(): readonly ReadState[];
  subscribe(onChange: () => void): () => void;
}

interface ReportOptions {
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
