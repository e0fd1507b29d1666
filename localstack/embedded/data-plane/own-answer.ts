import { type ServerResponse, STATUS_CODES } from 'node:http';

/** An answer that the balancer gives itself, without a target. */
export interface OwnAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: a page with the status and `why`. */
  readonly body?: string;
  /** For people only. */
  readonly why?: string;
  /** The connection ends with it. */
  readonly isLast?: boolean;
}

/** The Server header is that of public balancers, and not documented. */
export function answerItself(response: ServerResponse, answer: OwnAnswer): void {
  if (response.destroyed || response.headersSent) return void response.destroy();
  const { status, why, isLast = false } = answer;
  if (isLast) response.shouldKeepAlive = false;
  const title = `${status} ${STATUS_CODES[status] ?? ''}`.trim();
  const page = `<html><head><title>${title}</title></head><body><h1>${title}</h1>${why ?? ''}</body></html>\r\n`;
  const body = answer.body ?? page;
  response.writeHead(status, {
    server: 'awselb/2.0',
    'content-type': 'text/html',
    'content-length': Buffer.byteLength(body),
    ...answer.headers,
  });
  response.end(body);
}
