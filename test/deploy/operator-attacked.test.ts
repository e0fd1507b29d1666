import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { AttackedOperator } from '../surroundings/attacked-operator.ts';

const SCRAPE = 'GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n';

let attacked: AttackedOperator;

beforeAll(async () => {
  attacked = await AttackedOperator.start(inject('image'));
}, 300_000);

afterAll(() => attacked?.stop());

/** Connections that read nothing. */
async function openMany(count: number, port: number): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: count }, () =>
    connect(port, '127.0.0.1').on('error', () => {}),
  );
  await Promise.all(sockets.map((socket) => once(socket, 'connect').catch(() => {})));
  return sockets;
}

describe('a stranger on a port', () => {
  const floods = {
    'that pipelines 200 scrapes on each of 500 connections and reads nothing': {
      connections: 500,
      sends: SCRAPE.repeat(200),
    },
    'that sends 58 kB of scrapes on one connection and reads nothing': {
      connections: 1,
      sends: SCRAPE.repeat(1500),
    },
    'that opens 3,000 connections and sends half a request': {
      connections: 3000,
      sends: 'GET /metrics',
    },
  };
  const ports = ['metricsPort', 'healthPort'] as const;
  const cases = Object.entries(floods).flatMap(([name, flood]) =>
    ports.map((port) => ({ name, port, ...flood })),
  );

  it.each(cases)(
    'leaves the operator alive and probed in time: one $name ($port)',
    async ({ port, connections, sends }) => {
      const sockets = await openMany(connections, attacked.running[port]);
      for (const socket of sockets) socket.write(sends);
      await attacked.isProbedFor(3);
      for (const socket of sockets) socket.destroy();
      await attacked.holdsOut();
    },
  );

  it('that scrapes over 200 connections at once leaves the operator probed in time', async () => {
    let isOver = false;
    const scrape = async (): Promise<void> => {
      while (!isOver) {
        const answer = await fetch(
          `http://127.0.0.1:${attacked.running.metricsPort}/metrics`,
        ).catch(() => {});
        await answer?.text().catch(() => {});
      }
    };
    const scraping = Array.from({ length: 200 }, scrape);
    await attacked.isProbedFor(5);
    isOver = true;
    await Promise.all(scraping);
    await attacked.holdsOut();
  });
});
