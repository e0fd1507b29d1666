import { parseArgs } from 'node:util';
import { firstSentence, wholeNumberIn } from '../../deploy/no-arguments.ts';
import { removeCallersSettings } from '../gates/clean-environment.ts';
import { Interrupted, interruption } from '../surroundings/interruption.ts';
import { Outsider } from '../surroundings/outsider.ts';
import { startPodRunner } from '../surroundings/pod-runner.ts';
import { installReadinessGates, WITH_READINESS_GATES } from '../surroundings/readiness-gates.ts';
import { installSecrets, WITH_SECRETS } from '../surroundings/secrets.ts';
import { StandInControl } from '../surroundings/stand-in-control.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { playCreation, playDeletion, playDrift, playEdit } from './balancer-scenes.ts';
import { playPods } from './pod-scenes.ts';
import { playSharing } from './sharing-scenes.ts';
import { Stage } from './stage.ts';
import { playTraffic } from './traffic-scenes.ts';

/** `npm run demo`: albridge's whole job on real parts, in about a minute and a half. */

const HELP = `Runs albridge against a real control plane and a stand-in for AWS, and checks every step.

Usage: npm run demo [-- --backend NAME] [--quota N]
  --backend NAME  stand-in for AWS: embedded (default), albridge's own, or localstack,
                  LocalStack's open runtime without Docker, which needs Python 3.10 and serves no traffic
  --quota N       quota of load balancers in the embedded account (default 50); the demo needs 4,
                  and with fewer it shows a failure
  --help          this text

Needs no cluster, no Docker and no AWS account. The first run may have to fetch or build the control
plane, and says so before it starts. Exits with 0 only if every step passed; stops everything that it
started, also on Ctrl-C.
`;

const BACKENDS = {
  embedded: 'the AWS stand-in (not LocalStack, not AWS)',
  localstack: "LocalStack's open runtime with moto's ELBv2 (not AWS)",
} as const;

// Nobody's real cluster or account is reached by trying things out.
removeCallersSettings(process.env);
const stage = new Stage(process.stdout);

const flags = readFlags();
if (flags !== undefined) await run(flags);

interface Flags {
  readonly backend: keyof typeof BACKENDS;
  readonly quota: number;
}

async function run(flags: Flags): Promise<void> {
  const startedMs = performance.now();
  const cleanUps: (() => Promise<unknown>)[] = [];
  const interrupted = interruption();
  interrupted.catch(() => {}); // raced below

  try {
    await Promise.race([play(flags, cleanUps), interrupted]);
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
    stage.say(`\nall ${stage.steps} steps passed in ${seconds} s`);
  } catch (error) {
    process.exitCode = error instanceof Interrupted ? 130 : 1;
    stage.say(`\n${(error as Error).message}`);
    if ((error as Error).cause !== undefined) stage.say(String((error as Error).cause));
  }
  stage.end();
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
  process.exit();
}

async function play(flags: Flags, cleanUps: (() => Promise<unknown>)[]): Promise<void> {
  const { backend } = flags;
  const surroundings = await stage.step(`start a real control plane and ${BACKENDS[backend]}`, () =>
    startAll(flags, cleanUps),
  );
  await stage.step('start the operator with the shipped RBAC and IAM policy', async () => {
    await installReadinessGates(surroundings.controlPlane);
    await installSecrets(surroundings.controlPlane);
    const components = { ...WITH_READINESS_GATES, ...WITH_SECRETS };
    await surroundings.startOperator({ ALBRIDGE_SWEEP_INTERVAL: '3s', ...components });
  });
  const outsider = new Outsider(surroundings.aws.environment);
  const scene = { stage, surroundings, outsider, takesTime: backend === 'embedded' };
  await playCreation(scene);
  await playDrift(scene);
  await playEdit(scene);
  await playDeletion(scene);
  // Only our own stand-in sends requests anywhere.
  if (backend === 'embedded') {
    const endpoint = surroundings.aws.environment['AWS_ENDPOINT_URL'] as string;
    const pods = startPodRunner(surroundings.controlPlane, endpoint);
    cleanUps.push(() => pods.stop());
    const served = { ...scene, standIn: new StandInControl(endpoint) };
    await playTraffic(served);
    await playSharing(served);
  }
  await playPods(scene);
}

async function startAll(
  { backend, quota }: Flags,
  cleanUps: (() => Promise<unknown>)[],
): Promise<Surroundings> {
  const say = (line: string): void => stage.note(line);
  const surroundings = await startSurroundings({
    ...{ backend, provisioningMs: 4000, quota, say },
    ...{ controllerManager: true, scheduler: true, nodes: 2 },
  });
  cleanUps.push(() => surroundings.stop());
  return surroundings;
}

/** undefined: there is nothing to play. */
function readFlags(): Flags | undefined {
  try {
    const options = {
      help: { type: 'boolean' },
      backend: { type: 'string', default: 'embedded' },
      quota: { type: 'string', default: '50' },
    } as const;
    const { values } = parseArgs({ options });
    const quota = wholeNumberIn(values.quota);
    if (!Number.isSafeInteger(quota))
      throw new Error(`--quota takes a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`);
    const { backend } = values;
    if (backend !== 'embedded' && backend !== 'localstack') {
      throw new Error('--backend takes embedded or localstack');
    }
    if (values.help !== true) return { backend, quota };
    process.stdout.write(HELP);
  } catch (error) {
    process.stderr.write(`demo: ${firstSentence(error)}; run with --help for usage\n`);
    process.exitCode = 2;
  }
  return undefined;
}
