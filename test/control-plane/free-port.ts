import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A port on 127.0.0.1 that nobody listens on, drawn at random from 20000-29999. Below every
 * system's ephemeral range (Linux 32768, macOS 49152), so that no outgoing connection takes it
 * while an API server is down between two starts.
 */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const port = randomInt(20_000, 30_000);
    if (await isFree(port)) return port;
  }
  throw new Error('no free port on 127.0.0.1 between 20000 and 29999');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
