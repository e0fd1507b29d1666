import type { IncomingMessage } from 'node:http';

const MAX_BODY_BYTES = 1_048_576;

/** The body was longer than any request needs to be. */
export class BodyTooLarge extends Error {
  constructor() {
    super(`the body is larger than ${MAX_BODY_BYTES} bytes`);
    this.name = 'BodyTooLarge';
  }
}

/** The whole body as text. Throws BodyTooLarge beyond 1 MiB. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new BodyTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
