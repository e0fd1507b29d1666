import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { firstSentence, refuseEmpty, wholeNumberIn } from '../../deploy/no-arguments.ts';
import { makeWritable } from '../../deploy/output.ts';
import type { ListenerAddress } from '../../localstack/embedded/data-plane/data-plane.ts';
import type { LoadBalancerSnapshot } from '../../localstack/embedded/world-snapshot.ts';
import { envLines } from '../../localstack/seed.ts';
import { removeCallersSettings } from '../gates/clean-environment.ts';
import { importReadyCertificates } from '../surroundings/certificates.ts';
import { startInstances } from '../surroundings/instances.ts';
import { Interrupted, interruption } from '../surroundings/interruption.ts';
import type { OperatorProcess } from '../surroundings/operator-process.ts';
import { startPodRunner } from '../surroundings/pod-runner.ts';
import { installSecrets, WITH_SECRETS } from '../surroundings/secrets.ts';
import { StandInControl } from '../surroundings/stand-in-control.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { refuseOtherSandbox } from './other-sandbox.ts';

/** `npm run sandbox -- --dir DIR`: the demo's surroundings, kept up until a signal. */

const HELP = `An environment to try albridge: a real control plane, the AWS stand-in with a network in it, and the operator.

Usage: npm run sandbox -- --dir DIR [--no-operator] [--budget aws|off] [--provisioning-ms N] [--nodes N]
  --dir DIR              where kubeconfig (administrator) and env (KEY=VALUE) are written once all is ready; the
                         AWS keys in env are the operator's, which deploy/iam/policy.json limits, any other key
                         may do everything; ALBRIDGE_CERTIFICATES has two certificates for listeners
  --no-operator          starts no operator
  --budget aws|off       AWS's request limits, in the stand-in and in the operator (default off)
  --provisioning-ms N    how long a load balancer takes to become active (default 2000)
  --nodes N              nodes for pods, simulated by kwok, which runs no containers (default 2); 0 leaves out
                         controller-manager and scheduler too: enough for MyIngress, and faster to start
  --help                 this text

Each pod answers with its name, on its container ports and on the node ports of its Services. The annotation
test.albridge.io/process: "true" of a pod makes each of its containers a process, never of its image, with readiness
probe, preStop hook and signals as a kubelet has them. The sandbox prints a curl command for each listener of a
load balancer, with the MyIngress that it belongs to.

Stops everything it started on Ctrl-C or SIGTERM.
`;

interface Flags {
  readonly dir: string;
  readonly hasOperator: boolean;
  readonly budget: 'aws' | 'off';
  readonly provisioningMs: number;
  readonly nodes: number;
}

const FLAGS = {
  dir: { type: 'string' },
  'no-operator': { type: 'boolean', default: false },
  budget: { type: 'string', default: 'off' },
  'provisioning-ms': { type: 'string', default: '2000' },
  nodes: { type: 'string', default: '2' },
  help: { type: 'boolean' },
} as const;

// Nobody's real cluster or account is reached by trying things out.
removeCallersSettings(process.env);
const flags = await readFlags();
if (flags !== undefined) await run(flags);

async function run(flags: Flags): Promise<void> {
  const interrupted = interruption();
  interrupted.catch(() => {}); // raced below
  const cleanUps: (() => Promise<unknown>)[] = [];
  try {
    await Promise.race([keepUp(flags, cleanUps), interrupted]);
  } catch (error) {
    say((error as Error).message);
    process.exitCode = error instanceof Interrupted ? 0 : 1;
  }
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
  process.exit();
}

/** Never resolves; rejects when something fails. */
async function keepUp(flags: Flags, cleanUps: (() => Promise<unknown>)[]): Promise<never> {
  await refuseOtherSandbox(flags.dir);
  say('starting a control plane and the AWS stand-in');
  const hasPods = flags.nodes > 0;
  const workers = { controllerManager: hasPods, scheduler: hasPods };
  const surroundings = await startSurroundings({ ...flags, ...workers });
  cleanUps.push(() => surroundings.stop());
  const endpoint = surroundings.aws.environment['AWS_ENDPOINT_URL'] as string;
  const instances = await startInstances(surroundings, flags.nodes);
  const pods = startPodRunner(surroundings.controlPlane, endpoint, instances);
  cleanUps.push(() => pods.stop());
  await installSecrets(surroundings.controlPlane);
  const operator = flags.hasOperator ? await surroundings.startOperator(WITH_SECRETS) : undefined;
  cleanUps.push(() => removeFiles(flags.dir));
  await writeFiles(flags.dir, surroundings);
  say(`ready; in another terminal:\n\n${firstSteps(flags, surroundings)}`);
  return Promise.race([endOf(operator), announceListeners(endpoint)]);
}

/** Lines to paste into a shell. */
function firstSteps({ dir, hasOperator }: Flags, { controlPlane }: Surroundings): string {
  const kubectl = quoted(controlPlane.kubectlPath);
  const example = quoted(resolve(import.meta.dirname, '../../examples/01-article.yaml'));
  const lines = [
    `export KUBECONFIG=${quoted(join(dir, 'kubeconfig'))}`,
    // Without it the command line would ask the caller's own account.
    `set -a; . ${quoted(join(dir, 'env'))}; set +a`,
    ...(hasOperator ? [] : ['npm start &']),
    `${kubectl} apply -f ${example}`,
    `${kubectl} get myingress --watch`,
    'npm run --silent albridge -- status -A',
  ];
  return lines.map((line) => `  ${line}\n`).join('');
}

/** Says of each listener, once, how to send it a request. */
async function announceListeners(endpoint: string): Promise<never> {
  const standIn = new StandInControl(endpoint);
  const announced = new Set<string>();
  for (;;) {
    const open = (await standIn.listeners()).filter(({ address }) => !announced.has(address));
    for (const listener of open) {
      announced.add(listener.address);
      const whose = describeOwner(await standIn.balancer(listener.loadBalancerArn));
      say(`${whose}: listener ${listener.port} is open:\n\n  ${curlLine(listener)}\n`);
    }
    await sleep(1000);
  }
}

/** By the tags, since the name of a balancer is whatever the object says. */
function describeOwner(balancer: LoadBalancerSnapshot | undefined): string {
  const { name = 'a load balancer', tags = {} } = balancer ?? {};
  const owner = tags['albridge.io/name'];
  return owner === undefined ? name : `MyIngress ${tags['albridge.io/namespace']}/${owner}`;
}

function curlLine({ address, dnsName, port, protocol }: ListenerAddress): string {
  const isSecure = protocol === 'HTTPS';
  const url = `${protocol.toLowerCase()}://${dnsName}${port === (isSecure ? 443 : 80) ? '' : `:${port}`}/`;
  return `curl ${isSecure ? '--insecure ' : ''}--connect-to ::${address} ${url}`;
}

/** As one word of a shell. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

async function removeFiles(directory: string): Promise<void> {
  for (const name of ['kubeconfig', 'env']) await rm(join(directory, name), { force: true });
}

/** Both appear whole, and only when everything works: whoever waits for them may begin. */
async function writeFiles(directory: string, surroundings: Surroundings): Promise<void> {
  const { aws, controlPlane, operatorEnvironment } = surroundings;
  const environment = {
    ...aws.environment,
    ...WITH_SECRETS,
    ALBRIDGE_AWS_BUDGET: operatorEnvironment['ALBRIDGE_AWS_BUDGET'],
    ALBRIDGE_CERTIFICATES: (await importReadyCertificates(aws.environment)).join(','),
    KUBECTL: controlPlane.kubectlPath,
  };
  const lines = Object.entries(environment).map(([name, value]) => `${name}=${value}\n`);
  const kubeconfig = await readFile(controlPlane.kubeconfigPath, 'utf8');
  await writeWhole(join(directory, 'kubeconfig'), kubeconfig);
  await writeWhole(join(directory, 'env'), lines.join('') + envLines(aws.network));
}

async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.part`, text, { mode: 0o600 });
  await rename(`${path}.part`, path);
}

async function endOf(operator: OperatorProcess | undefined): Promise<never> {
  if (operator === undefined) return new Promise(() => {});
  const code = await operator.exited;
  const last = operator.log.slice(-3).map((line) => JSON.stringify(line));
  throw new Error(`the operator ended with ${code}; its last lines:\n${last.join('\n')}`);
}

function say(what: string): void {
  process.stdout.write(`sandbox: ${what}\n`);
}

/** undefined: there is nothing to do. */
async function readFlags(): Promise<Flags | undefined> {
  try {
    const { values } = parseArgs({ options: FLAGS });
    if (values.help) {
      process.stdout.write(HELP);
      return undefined;
    }
    if (values.dir === undefined) throw new Error('--dir DIR is missing');
    refuseEmpty('--dir', values.dir);
    if (values.budget !== 'aws' && values.budget !== 'off')
      throw new Error('--budget takes aws or off');
    const flags: Flags = {
      dir: resolve(values.dir),
      hasOperator: !values['no-operator'],
      budget: values.budget,
      provisioningMs: wholeNumber('--provisioning-ms', values['provisioning-ms']),
      nodes: wholeNumber('--nodes', values.nodes),
    };
    await makeWritable(flags.dir);
    return flags;
  } catch (error) {
    process.stderr.write(`sandbox: ${firstSentence(error)}; run with --help for usage\n`);
    process.exitCode = 2;
    return undefined;
  }
}

function wholeNumber(flag: string, text: string): number {
  const number = wholeNumberIn(text);
  if (Number.isSafeInteger(number)) return number;
  throw new Error(`${flag} takes a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`);
}
