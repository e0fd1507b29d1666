import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';

const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

interface Finished {
  readonly code: number | null;
  readonly output: string;
}

function start(args: readonly string[], env: NodeJS.ProcessEnv = process.env): ChildProcess {
  const child = spawn(process.execPath, [...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  return child;
}

async function finish(child: ChildProcess): Promise<Finished> {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

async function endpointOf(child: ChildProcess): Promise<string> {
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return /http:\S+/.exec(line.toString())?.[0] ?? '';
}

const SERVER = 'localstack/embedded/main.ts';
const SEED = 'localstack/seed.ts';
const seedEnv = (endpoint: string): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  AWS_ENDPOINT_URL: endpoint,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_REGION: 'eu-central-1',
});

describe('the server as a process', () => {
  test.for(['SIGTERM', 'SIGINT'] as const)('stops cleanly on %s', async (signal) => {
    const child = start([SERVER, '--port', '0']);
    const url = await endpointOf(child);
    expect((await fetch(`${url}/_localstack/health`)).status).toBe(200);
    child.kill(signal);
    expect(await finish(child)).toEqual({ code: 0, output: '' });
  });

  test('is seeded by the seed script in the region it was started for', async () => {
    const server = start([SERVER, '--port', '0', '--region', 'eu-central-1', '--budget', 'off']);
    const endpoint = await endpointOf(server);
    const first = await finish(start([SEED], seedEnv(endpoint)));
    const second = await finish(start([SEED], seedEnv(endpoint)));

    expect(first.output).toMatch(/^ALBRIDGE_SUBNETS=subnet-\w+,subnet-\w+,subnet-\w+$/m);
    expect(second).toEqual(first);
    expect(first.code).toBe(0);
  });

  const refused: Readonly<
    Record<string, { readonly args: readonly string[]; readonly says: string }>
  > = {
    'a port that is no number': {
      args: ['--port', 'x'],
      says: '--port must be a number from 0 to 65535, not "x"',
    },
    'a port that no machine has': {
      args: ['--port', '65536'],
      says: '--port must be a number from 0 to 65535, not "65536"',
    },
    'an unknown option': { args: ['--speed', '9'], says: "unknown option '--speed'" },
    'an unknown budget': {
      args: ['--budget', 'half'],
      says: 'budget must be "aws" or "off", not "half"',
    },
    'no region name': {
      args: ['--region', 'here'],
      says: '"here" is not the name of an AWS region',
    },
  };
  test.for(Object.entries(refused))('refuses %s in one sentence', async ([, { args, says }]) => {
    const { code, output } = await finish(start([SERVER, '--port', '0', ...args]));
    expect(output).toBe(`embedded aws: ${says}; run with --help for usage\n`);
    expect(code).toBe(2);
  });

  test('names the port that is taken', async () => {
    const port = new URL(await endpointOf(start([SERVER, '--port', '0']))).port;
    const { code, output } = await finish(start([SERVER, '--port', port]));
    expect(output).toContain(port);
    expect(code).toBe(1);
  });

  test('explains itself', async () => {
    const { code, output } = await finish(start([SERVER, '--help']));
    expect(output).toContain('--provisioning-ms');
    expect(code).toBe(0);
  });
});

test('the seed script never seeds a real account', async () => {
  const { code, output } = await finish(start([SEED], { PATH: process.env['PATH'] }));
  expect(output).toBe(
    'seed: set AWS_ENDPOINT_URL to the stand-in; a real account is never seeded\n',
  );
  expect(code).toBe(1);
});

test.for([
  [
    'localhost:4566',
    'AWS_ENDPOINT_URL is "localhost:4566", without http:// or https://: set it to the URL of the stand-in, such as http://127.0.0.1:4566',
  ],
  [
    'http://127.0.0.1:1',
    'nothing answers at http://127.0.0.1:1 (connect ECONNREFUSED 127.0.0.1:1): start the stand-in (npm run localstack -- up), or correct AWS_ENDPOINT_URL',
  ],
] as const)('the seed script says what to do about the address %s', async ([endpoint, says]) => {
  const { code, output } = await finish(start([SEED], seedEnv(endpoint)));
  expect(output).toBe(`seed: ${says}\n`);
  expect(code).toBe(1);
});

test('the seed script says what to do without credentials', async () => {
  const { AWS_ACCESS_KEY_ID: _key, ...env } = seedEnv('http://127.0.0.1:1');
  const { output } = await finish(start([SEED], { ...env, AWS_EC2_METADATA_DISABLED: 'true' }));
  expect(output).toMatch(/^seed: .+: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, of which/);
});

test.for(['<html></html>', '<html>', ''])(
  'the seed script says what to do where a server answers 404 and "%s"',
  async (body) => {
    const server = createServer((_, response) => response.writeHead(404).end(body));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { output } = await finish(start([SEED], seedEnv(endpoint)));
    server.close();
    expect(output).toBe(
      `seed: what answers at ${endpoint} is not like AWS: start the stand-in (npm run localstack -- up), or correct AWS_ENDPOINT_URL\n`,
    );
  },
);
