import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { firstSentence, wholeNumberIn } from '../../deploy/no-arguments.ts';
import { startBackend } from '../../localstack/backends/backend.ts';
import { isServing } from '../../localstack/backends/python-server.ts';
import { seedNetwork } from '../../localstack/seed.ts';
import { findFreePort } from '../control-plane/free-port.ts';
import { CREDENTIALS, environmentFor } from '../surroundings/aws-stand-in.ts';
import { Outsider } from '../surroundings/outsider.ts';
import { readCpuSeconds } from './process-cpu.ts';

/** `npm run bench:stand-ins`: how quick the stand-ins for AWS are, one line of JSON for each figure. */

const HELP = `Measures the speed of the stand-ins for AWS, as lines of JSON.

Usage: npm run bench:stand-ins [-- --cold] [--runs N]
  --cold     also installs LocalStack's open runtime from scratch, into a temporary directory
  --runs N   runs of each figure except the cold one (default 5)
`;

const ROOT = resolve(import.meta.dirname, '../..');
const BALANCERS = 1000;
const REQUESTS = 10_000;
const CONNECTIONS = 8;

const SCOPE = '000000000000/20260101/us-east-1/elasticloadbalancing/aws4_request';
const HEADERS = {
  authorization: `AWS4-HMAC-SHA256 Credential=${SCOPE}, SignedHeaders=host, Signature=0`,
  'content-type': 'application/x-www-form-urlencoded',
};

const flags = readFlags();
if (flags !== undefined) await run(flags);

/** undefined: there is nothing to measure. */
function readFlags(): Flags | undefined {
  try {
    const { values } = parseArgs({
      options: {
        cold: { type: 'boolean', default: false },
        runs: { type: 'string', default: '5' },
        help: { type: 'boolean' },
      },
    });
    const runs = wholeNumberIn(values.runs);
    if (!Number.isSafeInteger(runs) || runs < 1)
      throw new Error('--runs takes a whole number from 1');
    if (!values.help) return { isCold: values.cold, runs };
    process.stdout.write(HELP);
  } catch (error) {
    process.stderr.write(`bench:stand-ins: ${firstSentence(error)}; run with --help for usage\n`);
    process.exitCode = 2;
  }
  return undefined;
}

interface Flags {
  /** Also installs anew. */
  readonly isCold: boolean;
  readonly runs: number;
}

async function run({ isCold, runs }: Flags): Promise<void> {
  if (isCold) report('localstack up, cold cache, downloads included', 's', [await upCold()]);
  report('localstack up, warm cache (bound 10)', 's', await times(runs, upWarm));
  report('embedded ready, inside a process (bound 150)', 'ms', await times(runs, readyInside));
  report('embedded ready, process start to health (bound 150)', 'ms', await times(runs, ready));
  const rates = await times(runs, requestRate);
  report(
    'embedded requests by name, wall (bound 2000)',
    '1/s',
    rates.map(({ wall }) => wall),
  );
  const perCore = rates.flatMap(({ core }) => (core === undefined ? [] : [core]));
  report('embedded requests by name, one core (bound 2000)', '1/s', perCore);
}

function report(figure: string, unit: string, samples: readonly number[]): void {
  const sorted = samples.toSorted((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)];
  process.stdout.write(`${JSON.stringify({ figure, unit, median, samples: sorted })}\n`);
}

async function times<T>(runs: number, measure: () => Promise<T>): Promise<readonly T[]> {
  const samples: T[] = [];
  for (let count = 0; count < runs; count++) samples.push(await measure());
  return samples;
}

async function upCold(): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'albridge-cold-'));
  try {
    return await secondsUntilUp({ ...process.env, XDG_CACHE_HOME: directory });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function upWarm(): Promise<number> {
  return secondsUntilUp(process.env);
}

async function secondsUntilUp(env: NodeJS.ProcessEnv): Promise<number> {
  const startedMs = performance.now();
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const backend = await startBackend('localstack', { env, say });
  const seconds = (performance.now() - startedMs) / 1000;
  await backend.stop();
  return round(seconds);
}

async function readyInside(): Promise<number> {
  const startedMs = performance.now();
  const backend = await startBackend('embedded');
  if (!(await isServing(`${backend.url}/_localstack/health`))) throw new Error('it does not serve');
  const ms = performance.now() - startedMs;
  await backend.stop();
  return round(ms);
}

async function ready(): Promise<number> {
  const startedMs = performance.now();
  const { child } = await startProcess();
  const ms = performance.now() - startedMs;
  await stop(child);
  return round(ms);
}

async function requestRate(): Promise<{
  readonly wall: number;
  readonly core: number | undefined;
}> {
  const { child, url } = await startProcess(
    '--provisioning-ms',
    '0',
    '--budget',
    'off',
    '--quota',
    '2000',
  );
  try {
    const names = await createBalancers(url);
    await ask(url, names, REQUESTS / 5); // the compiler has seen it all by then
    const before = await readCpuSeconds(child.pid);
    const startedMs = performance.now();
    await ask(url, names, REQUESTS);
    const seconds = (performance.now() - startedMs) / 1000;
    const after = await readCpuSeconds(child.pid);
    const core =
      before === undefined || after === undefined ? undefined : REQUESTS / (after - before);
    return { wall: round(REQUESTS / seconds), core: core === undefined ? undefined : round(core) };
  } finally {
    await stop(child);
  }
}

async function createBalancers(url: string): Promise<readonly string[]> {
  const network = await seedNetwork({ endpoint: url, credentials: CREDENTIALS });
  const outsider = new Outsider(environmentFor(url, 'us-east-1'));
  const names = Array.from({ length: BALANCERS }, (_, index) => `bench-${index}`);
  for (const Name of names) {
    await outsider.createBalancer({ Name, Subnets: network.subnets.slice(0, 2) });
  }
  outsider.close();
  return names;
}

/** Without the SDK, which would be most of what is measured. */
async function ask(url: string, names: readonly string[], count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let left = count;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await describeOne(url, agent, names[left % names.length] as string);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  agent.destroy();
}

function describeOne(url: string, agent: Agent, name: string): Promise<void> {
  const body = `Action=DescribeLoadBalancers&Version=2015-12-01&Names.member.1=${name}`;
  return new Promise((done, reject) => {
    const options = {
      method: 'POST',
      agent,
      headers: {
        ...HEADERS,
        'x-amz-date': new Date().toISOString().replace(/[-:]|\.\d+/g, ''),
        'content-length': body.length,
      },
    };
    const sent = request(url, options, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`status ${answer.statusCode}`));
      answer.resume().once('end', done);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

async function startProcess(
  ...args: readonly string[]
): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const port = await findFreePort();
  const main = resolve(ROOT, 'localstack/embedded/main.ts');
  const child = spawn(process.execPath, [main, '--port', String(port), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data'); // "ready on ..."
  const url = `http://127.0.0.1:${port}`;
  if (!(await isServing(`${url}/_localstack/health`))) throw new Error('it does not serve');
  return { child, url };
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
