import { createHash } from 'node:crypto';
import { open as openFile, rm } from 'node:fs/promises';
import * as http from 'node:http';
import * as https from 'node:https';
import { pipeline } from 'node:stream/promises';
import type { Environment } from './environment.ts';

export interface DownloadOptions {
  /**
   * Mirror: `https://host/path` is fetched from `<base>/host/path` instead. Comes from
   * ALBRIDGE_DOWNLOAD_BASE.
   */
  readonly base?: string;
  /** Read for HTTPS_PROXY and NO_PROXY. */
  readonly env: Environment;
  readonly report: (line: string) => void;
  /** How long a host may take to start answering; default 4 s. */
  readonly connectTimeoutMs?: number;
  /** How long a transfer may stand still; default 20 s. */
  readonly idleTimeoutMs?: number;
  /** Interval of the progress lines; default 5 s. */
  readonly progressMs?: number;
}

export interface Digest {
  readonly algorithm: 'sha256' | 'sha512';
  readonly hex: string;
}

/** A download that did not work; the message is a sentence for a person. */
export class DownloadError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DownloadError';
  }
}

/** Fetches a small text document. Throws DownloadError. */
export async function fetchText(address: string, options: DownloadOptions): Promise<string> {
  const response = await open(mirrored(address, options.base), options);
  let text = '';
  try {
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
  } catch (cause) {
    throw brokenTransfer(address, progressText(text.length, response), cause);
  }
  return text;
}

/**
 * Fetches `address` into the file `target` and verifies its digest. Throws DownloadError, in
 * which case `target` does not exist.
 */
export async function fetchFile(
  address: string,
  target: string,
  { digest, ...options }: DownloadOptions & { readonly digest: Digest },
): Promise<void> {
  try {
    const hex = await transfer(address, target, { ...options, algorithm: digest.algorithm });
    if (hex === digest.hex.toLowerCase()) return;
    throw new DownloadError(
      `the ${digest.algorithm} of ${address} is ${hex}, published is ${digest.hex}: file removed`,
    );
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  }
}

async function transfer(
  address: string,
  target: string,
  options: DownloadOptions & { readonly algorithm: string },
): Promise<string> {
  // Before anything can break: a file that is opened later can come to be after its removal.
  await using file = await openFile(target, 'w');
  const response = await open(mirrored(address, options.base), options);
  const hash = createHash(options.algorithm);
  let receivedBytes = 0;
  const name = address.split('/').at(-1);
  const progress = setInterval(
    () => options.report(`${name}: ${progressText(receivedBytes, response)}`),
    options.progressMs ?? 5000,
  );
  try {
    await pipeline(
      response,
      async function* digestOnTheWay(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          receivedBytes += chunk.length;
          yield chunk;
        }
      },
      file.createWriteStream(),
    );
  } catch (cause) {
    throw brokenTransfer(address, progressText(receivedBytes, response), cause);
  } finally {
    clearInterval(progress);
  }
  return hash.digest('hex');
}

function mirrored(address: string, base: string | undefined): URL {
  if (base === undefined || base === '') return new URL(address);
  const { host, pathname } = new URL(address);
  return new URL(`${base.replace(/\/+$/, '')}/${host}${pathname}`);
}

/** Opens the body behind `url`, following redirects as release hosts use them. */
async function open(
  url: URL,
  options: DownloadOptions,
  redirectsLeft = 5,
): Promise<http.IncomingMessage> {
  const response = await request(url, options);
  const status = response.statusCode ?? 0;
  if (status === 200) return response;
  response.destroy();
  const location = response.headers.location;
  if (status < 300 || status >= 400 || location === undefined) {
    throw new DownloadError(`${url.host} answered ${status} for ${url.pathname}`);
  }
  if (redirectsLeft === 0) throw new DownloadError(`${url.host} redirects too often`);
  return await open(new URL(location, url), options, redirectsLeft - 1);
}

function request(url: URL, options: DownloadOptions): Promise<http.IncomingMessage> {
  const connectTimeoutMs = options.connectTimeoutMs ?? 4000;
  const idleTimeoutMs = options.idleTimeoutMs ?? 20_000;
  const client = url.protocol === 'https:' ? https : http;
  const agent = new client.Agent({ proxyEnv: { ...options.env } });
  return new Promise((resolve, reject) => {
    const call = client.get(url, { agent });
    const timer = setTimeout(
      () => call.destroy(new Error(`no answer within ${connectTimeoutMs / 1000} s`)),
      connectTimeoutMs,
    );
    call.once('close', () => clearTimeout(timer));
    call.once('error', (cause) => reject(unreachable(url, cause)));
    call.once('response', (response) => {
      clearTimeout(timer);
      response.setTimeout(idleTimeoutMs, () =>
        response.destroy(new Error(`nothing arrived for ${idleTimeoutMs / 1000} s`)),
      );
      resolve(response);
    });
  });
}

function unreachable(url: URL, cause: NodeJS.ErrnoException): DownloadError {
  return new DownloadError(`cannot reach ${url.host} (${cause.code ?? cause.message})`, { cause });
}

function brokenTransfer(address: string, progress: string, cause: unknown): DownloadError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `the transfer of ${address} broke off after ${progress} (${reason})`;
  return new DownloadError(message, { cause });
}

function progressText(receivedBytes: number, response: http.IncomingMessage): string {
  const totalBytes = Number(response.headers['content-length']);
  const received = (receivedBytes / 1e6).toFixed(1);
  return Number.isFinite(totalBytes)
    ? `${received} of ${(totalBytes / 1e6).toFixed(1)} MB`
    : `${received} MB`;
}
