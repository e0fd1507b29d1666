// Lives here: the stand-in as an HTTP server: AWS's protocols, signatures, errors, and the control routes for tests.
// May import it: localstack.
// Start with: this file, then aws-face.ts and control-face.ts.

import { randomInt } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AwsSettings, Clock } from '../aws-world.ts';
import { OnDemandDataPlane } from '../data-plane/on-demand.ts';
import type { TargetTable } from '../data-plane/target-table.ts';
import { createIds, seededRandom } from '../ec2/seeded-ids.ts';
import { createEmbeddedAws, type EmbeddedAws } from '../embedded-aws.ts';
import type { EmbeddedAwsControl } from '../embedded-aws-control.ts';
import { HeldRequests } from '../faults/held-requests.ts';
import { type AwsFaceParts, serveAws } from './aws-face.ts';
import { isControlPath, serveControl } from './control-face.ts';
import { BodyTooLarge } from './request-body.ts';

export interface EmbeddedAwsServerOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default 127.0.0.1. There is no authentication: keep it on the loopback. */
  readonly host?: string;
  /** The one region it serves; default us-east-1. */
  readonly region?: string;
  /** Default 000000000000. */
  readonly accountId?: string;
  readonly settings?: Partial<AwsSettings>;
  /** Default the system's, with fractions of a millisecond. */
  readonly clock?: Clock;
  /** The same seed gives the same ids; default a random one, so that a restart gives new ARNs. */
  readonly seed?: number;
}

export interface EmbeddedAwsServer {
  /** For AWS_ENDPOINT_URL. */
  readonly url: string;
  readonly port: number;
  readonly region: string;
  readonly model: EmbeddedAws;
  /** The same as over /_embedded/. */
  readonly control: EmbeddedAwsControl;
  /** Where targets really are. */
  readonly targets: TargetTable;
  /** Operations of the requests that a `hold` keeps waiting. */
  held(): readonly string[];
  /** Lets held requests go on: all, or those of one operation. Returns how many. */
  release(operation?: string): number;
  /** Breaks all connections; waiting requests are not applied. */
  stop(): Promise<void>;
}

/** Longer than the idle time of any client's pool, so that the client closes first. */
const KEEP_ALIVE_MS = 65_000;

/**
 * Serves the embedded model over AWS's query protocol, with control routes beside it. Rejects with
 * the system's error if the port is taken, with a RangeError for a bad region or setting.
 */
export async function startEmbeddedAws(
  options: EmbeddedAwsServerOptions = {},
): Promise<EmbeddedAwsServer> {
  const model = createModel(options, () => dataPlane.noteChange());
  const dataPlane = new OnDemandDataPlane(() => model);
  const held = new HeldRequests();
  const stopping = new AbortController();
  const ids = createIds(seededRandom(randomInt(2 ** 32)));
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
  server.on('request', listener({ aws: model, held, ids, stopping: stopping.signal }, dataPlane));
  const host = options.host ?? '127.0.0.1';
  const port = await listen(server, options.port ?? 0, host);
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    region: model.region,
    model,
    control: model.control,
    targets: dataPlane.targets,
    held: () => held.list(),
    release: (operation) => held.release(operation),
    stop: async () => {
      held.abandonAll();
      await stop(server, stopping);
      await dataPlane.stop();
    },
  };
}

function createModel(options: EmbeddedAwsServerOptions, onTrafficChange: () => void): EmbeddedAws {
  const { region, accountId, settings } = options;
  return createEmbeddedAws({
    onTrafficChange,
    clock: options.clock ?? { now: () => performance.timeOrigin + performance.now() },
    random: seededRandom(options.seed ?? randomInt(2 ** 32)),
    ...(region === undefined ? {} : { region }),
    ...(accountId === undefined ? {} : { accountId }),
    ...(settings === undefined ? {} : { settings }),
  });
}

function listener(
  parts: AwsFaceParts,
  dataPlane: OnDemandDataPlane,
): (request: IncomingMessage, response: ServerResponse) => void {
  const control = { control: parts.aws.control, held: parts.held, dataPlane };
  return (request, response) => {
    const served = isControlPath(request.url ?? '')
      ? serveControl(control, request, response)
      : serveAws(parts, request, response);
    served.catch((error: unknown) => giveUp(parts, response, error));
  };
}

/** A request that broke off, came too late for the stop, or met a defect of the stand-in. */
function giveUp(parts: AwsFaceParts, response: ServerResponse, error: unknown): void {
  const isGone = parts.stopping.aborted || response.req.destroyed;
  if (error instanceof BodyTooLarge) {
    response.writeHead(413, { connection: 'close' }).end(`${error.message}\n`);
    return;
  }
  if (!isGone) process.stderr.write(`embedded aws: ${inspect(error)}\n`);
  if (response.headersSent || isGone) response.destroy();
  else response.writeHead(500).end('the stand-in failed; see its error output\n');
}

function inspect(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function stop(server: Server, stopping: AbortController): Promise<void> {
  stopping.abort();
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
