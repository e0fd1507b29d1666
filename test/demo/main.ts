import { parseArgs } from 'node:util';
import { Interrupted, interruption } from '../surroundings/interruption.ts';
import { Outsider } from '../surroundings/outsider.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { playCreation, playDeletion, playDrift, playEdit } from './scenes.ts';
import { Stage } from './stage.ts';

/** `npm run demo`: albridge's whole job on real parts, in about a minute. */

const HELP = `Plays albridge's job on a real control plane and a stand-in for AWS, and checks every step.

Usage: npm run demo

Needs no cluster, no Docker and no AWS account. The first run may have to fetch or build the control
plane, which it says before it begins. Ends with 0 only if every step came out; stops everything it
started, also on Ctrl-C.
`;

const stage = new Stage(process.stdout);

if (hasHelpFlag()) process.stdout.write(HELP);
else await run();

async function run(): Promise<void> {
  const startedMs = performance.now();
  const cleanUps: (() => Promise<unknown>)[] = [];
  const interrupted = interruption();
  interrupted.catch(() => {}); // raced below

  try {
    await Promise.race([play(cleanUps), interrupted]);
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
    stage.say(`\nall ${stage.steps} steps came out in ${seconds} s`);
  } catch (error) {
    process.exitCode = error instanceof Interrupted ? 130 : 1;
    stage.say(`\n${(error as Error).message}`);
    if ((error as Error).cause !== undefined) stage.say(String((error as Error).cause));
  }
  stage.end();
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
  process.exit();
}

async function play(cleanUps: (() => Promise<unknown>)[]): Promise<void> {
  const surroundings = await stage.step(
    'start a real control plane, and the AWS stand-in (not LocalStack, not AWS)',
    () => startAll(cleanUps),
  );
  await stage.step('start the operator with the rights that are shipped', async () => {
    await surroundings.startOperator({ ALBRIDGE_SWEEP_INTERVAL: '3s' });
  });
  const outsider = new Outsider(surroundings.aws.environment);
  const scene = { stage, surroundings, outsider };
  await playCreation(scene);
  await playDrift(scene);
  await playEdit(scene);
  await playDeletion(scene);
}

async function startAll(cleanUps: (() => Promise<unknown>)[]): Promise<Surroundings> {
  const surroundings = await startSurroundings({ provisioningMs: 3000 });
  cleanUps.push(() => surroundings.stop());
  return surroundings;
}

function hasHelpFlag(): boolean {
  try {
    return parseArgs({ options: { help: { type: 'boolean' } } }).values.help ?? false;
  } catch (error) {
    process.stderr.write(`demo: ${(error as Error).message}\n`);
    process.exit(2);
  }
}
