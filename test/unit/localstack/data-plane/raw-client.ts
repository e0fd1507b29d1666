import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { type HttpTarget, startTarget } from '../../../fakes/http-target.ts';
import type { PlaneUnderTest } from './plane-under-test.ts';

/** Answers health checks and does with other requests what it is given. */
export async function startBehind(
  plane: PlaneUnderTest,
  serve: Parameters<typeof startTarget>[1] & object,
): Promise<string> {
  const target: HttpTarget = await startTarget('behind', (message, response) => {
    if (message.headers['user-agent']?.startsWith('ELB-')) response.end();
    else serve(message, response);
  });
  const ip = await plane.addTarget(target);
  await plane.untilAll('healthy');
  return ip;
}

/** A raw client that has sent this, and what it has read so far. */
export async function openRaw(
  plane: PlaneUnderTest,
  request: string,
): Promise<{ readonly socket: Socket; readonly read: () => string }> {
  const [host, port] = (await plane.address()).split(':');
  const socket = connect(Number(port), host).setEncoding('latin1');
  onTestFinished(() => void socket.destroy());
  let read = '';
  socket.on('data', (chunk: string) => {
    read += chunk;
  });
  socket.write(request);
  return { socket, read: () => read };
}

/** What a raw client reads until the connection ends. */
export async function sendRaw(plane: PlaneUnderTest, request: string): Promise<string> {
  const { socket, read } = await openRaw(plane, request);
  await once(socket, 'close');
  return read();
}
