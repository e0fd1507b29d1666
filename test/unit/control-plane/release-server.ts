import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** What the server does instead of sending a whole file. */
type Answer = (response: ServerResponse) => void;

/** A local server of the same layout as the release hosts: `/<host>/<path>`. */
export interface ReleaseServer {
  readonly base: string;
  /** Publishes a file under its public address, without the scheme. */
  readonly publish: (address: string, content: Uint8Array | string) => void;
  readonly answer: (address: string, answer: Answer) => void;
  /** How often an address was asked for. */
  readonly requests: (address: string) => number;
  readonly close: () => Promise<void>;
}

export async function startReleaseServer(): Promise<ReleaseServer> {
  const answers = new Map<string, Answer>();
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    const address = (request.url ?? '').slice(1);
    counts.set(address, (counts.get(address) ?? 0) + 1);
    const answer =
      answers.get(address) ?? ((missing) => missing.writeHead(404).end('no such file'));
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    base: `http://127.0.0.1:${port}`,
    publish: (address, content) => answers.set(address, (response) => response.end(content)),
    answer: (address, answer) => answers.set(address, answer),
    requests: (address) => counts.get(address) ?? 0,
    close: () => close(server),
  };
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

export function digestOf(algorithm: 'sha256' | 'sha512', content: Uint8Array | string): string {
  return createHash(algorithm).update(content).digest('hex');
}

export async function makeTemporaryDirectory(): Promise<string> {
  return await mkdtemp(join(tmpdir(), 'albridge-test-'));
}

/** Writes an executable file, with its directories. */
export async function writeExecutable(path: string, content: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  await chmod(path, 0o755);
  return path;
}

/** Packs files with the system's tar, so that the reader is tested against a foreign writer. */
export async function packTarGz(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const directory = await makeTemporaryDirectory();
  const archive = join(directory, 'packed.tar.gz');
  const tree = join(directory, 'tree');
  for (const [path, content] of Object.entries(files)) {
    await writeExecutable(join(tree, path), content);
  }
  await promisify(execFile)('tar', ['-czf', archive, '-C', tree, '.']);
  const packed = await readFile(archive);
  await rm(directory, { recursive: true });
  return packed;
}
