import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeKubeconfig } from '../control-plane/cluster-access.ts';
import { isolatedEnvironment } from '../control-plane/environment.ts';
import { CREDENTIALS } from '../surroundings/aws-stand-in.ts';
import type { BenchPlace } from './bench-place.ts';
import { type Figure, repeat, type Sample } from './figure.ts';
import { TinyApiServer } from './tiny-api-server.ts';

const LEAST_RUNS = 10;

export const startTime: Figure = {
  what: 'bundle: process start -> first watch open',
  quantities: {
    firstMs: { what: 'first start, nothing compiled yet', unit: 'ms', bound: 250 },
    laterMs: { what: 'later start, compile cache beside the bundle', unit: 'ms', bound: 250 },
    nodeMs: { what: 'floor: node -e 0, start to end', unit: 'ms' },
  },
  measure: async (place, { runs, say }) => {
    const directory = await mkdtemp(join(tmpdir(), 'albridge-start-'));
    const server = await TinyApiServer.start();
    try {
      const environment = await environmentFor(server, directory);
      return await repeat({ runs: Math.max(runs, LEAST_RUNS), say }, () =>
        measureOnce(place, server, environment),
      );
    } finally {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    }
  },
};

type Environment = Readonly<Record<string, string>>;

async function measureOnce(
  place: BenchPlace,
  server: TinyApiServer,
  environment: Environment,
): Promise<Sample> {
  await place.forgetCompiled();
  const firstMs = await timeToWatch(place, server, environment);
  const laterMs = await timeToWatch(place, server, environment);
  return { firstMs, laterMs, nodeMs: await timeOfNode() };
}

/** Ends in good order, which is when Node stores what it has compiled. */
async function timeToWatch(
  place: BenchPlace,
  server: TinyApiServer,
  environment: Environment,
): Promise<number> {
  const opened = server.nextWatch();
  const startedMs = performance.now();
  const operator = await place.launch(environment);
  const openedMs = await Promise.race([opened, operator.exited]);
  await operator.stop();
  if (openedMs === null || openedMs <= startedMs) throw new Error('it ended without a watch');
  return openedMs - startedMs;
}

async function timeOfNode(): Promise<number> {
  const startedMs = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return performance.now() - startedMs;
}

async function environmentFor(server: TinyApiServer, directory: string): Promise<Environment> {
  const path = join(directory, 'kubeconfig');
  const user = { url: server.url, caPem: '', token: 'nobody', name: 'bench' };
  return {
    ...isolatedEnvironment(process.env, directory),
    KUBECONFIG: await writeKubeconfig(path, user),
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    ALBRIDGE_METRICS_ADDRESS: '127.0.0.1:0',
    ALBRIDGE_HEALTH_ADDRESS: '127.0.0.1:0',
  };
}
