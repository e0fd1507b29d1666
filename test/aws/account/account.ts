import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { EC2Client } from '@aws-sdk/client-ec2';
import {
  DescribeLoadBalancersCommand,
  ElasticLoadBalancingV2Client,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { refuseUnwritable } from '../../../deploy/output.ts';
import { explainAwsFailure } from '../../../src/cli/aws-failure.ts';
import { type Clients, findLeftovers, removeRun } from './clean-up.ts';
import { createGroups, findNetwork, type Place } from './network.ts';
import { areAnswered, askQuestions } from './questions.ts';
import { keepRecording, type Recording, readVerdicts } from './recording.ts';
import { type AccountRun, describePlan, isRunId, newRunId } from './run.ts';
import { takeSteps } from './steps.ts';

export interface AccountOptions extends Place {
  readonly mayCost: boolean;
  readonly region?: string | undefined;
  /** Only removes what this run left. */
  readonly cleanUp?: string | undefined;
  /** Where the recording goes. */
  readonly record?: string | undefined;
}

/** A loopback address of a stand-in that plays AWS: for this command's own test. */
const STAND_IN = 'ALBRIDGE_TEST_AWS_STAND_IN';
const FILES = ['operations', 'input-refused', 'traffic'].map((name) => `test/aws/${name}.test.ts`);

/** The exit code. Throws an Error in words for a person. */
export async function runInAccount(options: AccountOptions): Promise<number> {
  const runId = options.cleanUp;
  if (runId !== undefined && !isRunId(runId)) throw new Error(`"${runId}" is no id of a run`);
  const id = newRunId(new Date());
  const file = options.record ?? `aws-${id}.json`;
  if (runId === undefined) refuseUnwritable('--record', file);
  if (runId === undefined && !options.mayCost) {
    say(describePlan());
    say('Nothing was done. To do it: --yes-this-costs-money');
    return 2;
  }
  const account = await openAccount(options.region);
  try {
    await checkCaller(account);
    if (runId !== undefined) return await removeAll(account, runId);
    say(describePlan());
    return await runTests(account, { ...options, id, file });
  } finally {
    for (const client of Object.values(account.clients)) client.destroy();
  }
}

interface Account {
  readonly region: string;
  readonly endpoint: string | undefined;
  readonly clients: Clients & { readonly impatient: ElasticLoadBalancingV2Client };
}

/** The caller's own credentials and region; an AWS_ENDPOINT_URL left from a stand-in does not count. */
async function openAccount(wanted: string | undefined): Promise<Account> {
  const endpoint = standIn();
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('AWS_ENDPOINT_URL')) delete process.env[name];
  }
  const given = {
    ...(wanted === undefined ? {} : { region: wanted }),
    ...(endpoint === undefined ? {} : { endpoint }),
  };
  const elb = new ElasticLoadBalancingV2Client({ ...given, maxAttempts: 8 });
  const ec2 = new EC2Client({ ...given, maxAttempts: 8 });
  const impatient = new ElasticLoadBalancingV2Client({ ...given, maxAttempts: 1 });
  const region = await elb.config.region().catch((error: Error) => {
    throw new Error(`no region (${error.message}): give --region, or set AWS_REGION`);
  });
  return { region, endpoint, clients: { elb, ec2, impatient } };
}

/** Nothing is made, and nothing is printed about costs, for a caller whom AWS would refuse. */
async function checkCaller({ clients }: Account): Promise<void> {
  try {
    await clients.elb.send(new DescribeLoadBalancersCommand({ PageSize: 1 }));
  } catch (error) {
    const why = explainAwsFailure(error) ?? (error as Error).message;
    throw new Error(
      `AWS cannot be read: ${why}; check the network of this machine, and the credentials with aws sts get-caller-identity`,
    );
  }
}

function standIn(): string | undefined {
  const url = process.env[STAND_IN];
  if (url === undefined) return undefined;
  if (URL.parse(url)?.hostname === '127.0.0.1') return url;
  throw new Error(`${STAND_IN} is for a stand-in on 127.0.0.1`);
}

interface RunOptions extends Place {
  readonly id: string;
  /** Of the recording. */
  readonly file: string;
}

async function runTests(account: Account, options: RunOptions): Promise<number> {
  const { clients, region, endpoint } = account;
  const { id, file } = options;
  await tellOlderRuns(clients);
  const directory = mkdtempSync(join(tmpdir(), 'albridge-aws-'));
  const recordFile = join(directory, 'verdicts.jsonl');
  say(`run ${id} in ${region}${endpoint === undefined ? '' : `, played by ${endpoint}`}`);
  say(
    `should this process be killed: npm run test:aws -- --backend aws --region ${region} --clean-up ${id}`,
  );
  const interruption = new Interruption();
  const { signal } = interruption;
  let run: AccountRun | undefined;
  return await takeSteps({
    signal,
    runSuite: async () => {
      run = await prepareRun(account, options, recordFile);
      return await interruption.during(startSuite(run));
    },
    ask: async () => (run ? await askQuestions(clients, run, { say, signal }) : {}),
    keep: (answers) => {
      if (run === undefined) {
        rmSync(directory, { recursive: true });
        return 1;
      }
      const recording: Recording = {
        ...{ recordedAt: new Date().toISOString(), region, ...(endpoint && { endpoint }) },
        ...(signal.aborted && { isPartial: true as const }),
        ...{ verdicts: readVerdicts(recordFile), answers },
      };
      const code = keepRecording(recording, { file, directory, say });
      return areAnswered(answers) ? code : 1;
    },
    remove: () => removeAll(account, id),
  });
}

async function prepareRun(
  { clients, region, endpoint }: Account,
  options: RunOptions,
  recordFile: string,
): Promise<AccountRun> {
  const { id } = options;
  const network = await findNetwork(clients.ec2, options);
  const credentials = await clients.elb.config.credentials();
  const securityGroups = await createGroups(clients.ec2, network.vpcId, id);
  return {
    ...{ id, region, ...network, securityGroups, credentials, recordFile },
    ...(endpoint === undefined ? {} : { endpoint }),
  };
}

/** Whoever runs this next is told what others left; theirs may still be running. */
async function tellOlderRuns(clients: Clients): Promise<void> {
  const older = Map.groupBy(await findLeftovers(clients), ({ runId }) => runId);
  for (const [runId, left] of older) {
    say(`run ${runId} left ${left.length} resources; if it is over: --clean-up ${runId}`);
  }
}

function startSuite(run: AccountRun): ChildProcess {
  const runner = resolve(import.meta.dirname, '../../run.ts');
  const args = ['--project', 'aws-account', '--no-file-parallelism', ...FILES];
  return spawn(process.execPath, [runner, ...args], {
    stdio: 'inherit',
    env: {
      ...process.env,
      ALBRIDGE_TEST_AWS: 'account',
      ALBRIDGE_TEST_AWS_RUN: JSON.stringify(run),
    },
  });
}

/**
 * From here on no signal ends this process before it has removed what was made. npm passes a signal
 * on that the terminal has sent already, so a second one means nothing.
 */
class Interruption {
  readonly #controller = new AbortController();
  #child: ChildProcess | undefined;

  constructor() {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => this.#come());
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The child's exit code. */
  async during(child: ChildProcess): Promise<number> {
    this.#child = child;
    if (this.signal.aborted) child.kill('SIGINT');
    const [code] = (await once(child, 'exit')) as [number | null];
    this.#child = undefined;
    return code ?? 1;
  }

  #come(): void {
    if (this.signal.aborted) return;
    this.#controller.abort();
    say('interrupted: what was made is being removed, which may take minutes');
    this.#child?.kill('SIGINT');
  }
}

async function removeAll({ clients, endpoint }: Account, runId: string): Promise<number> {
  // What AWS has made may show late; in a stand-in it is there at once.
  const pauseMs = endpoint === undefined ? 5_000 : 200;
  return await removeRun(clients, runId, { pauseMs, say });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
