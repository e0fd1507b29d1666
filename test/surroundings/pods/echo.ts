import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { answer, listen } from './answer.ts';

/**
 * The process of a container, whatever its image: answers with the name of its pod, after `?delayMs=N`. On SIGTERM it
 * finishes what is in flight and exits. Its log has one line for each request and signal.
 */
const { values } = parseArgs({
  options: {
    name: { type: 'string', default: '' },
    namespace: { type: 'string', default: '' },
    answers: { type: 'string', default: '200' },
    port: { type: 'string', multiple: true, default: [] },
  },
});
const { ECHO_IGNORES_SIGTERM: ignores, ECHO_LISTENS_AFTER_MS: listensAfterMs } = process.env;

let inFlight = 0;
let isStopping = false;

function log(line: string): void {
  process.stdout.write(`${new Date().toISOString()} ${line}\n`);
}

async function serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
  const { searchParams } = new URL(message.url ?? '/', 'http://pod');
  log(`request ${message.url} by ${message.headers['user-agent']}`);
  inFlight += 1;
  response.once('close', () => {
    inFlight -= 1;
  });
  await sleep(Number(searchParams.get('delayMs')));
  if (isStopping) response.setHeader('connection', 'close');
  answer(values, message, response);
}

async function stop(): Promise<void> {
  log(`SIGTERM with ${inFlight} requests in flight`);
  if (ignores === 'true') return;
  isStopping = true;
  await Promise.all(
    servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))),
  );
  log(`exit with ${inFlight} requests in flight`);
  process.exit(0);
}

const servers = values.port.map(() => createServer((...exchange) => void serve(...exchange)));
process.on('SIGTERM', () => void stop());
// The runner is gone.
process.on('disconnect', () => process.exit(1));
await sleep(Number(listensAfterMs ?? 0));
const listening = await Promise.all(servers.map(listen));
log(`listens on ${values.port.join(', ')}`);
process.send?.(values.port.map((port, index) => [Number(port), listening[index]]));
