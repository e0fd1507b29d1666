import type { IncomingMessage, ServerResponse } from 'node:http';
import { OPERATIONS } from '../operations.ts';
import { type ControlParts, type ControlRequest, routeControl } from './control-routes.ts';
import { readBody } from './request-body.ts';

/** Says what this server is; LocalStack's clients look at `services` and `version` only. */
const IDENTITY = "albridge's embedded stand-in for AWS, not LocalStack";

/** Paths that AWS's own clients never ask for. */
export function isControlPath(url: string): boolean {
  return url.startsWith('/_embedded/') || url.startsWith('/_localstack/');
}

/** Answers /_localstack/health, /_localstack/init/ready and everything under /_embedded/. */
export async function serveControl(
  parts: ControlParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://stand-in');
  try {
    const answer = url.pathname.startsWith('/_localstack/')
      ? localstackAnswer(url.pathname)
      : await routeControl(parts, await controlRequest(request, url));
    if (answer === undefined) sendJson(response, 404, { error: `no route ${url.pathname}` });
    else sendJson(response, 200, answer);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    sendJson(response, 400, { error: error.message });
  }
}

/** https://docs.localstack.cloud/aws/capabilities/networking/internal-endpoints/ */
function localstackAnswer(path: string): unknown {
  if (path === '/_localstack/init/ready') return { completed: true, scripts: [] };
  if (path !== '/_localstack/health') return undefined;
  return {
    services: {
      ...{ acm: 'running', ec2: 'running', elbv2: 'running' },
      ...{ iam: 'running', sts: 'running' },
    },
    edition: 'albridge-embedded',
    version: '0.0.0',
    implementation: IDENTITY,
    operations: [...OPERATIONS.keys()],
  };
}

async function controlRequest(request: IncomingMessage, url: URL): Promise<ControlRequest> {
  const value = parseJson((await readBody(request)) || '{}');
  const path = url.pathname.split('/').slice(2).map(decodeURIComponent);
  const plain = { method: request.method ?? 'GET', path, query: url.searchParams };
  if (path[0] === 'targets') return { ...plain, body: {}, rows: listFrom(value) };
  return { ...plain, body: objectFrom(value), rows: [] };
}

function listFrom(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new RangeError('the body must be a JSON list');
}

function objectFrom(value: unknown): ControlRequest['body'] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>;
  }
  throw new RangeError('the body must be a JSON object');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const body = `${JSON.stringify(value)}\n`;
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
