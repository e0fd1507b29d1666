import { once } from 'node:events';
import { connect } from 'node:net';

const LONGEST_MS = 5_000;

/** Whether something takes connections at the port. */
export async function isListening(port: number, host = '127.0.0.1'): Promise<boolean> {
  const socket = connect(port, host);
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(LONGEST_MS) });
    return true;
  } catch {
    return false;
  } finally {
    socket.on('error', () => undefined).destroy();
  }
}
