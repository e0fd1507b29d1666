import { openAccount } from '../account/account.ts';
import { readInstallation } from '../account/installation.ts';
import {
  type Adopter,
  composeConsentTags,
  composeTagCommand,
  listWarnings,
  refuseUnadoptable,
} from '../adopt/consent.ts';
import { composeManifest } from '../adopt/manifest.ts';
import { observeBalancer } from '../adopt/observe-balancer.ts';
import { type Printed, printAdoption } from '../adopt/print-adoption.ts';
import { suggestTraffic } from '../adopt/suggest-traffic.ts';
import type { Command, CommandContext } from '../command.ts';
import { CommandError, exitCodes, UsageError } from '../errors.ts';
import { isObjectName, LONGEST_NAME } from '../objects/names.ts';
import { readMyIngress } from '../objects/read.ts';
import { escapeText } from '../output/escape.ts';
import { withProgress } from '../progress.ts';

export const adopt: Command = {
  name: 'adopt',
  summary: 'print tags and manifest that adopt an existing load balancer',
  operands: { usage: 'ARN --name NAME', min: 1, max: 1 },
  details:
    'The manifest leaves the load balancer as it is; comments have the tags by which its owner ' +
    'agrees, and its listeners, rules and target groups as far as a spec can express them. Nothing is ' +
    'written.',
  examples: [
    {
      line: 'adopt "$ARN" -n web --name shop > shop.yaml',
      what: 'write the manifest into a file, then follow its comments',
    },
  ],
  options: {
    name: { type: 'string', value: 'NAME', help: 'the name of the MyIngress that is to adopt it' },
  },
  run,
};

async function run(context: CommandContext): Promise<number> {
  const { output, surroundings } = context;
  const printed = await withProgress('reading the load balancer', surroundings, () =>
    compose(context),
  );
  output.print(describe(printed), () => printAdoption(printed));
  return exitCodes.done;
}

async function compose(context: CommandContext): Promise<Printed> {
  const { clock, signal, surroundings } = context;
  const { arn, region, name, namespace } = readAsked(context);
  const { client } = context.cluster();
  const search = { env: surroundings.env, namespace, signal };
  const installation = await readInstallation(client, search);
  const { aws, clusterId: cluster } = installation;
  for (const warning of installation.warnings) {
    surroundings.stderr.write(`warning: ${escapeText(warning)}\n`);
  }
  if (region !== aws.region) {
    throw new CommandError(
      `the load balancer is in ${region} and AWS_REGION is ${aws.region}: set AWS_REGION to ${region}, where the operator has to work too`,
    );
  }
  const adopter = { cluster, namespace, name };
  await refuseTaken(context, adopter, arn);
  const account = openAccount(aws, { clock });
  try {
    const balancer = await observeBalancer(account, arn, signal);
    refuseUnadoptable(balancer.loadBalancer, balancer.tags, adopter);
    return {
      arn,
      consent: composeConsentTags(adopter),
      adoption: composeManifest(balancer, adopter),
      listenerArns: balancer.listeners.map(({ listener }) => listener.arn),
      traffic: suggestTraffic(balancer),
      warnings: listWarnings(installation, balancer.tags),
    };
  } finally {
    account.close();
  }
}

/** https://docs.aws.amazon.com/service-authorization/latest/reference/list_awselasticloadbalancingv2.html */
const ARN =
  /^arn:aws[a-z-]*:elasticloadbalancing:([a-z0-9-]+):\d{12}:loadbalancer\/(\w+)\/[\w-]{1,32}\/\w+$/;

interface Asked {
  readonly arn: string;
  readonly region: string;
  readonly name: string;
  readonly namespace: string;
}

function readAsked(context: CommandContext): Asked {
  const { flags, operands } = context;
  const [arn = ''] = operands;
  const region = readRegion(arn);
  const name = flags.text('name');
  if (name === undefined) throw new UsageError('--name NAME is missing: it names the MyIngress');
  checkName(name);
  const { namespace } = context.cluster();
  if (namespace === undefined) throw new UsageError('give one namespace, not -A');
  return { arn, region, name, namespace };
}

/** The region of an application load balancer. */
function readRegion(arn: string): string {
  const [, region, type] = ARN.exec(arn) ?? [];
  if (region === undefined) {
    throw new UsageError(
      `"${arn}" is not the ARN of a load balancer: aws elbv2 describe-load-balancers lists them`,
    );
  }
  if (type === 'app') return region;
  throw new UsageError(
    `"${arn}" is not an application load balancer, and albridge adopts no other: aws elbv2 describe-load-balancers lists them with their type`,
  );
}

function checkName(name: string): void {
  if (isObjectName(name)) return;
  if (name.length > LONGEST_NAME)
    throw new UsageError(`--name takes at most ${LONGEST_NAME} characters, not ${name.length}`);
  throw new UsageError(
    `--name takes lower-case letters, digits, "-" and ".", and begins and ends with a letter or digit, not "${name}"`,
  );
}

/** `spec.adopt` may be added as long as an object has no balancer. */
async function refuseTaken(
  context: CommandContext,
  { namespace, name }: Adopter,
  arn: string,
): Promise<void> {
  const { client } = context.cluster();
  const held = (await readMyIngress(client, { namespace, name }, context.signal))?.status?.alb?.arn;
  if (held === undefined) return;
  const holder = `MyIngress ${namespace}/${name} holds`;
  throw new CommandError(
    held === arn
      ? `${holder} it already: nothing is left to do`
      : `${holder} another load balancer, ${held}: give another --name`,
  );
}

function describe({ adoption, arn, consent, listenerArns, traffic, warnings }: Printed): object {
  return {
    tags: consent,
    command: composeTagCommand([arn], consent),
    manifest: adoption.manifest,
    leftOut: adoption.remarks,
    traffic: { listeners: listenerArns, spec: traffic.spec, cannotSay: traffic.remarks },
    warnings,
  };
}
