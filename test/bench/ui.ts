import { get, type IncomingMessage } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startUi, type UiProcess } from '../surroundings/ui-process.ts';
import type { BenchPlace, Ground } from './bench-place.ts';
import { type Figure, repeat, type Sample } from './figure.ts';
import { residentMB } from './resident-memory.ts';
import { median } from './statistics.ts';

const COUNT = 5_000;
const UPDATES = 20;
const AT_ONCE = 16;
const SETTLE_MS = 5_000;

export const ui: Figure = {
  what: `albridge ui with ${COUNT} objects: the first page, an update, memory`,
  quantities: {
    startMs: { what: 'process start -> URL printed', unit: 'ms' },
    firstPageMs: { what: 'URL printed -> page with all objects', unit: 'ms', bound: 1000 },
    pageMs: { what: 'a page once all is read', unit: 'ms' },
    updateMs: { what: 'status written -> sent to the page, p50', unit: 'ms', bound: 200 },
    updateKB: { what: 'size of an update', unit: 'kB' },
    memoryMB: { what: 'resident memory of the process', unit: 'MB' },
  },
  measure: async (place, options) => {
    const ground = await place.freshGround();
    options.say(`creating ${COUNT} objects`);
    await createAll(ground, COUNT);
    return repeat(options, () => measureOnce(place, ground));
  },
};

/** `web-0` and so on. */
export async function createAll({ objects }: Ground, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `web-${index}`);
  const subnets = ['subnet-abc', 'subnet-def'];
  const backends = [{ name: 'web', service: { name: 'web', port: 'http' } }];
  while (names.length > 0) {
    const part = names.splice(0, AT_ONCE);
    await Promise.all(part.map((name) => objects.create(name, { subnets, backends })));
  }
}

/** The bundled command, for the ground alone: other figures have objects in namespaces of their own. */
export async function serveUi(place: BenchPlace, { namespace }: Ground): Promise<UiProcess> {
  const { cluster } = await place.real();
  const entry = join(dirname(await place.bundle()), 'albridge.mjs');
  return startUi(cluster.kubeconfigPath, { args: ['--namespace', namespace], entry });
}

/** Writes a reason that Ready has never had into the status of `web-0`. */
export async function writeReason(
  place: BenchPlace,
  { namespace }: Ground,
  reason: string,
): Promise<void> {
  const { api } = await place.real();
  const path = `/apis/demo.rtfm.co.ua/v1/namespaces/${namespace}/myingresses/web-0/status`;
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const ready = { type: 'Ready', status: 'False', reason, message: '', lastTransitionTime };
  const body = { status: { observedGeneration: 1, conditions: [ready] } };
  await api.ask({ method: 'PATCH', path, body });
}

async function measureOnce(place: BenchPlace, ground: Ground): Promise<Sample> {
  await place.bundle();
  const startedMs = performance.now();
  const served = await serveUi(place, ground);
  const printedMs = performance.now();
  try {
    while (!(await read(served.url)).includes(`${COUNT} objects`)) await sleep(5);
    const readMs = performance.now();
    await read(served.url);
    const pageMs = performance.now() - readMs;
    const updates = await measureUpdates(served, (reason) => writeReason(place, ground, reason));
    await sleep(SETTLE_MS);
    return {
      startMs: printedMs - startedMs,
      firstPageMs: readMs - printedMs,
      pageMs,
      ...updates,
      memoryMB: await residentMB(served.pid),
    };
  } finally {
    await served.stop();
  }
}

async function measureUpdates(
  { url }: UiProcess,
  write: (reason: string) => Promise<void>,
): Promise<{ readonly updateMs: number; readonly updateKB: number }> {
  const stream = new Received(await open(url, 'text/event-stream'));
  await stream.waitFor(`${COUNT} objects`);
  const tookMs: number[] = [];
  const sizes: number[] = [];
  for (let update = 0; update < UPDATES; update++) {
    const reason = `Update${performance.now()}`.replace('.', 'x');
    const writtenMs = performance.now();
    await write(reason);
    sizes.push(await stream.waitFor(reason));
    tookMs.push(performance.now() - writtenMs);
  }
  stream.close();
  return { updateMs: median(tookMs), updateKB: median(sizes) / 1e3 };
}

/** The messages of one page. */
class Received {
  readonly #stream: IncomingMessage;
  #text = '';
  #wake = (): void => {};

  constructor(stream: IncomingMessage) {
    this.#stream = stream;
    stream.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString();
      this.#wake();
    });
    stream.on('error', () => {});
  }

  /** Resolves with the bytes since the last call. */
  async waitFor(words: string): Promise<number> {
    while (!this.#text.includes(words)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const { length } = this.#text;
    this.#text = '';
    return length;
  }

  close(): void {
    this.#stream.destroy();
  }
}

function open(url: string, accept: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { accept } }, resolve).on('error', reject);
  });
}

async function read(url: string): Promise<string> {
  let text = '';
  for await (const chunk of await open(url, 'text/html')) text += String(chunk);
  return text;
}
