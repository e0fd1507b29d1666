import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type EmbeddedAwsServer, startEmbeddedAws } from '../../localstack/embedded/http/server.ts';
import { type SeededNetwork, seedNetwork } from '../../localstack/seed.ts';
import type { Recording } from '../aws/account/recording.ts';
import { RUN_TAG } from '../aws/account/run.ts';
import { ADMINISTRATOR } from '../surroundings/aws-stand-in.ts';
import { until } from '../surroundings/until.ts';

/** `npm run test:aws -- --backend aws` where the embedded stand-in plays AWS. */

const MAIN = resolve(import.meta.dirname, '../aws/main.ts');
const ACCOUNT = '123456789012';
const LONG_MS = 150_000;

let server: EmbeddedAwsServer;
let network: SeededNetwork;
let directory: string;
let record: string;

beforeAll(async () => {
  const settings = { budget: 'off', provisioningMs: 0, interfacesLingerMs: 2_000 } as const;
  server = await startEmbeddedAws({ accountId: ACCOUNT, settings });
  network = await seedNetwork({ endpoint: server.url, credentials: ADMINISTRATOR });
  directory = await mkdtemp(join(tmpdir(), 'albridge-account-'));
  record = join(directory, 'recording.json');
});
beforeEach(() => server.control.clearCalls());
afterAll(async () => {
  await server?.stop();
  await rm(directory, { recursive: true, force: true });
});

interface Command {
  readonly process: ChildProcess;
  output(): string;
  readonly exited: Promise<unknown>;
}

function testAws(...args: readonly string[]): Command {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [MAIN, '--backend', 'aws', ...args], {
    // A group of its own, so that all of it can be killed at once.
    detached: true,
    env: {
      ...{ PATH, HOME, ALBRIDGE_TEST_AWS_STAND_IN: server.url, AWS_REGION: 'us-east-1' },
      AWS_ACCESS_KEY_ID: ADMINISTRATOR.accessKeyId,
      AWS_SECRET_ACCESS_KEY: ADMINISTRATOR.secretAccessKey,
      // Of some stand-in that the caller has used before.
      AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
    },
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const exited = once(child, 'exit').then(([code, signal]) => code ?? signal);
  return { process: child, output: () => output, exited };
}

const everything = () =>
  testAws('--yes-this-costs-money', '--vpc', network.vpcId, '--record', record);

function leftovers(): readonly unknown[] {
  const { loadBalancers, targetGroups, securityGroups } = server.control.snapshot();
  const groups = securityGroups as readonly { readonly tags: Record<string, string> }[];
  return [...loadBalancers, ...targetGroups, ...groups.filter(({ tags }) => RUN_TAG in tags)];
}

/** Those of the stand-in, which is no witness: they show that each question asks what it means to ask. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  a: 'DescribeTags of balancer, listener and two groups answered for 4; DescribeListeners by ARNs answered with 1; DescribeRules by ARNs answered with 1',
  b: expect.stringMatching(
    /^draining \(Target\.DeregistrationInProgress\), then registered again: taken back, initial \(Elb\.\w+\)$/,
  ),
  c: "InvalidTargetException: The IP address '8.8.8.8' is not within a range that can be registered; registered of the valid ones: 0",
  d: 'CreateTargetGroup with other tags: the same group; CreateListener with other tags: the same listener',
  e: 'accepted',
  f: [
    'accepted',
    'port.example.com: port.example.com meets it, port.example.com:80 meets it, port.example.com:8080 meets it',
    '^port[.]example[.]org$: port.example.org meets it, port.example.org:80 meets it, port.example.org:8080 meets it',
  ].join('; '),
  g: [
    '/plain: /plain meets it, /pl%61in does not',
    '/one/two: /one/two meets it, /one%2Ftwo does not',
    "/%7Ename: ValidationError: The 'path-pattern' value '/%7Ename' is not valid",
  ].join('; '),
  h: expect.stringMatching(/^5: accepted; 6: ValidationError: .+; 7: ValidationError: /),
  i: expect.stringMatching(/^100 of 100 reads passed within [\d.]+ s$/),
  j: expect.stringContaining('it needs a server in the VPC'),
  k: expect.stringMatching(
    /^503 of a group whose only target is initial \(Elb\.\w+\); 503: it does not fail open$/,
  ),
  l: 'draining (Target.DeregistrationInProgress): deleted at once',
  m: expect.stringMatching(/^the group could be deleted after \d+ s$/),
  n: expect.stringMatching(
    /^after a minute a target of the group with weight 0 is initial \(Elb\.\w+\)$/,
  ),
  o: expect.stringMatching(/^IncompatibleProtocolsException: /),
};

/** The tests of the suite have begun to make balancers. */
function isUnderWay(): Promise<unknown> {
  const isThere = async (): Promise<boolean> => server.control.snapshot().loadBalancers.length > 0;
  return until('a balancer of the run', isThere, LONG_MS);
}

it('runs the suite, records what AWS answered, and leaves nothing', {
  timeout: 170_000,
}, async () => {
  const run = everything();
  expect(await run.exited, run.output()).toBe(0);
  expect(leftovers()).toEqual([]);
  const creates = server.control
    .calls('CreateLoadBalancer')
    .filter(({ outcome }) => outcome === 'ok');
  expect(creates.length).toBeGreaterThan(20);
  const others = [
    ...(['CreateTargetGroup', 'CreateSecurityGroup', 'CreateListener', 'CreateRule'] as const),
  ];
  const beside = others.flatMap((operation) => server.control.calls(operation));
  for (const { input } of [...creates, ...beside]) {
    expect(JSON.stringify(input)).toContain(RUN_TAG);
  }

  const text = await readFile(record, 'utf8');
  expect(text).not.toContain(ACCOUNT);
  const { verdicts, answers } = JSON.parse(text) as Recording;
  expect(verdicts.length).toBeGreaterThan(20);
  expect(verdicts.filter(({ holds }) => !holds)).toEqual([]);
  expect(verdicts.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['instance-exists', 'sticky-actions-first', 'rule-transforms']),
  );
  const subnetCode = verdicts.find(({ id }) => id === 'subnet-code');
  expect(subnetCode?.refusals).toMatchObject([{ code: 'SubnetNotFound' }]);
  expect(answers).toEqual(ANSWERS);
});

it('removes everything that it created after Ctrl-C in a terminal, which ends the reader of its output too', {
  timeout: 170_000,
}, async () => {
  const run = everything();
  await isUnderWay();
  for (const stream of [run.process.stdout, run.process.stderr]) stream?.destroy();
  process.kill(-Number(run.process.pid), 'SIGINT');
  expect(await run.exited, run.output()).toBe(130);
  expect(leftovers()).toEqual([]);
});

it('asks nothing more once it is interrupted, and removes what the questions stand on', {
  timeout: 170_000,
}, async () => {
  const effect = { kind: 'error', code: 'ResourceInUse', status: 400, message: 'in use' } as const;
  server.control.addFault({ operation: 'DeleteTargetGroup', times: 1_000, effect });
  const run = everything();
  // The next question waits for a group to be deletable, for up to ten minutes.
  await until('an answer to (l)', async () => run.output().includes('(l) '), LONG_MS);
  process.kill(-Number(run.process.pid), 'SIGINT');
  await until('the interruption', async () => run.output().includes('interrupted'));
  server.control.clearFaults();
  expect(await run.exited, run.output()).toBe(130);
  expect(run.output()).not.toMatch(/^\([mi]\) /m);
  expect(leftovers()).toEqual([]);
});

it('removes later what a killed run left behind', { timeout: 170_000 }, async () => {
  const killed = everything();
  await isUnderWay();
  process.kill(-Number(killed.process.pid), 'SIGKILL');
  await killed.exited;
  expect(leftovers()).not.toEqual([]);
  const id = /--clean-up (\w+)/.exec(killed.output())?.[1] ?? '';

  const next = testAws('--yes-this-costs-money', '--subnets', network.subnets.slice(0, 1).join());
  expect(await next.exited).toBe(2);
  expect(next.output()).toContain(`run ${id} left`);
  expect(next.output()).toContain('three are needed');
  const cleaning = testAws('--clean-up', id);
  expect(await cleaning.exited, cleaning.output()).toBe(0);
  expect(leftovers()).toEqual([]);
});
