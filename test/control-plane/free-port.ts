import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const FIRST = 20_000;
/** Each process has a hundred ports to itself, as far as those that run at once differ in this. */
const OF_ONE_PROCESS = 100;
const own = FIRST + (process.pid % OF_ONE_PROCESS) * OF_ONE_PROCESS;
let given = randomInt(OF_ONE_PROCESS);

/**
 * A port on 127.0.0.1 that nobody listens on, from 20000-29999. Below every system's ephemeral range
 * (Linux 32768, macOS 49152), so that no outgoing connection takes it while an API server is down
 * between two starts. Whoever gets it listens only later, so neither this process nor another one
 * that looks for a port meanwhile is given the same.
 */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < OF_ONE_PROCESS; attempt++) {
    const port = own + (given++ % OF_ONE_PROCESS);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port on 127.0.0.1 between ${own} and ${own + OF_ONE_PROCESS - 1}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
