import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchPlace } from '../bench-place.ts';
import { type Figure, repeat, type Sample } from '../figure.ts';
import { readCpuSeconds } from '../process-cpu.ts';

const CONNECTIONS = 32;
const WARM_UP_MS = 3000;
const MEASURED_MS = 4000;
const REQUEST = 'GET / HTTP/1.1\r\nhost: shop.example.com\r\n\r\n';
/** An answer ends with its body. */
const END = Buffer.from('ok\n');

export const throughput: Figure = {
  what: `requests a second through the stand-in's data plane, next to the same ones sent to their target, ${CONNECTIONS} connections`,
  quantities: {
    direct: { what: 'to the target', unit: 'requests/s' },
    balanced: { what: 'through a listener', unit: 'requests/s' },
    share: { what: 'of the direct ones', unit: '%' },
    directCpu: { what: 'CPU of the target, for each direct one', unit: 'µs' },
    balancedCpu: { what: 'CPU of the stand-in, for each', unit: 'µs' },
  },
  measure: async (place, options) => {
    const target = await startServer(place, []);
    const listener = await startServer(place, [target.address]);
    return repeat(options, async (): Promise<Sample> => {
      const direct = await measure(target);
      const balanced = await measure(listener);
      return {
        ...{ direct: direct.perSecond, balanced: balanced.perSecond },
        share: (balanced.perSecond / direct.perSecond) * 100,
        ...{ directCpu: direct.cpuUs, balancedCpu: balanced.cpuUs },
      };
    });
  },
};

interface Server {
  readonly pid: number;
  readonly address: string;
}

/** In a process of its own. */
async function startServer(place: BenchPlace, args: readonly string[]): Promise<Server> {
  const entry = join(import.meta.dirname, 'throughput-server.ts');
  const server = place.run({ entry, args, environment: {} });
  const { address } = await server.waitForLine(({ msg }) => msg === 'listening');
  return { pid: server.pid, address: String(address) };
}

/** While each connection has one request on its way. */
async function measure({ pid, address }: Server): Promise<{ perSecond: number; cpuUs: number }> {
  const all = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => AskingConnection.open(address)),
  );
  const read = async (): Promise<Readings> => ({
    answers: all.reduce((sum, { answers }) => sum + answers, 0),
    cpuSeconds: (await readCpuSeconds(pid)) ?? 0,
    atMs: performance.now(),
  });
  await sleep(WARM_UP_MS);
  const before = await read();
  await sleep(MEASURED_MS);
  const after = await read();
  for (const connection of all) connection.close();
  const answers = after.answers - before.answers;
  return {
    perSecond: (answers * 1000) / (after.atMs - before.atMs),
    cpuUs: ((after.cpuSeconds - before.cpuSeconds) * 1e6) / answers,
  };
}

interface Readings {
  readonly answers: number;
  readonly cpuSeconds: number;
  readonly atMs: number;
}

/** Sends a request whenever the one before is answered. As little as a client can do, so that servers are measured. */
class AskingConnection {
  readonly #socket: Socket;
  answers = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      if (!chunk.subarray(-END.length).equals(END)) return;
      this.answers += 1;
      socket.write(REQUEST);
    });
    socket.write(REQUEST);
  }

  static async open(address: string): Promise<AskingConnection> {
    const [host, port] = address.split(':');
    const socket = connect(Number(port), host);
    await once(socket, 'connect');
    return new AskingConnection(socket);
  }

  close(): void {
    this.#socket.destroy();
  }
}
