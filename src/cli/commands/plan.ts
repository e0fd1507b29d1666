import { createReadStream } from 'node:fs';
import { type MyIngress, myIngressKind } from '../../apis/my-ingress.ts';
import { createPreviewer } from '../../setup/previewer.ts';
import { openAccount } from '../account/account.ts';
import { readInstallation } from '../account/installation.ts';
import { silentLog } from '../cluster.ts';
import type { Command, CommandContext } from '../command.ts';
import { CommandError, UsageError } from '../errors.ts';
import { findKind } from '../objects/kinds.ts';
import { findObject, listAll } from '../objects/read.ts';
import { escapeText } from '../output/escape.ts';
import { planManifest, readAttaching } from '../plan/local-plans.ts';
import { type Manifests, readManifests, readManifestText } from '../plan/manifests.ts';
import { chooseExitCode, drawPlans } from '../plan/print-plans.ts';
import { hasPlan, readStoredPlan, type ShownPlan } from '../plan/stored-plan.ts';
import { withProgress } from '../progress.ts';

export const plan: Command = {
  name: 'plan',
  summary: 'show what would be written to AWS',
  operands: { usage: '[NAME]', min: 0, max: 1 },
  details:
    'With NAME, or -A for all objects in plan mode: the plan that the operator writes under the ' +
    'annotation albridge.io/mode: plan. With -f: the plan for manifests that are not applied yet, ' +
    'computed here with your rights and AWS credentials; nothing is written. The exit code is 0 ' +
    'if nothing would change, 2 if something would, and 1 if that is not known.',
  examples: [
    { line: 'plan shop -n web', what: 'the plan of one object in plan mode' },
    { line: 'plan -A -o json', what: 'of all objects in plan mode, for a script' },
    { line: 'plan -f shop.yaml', what: 'what an apply of this file would do' },
    { line: 'plan -f - < shop.yaml', what: 'the same from standard input' },
  ],
  options: {
    filename: {
      type: 'string',
      short: 'f',
      value: 'FILE',
      help: 'plan the MyIngresses of this file, or of standard input with -',
    },
  },
  run,
};

async function run(context: CommandContext): Promise<number> {
  const { output, surroundings } = context;
  const plans = await withProgress('planning', surroundings, () => collectPlans(context));
  output.print(plans, (style) => drawPlans(plans, style, output.columns));
  for (const { namespace, name, failure } of plans) {
    if (failure === undefined) continue;
    surroundings.stderr.write(
      `albridge: ${escapeText(`MyIngress ${namespace}/${name}: ${failure}`)}\n`,
    );
  }
  return chooseExitCode(plans);
}

function collectPlans(context: CommandContext): Promise<readonly ShownPlan[]> {
  const { flags, operands } = context;
  const [name] = operands;
  const file = flags.text('filename');
  const ways = [name !== undefined, file !== undefined, flags.isOn('all-namespaces')];
  if (ways.filter(Boolean).length !== 1) {
    throw new UsageError('give one of NAME, -A and -f FILE; albridge plan --help has examples');
  }
  if (file !== undefined) return planFile(file, context);
  return name === undefined ? readAll(context) : readOne(name, context);
}

async function readOne(operand: string, context: CommandContext): Promise<readonly ShownPlan[]> {
  const { object } = await findObject(operand, context, findKind(myIngressKind.kind));
  return [readStoredPlan(object as MyIngress)];
}

async function readAll(context: CommandContext): Promise<readonly ShownPlan[]> {
  const { signal } = context;
  const items = await listAll<MyIngress>(context.cluster().client, { kind: myIngressKind }, signal);
  return items.filter(hasPlan).map(readStoredPlan);
}

async function planFile(file: string, context: CommandContext): Promise<readonly ShownPlan[]> {
  const { clock, signal, surroundings } = context;
  const { client } = context.cluster();
  const { myIngresses, otherKinds } = await readFileOf(file, context);
  const installation = await readInstallation(client, { env: surroundings.env, signal });
  // One that was not read may serve what none of the others does.
  const known = installation.leftOut === 0 ? installation.operators : [];
  const settings = known.map(({ env }) => env);
  const attaching = await readAttaching(client, settings, signal);
  const left = otherKinds.length === 0 ? [] : [`left out: ${otherKinds.join(', ')}`];
  for (const warning of [...installation.warnings, ...attaching.warnings, ...left]) {
    surroundings.stderr.write(`warning: ${escapeText(warning)}\n`);
  }
  const aws = openAccount(installation.aws, { clock });
  try {
    const preview = await createPreviewer({
      ...{ ...attaching, aws, clock, log: silentLog },
      ...{ settings: installation.aws, cluster: installation.clusterId },
    });
    const serving = installation.serving.map(({ env }) => env);
    const parts = { client, preview, signal, operators: settings, serving };
    const { areWebAppsKnown } = attaching;
    const plans: ShownPlan[] = [];
    for (const manifest of myIngresses) {
      plans.push(await planManifest(manifest, { ...parts, areWebAppsKnown }));
    }
    return plans;
  } finally {
    aws.close();
  }
}

async function readFileOf(file: string, context: CommandContext): Promise<Manifests> {
  const { flags, surroundings } = context;
  const isInput = file === '-';
  const source = isInput ? 'standard input' : file;
  const place = {
    source,
    namespace: context.cluster().namespace ?? 'default',
    only: flags.text('namespace'),
  };
  try {
    const stream = isInput ? surroundings.stdin : createReadStream(file);
    return readManifests(await readManifestText(stream, source), place);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new CommandError(
      `${source} cannot be read (${code}): give the path of a file with manifests, or -`,
      error,
    );
  }
}
