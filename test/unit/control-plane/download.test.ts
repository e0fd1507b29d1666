import { readdirSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  DownloadError,
  type DownloadOptions,
  fetchFile,
  fetchText,
} from '../../control-plane/download.ts';
import {
  digestOf,
  makeTemporaryDirectory,
  type ReleaseServer,
  startReleaseServer,
} from './release-server.ts';

const address = 'https://dl.k8s.io/release/v1.36.4/bin/linux/amd64/kubectl';
const published = 'dl.k8s.io/release/v1.36.4/bin/linux/amd64/kubectl';
const content = 'the bytes of kubectl';

let server: ReleaseServer;
let directory: string;
let target: string;

beforeEach(async () => {
  server = await startReleaseServer();
  directory = await makeTemporaryDirectory();
  target = join(directory, 'kubectl');
});

afterEach(async () => {
  await server.close();
  await rm(directory, { recursive: true });
});

function options(overrides: Partial<DownloadOptions> = {}): DownloadOptions {
  return { base: server.base, env: {}, report: () => undefined, ...overrides };
}

async function fetchKubectl(
  hex: string,
  overrides: Partial<DownloadOptions> = {},
): Promise<unknown> {
  const digest = { algorithm: 'sha256', hex } as const;
  return await fetchFile(address, target, { ...options(overrides), digest }).catch(
    (error: unknown) => error,
  );
}

describe('a download', () => {
  it('keeps a file whose digest is as published', async () => {
    server.publish(published, content);
    expect(await fetchKubectl(digestOf('sha256', content))).toBeUndefined();
    expect(await readFile(target, 'utf8')).toBe(content);
  });

  it('has its file before it asks: one made later could come to be after its removal', async () => {
    const found: string[][] = [];
    server.answer(published, (response) => {
      found.push(readdirSync(directory));
      response.writeHead(200, { 'content-length': '1000' }).destroy();
    });
    expect(await fetchKubectl(digestOf('sha256', content))).toBeInstanceOf(DownloadError);
    expect(found).toEqual([['kubectl']]);
    expect(await readdir(directory)).toEqual([]);
  });

  it('accepts a digest in capitals', async () => {
    server.publish(published, content);
    expect(await fetchKubectl(digestOf('sha256', content).toUpperCase())).toBeUndefined();
  });

  it('removes a file whose digest is another and names both', async () => {
    server.publish(published, `${content}, tampered with`);
    const error = await fetchKubectl(digestOf('sha256', content));
    expect(error).toBeInstanceOf(DownloadError);
    expect((error as Error).message).toBe(
      `the sha256 of ${address} is ${digestOf('sha256', `${content}, tampered with`)}, published is ${digestOf('sha256', content)}: file removed`,
    );
    expect(await readdir(directory)).toEqual([]);
  });

  it('follows redirects, relative and absolute', async () => {
    server.publish('cdn/kubectl', content);
    server.answer(published, (response) =>
      response.writeHead(302, { location: '/elsewhere' }).end(),
    );
    server.answer('elsewhere', (response) =>
      response.writeHead(307, { location: `${server.base}/cdn/kubectl` }).end(),
    );
    expect(await fetchKubectl(digestOf('sha256', content))).toBeUndefined();
  });

  it('reports how far it is', async () => {
    const halfway = Promise.withResolvers<void>();
    server.answer(published, (response) => {
      response.writeHead(200, { 'content-length': '2000000' });
      response.write(Buffer.alloc(1_000_000));
      void halfway.promise.then(() => response.end(Buffer.alloc(1_000_000)));
    });
    const failure = await fetchKubectl(digestOf('sha256', Buffer.alloc(2_000_000)), {
      report: (line) => line === 'kubectl: 1.0 of 2.0 MB' && halfway.resolve(),
      progressMs: 20,
    });
    expect(failure).toBeUndefined();
  });
});

interface Failure {
  readonly why: string;
  readonly answer: (response: ServerResponse) => void;
  readonly message: RegExp;
  /** Where the time that is allowed is to run out. */
  readonly bounds?: Pick<DownloadOptions, 'connectTimeoutMs' | 'idleTimeoutMs'>;
}

const failures: Readonly<Record<string, Failure>> = {
  'an absent file': {
    why: 'a mirror may lack a version',
    answer: (response) => response.writeHead(404).end(),
    message: /^127\.0\.0\.1:\d+ answered 404 for \/dl\.k8s\.io\/release.*\/kubectl$/,
  },
  'a server error': {
    why: 'release hosts have bad days',
    answer: (response) => response.writeHead(503).end(),
    message: /answered 503 for/,
  },
  'a redirect in a circle': {
    why: 'it would never end',
    answer: (response) => response.writeHead(302, { location: `/${published}` }).end(),
    message: /redirects too often/,
  },
  'a transfer that breaks': {
    why: 'half a binary must not stay',
    answer: (response) => {
      response.writeHead(200, { 'content-length': '3000000' });
      response.write(Buffer.alloc(1_000_000), () => response.destroy());
    },
    message: /broke off after \d\.\d of 3\.0 MB/,
  },
  'a transfer that stands still': {
    why: 'a dead connection may never say so',
    answer: (response) => {
      response.writeHead(200, { 'content-length': '3000000' });
      response.write('a beginning');
    },
    message: /broke off after 0\.0 of 3\.0 MB \(nothing arrived for 0\.2 s\)/,
    bounds: { idleTimeoutMs: 200 },
  },
  'a host that never answers': {
    why: 'a firewall that drops packets must not hold up the build',
    answer: () => undefined,
    message: /^cannot reach 127\.0\.0\.1:\d+ \(no answer within 0\.2 s\)$/,
    bounds: { connectTimeoutMs: 200 },
  },
};

describe('a download that fails', () => {
  it.each(Object.entries(failures))(
    'reports %s',
    async (_name, { answer, bounds, message, why }) => {
      server.answer(published, answer);
      const error = await fetchKubectl(digestOf('sha256', content), bounds);
      expect(error, why).toBeInstanceOf(DownloadError);
      expect((error as Error).message, why).toMatch(message);
      expect(await readdir(directory), why).toEqual([]);
    },
  );

  it('reports a host that refuses the connection', async () => {
    const base = server.base;
    await server.close();
    await expect(fetchText(address, options({ base }))).rejects.toThrow(
      /^cannot reach 127\.0\.0\.1:\d+ \(ECONNREFUSED\)$/,
    );
  });

  it('reports a document that breaks', async () => {
    server.answer(published, (response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('abc', () => response.destroy());
    });
    await expect(fetchText(address, options())).rejects.toThrow(/broke off/);
  });
});
