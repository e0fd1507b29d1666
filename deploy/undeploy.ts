import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  type CustomKind,
  type CustomObject,
  describeObject,
  type Manifest,
  manifestsIn,
  needsOperator,
  objectsOf,
  servedKinds,
} from './custom-objects.ts';
import { PARAMETERS } from './guardrail-rules.ts';
import { KubectlError, kubectl } from './kubectl.ts';
import { firstSentence, refuseEmpty, wholeNumberIn } from './no-arguments.ts';

/** `npm run undeploy`: takes albridge out of the caller's cluster, in the order that leaks nothing. */

/** A day. */
const MOST_SECONDS = 86_400;

const INSTALLATION = 'the directory of the installation: deploy, or such as deploy/overlays/irsa';

const HELP = `Removes albridge from the cluster of the current kubectl context: first its custom resources, then,
when AWS confirms that nothing is left of them, the operator, then the CRDs. If a custom resource
remains, it lists it, removes nothing else and exits with 1.

Usage: npm run undeploy [-- --retain] [--kustomization DIR] [--timeout SECONDS]
  --retain             leaves the load balancers in AWS, without albridge's tags
  --kustomization DIR  the directory that you applied (default deploy)
  --timeout SECONDS    how long each step may take, ${MOST_SECONDS} at most (default 600)
  --help               this text

docs/uninstall.md has the same steps for kubectl alone.
`;

interface Flags {
  readonly isRetaining: boolean;
  readonly kustomization: string;
  readonly timeoutMs: number;
}

/** A step could not be finished; the message says what is left and what to do. */
class Refusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Refusal';
  }
}

const flags = readFlags();
if (flags !== undefined) await run(flags);

async function run(flags: Flags): Promise<void> {
  try {
    await undeploy(flags);
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof KubectlError)) throw error;
    process.stderr.write(`undeploy: ${error.message}\n`);
    process.exitCode = 1;
  }
}

async function undeploy(flags: Flags): Promise<void> {
  const manifests = await manifestsIn(flags.kustomization);
  const isDefinition = ({ kind }: Manifest): boolean => kind === 'CustomResourceDefinition';
  const operator = manifests.filter((manifest) => !isDefinition(manifest));
  const deployment = operator.find(isOperator);
  if (deployment === undefined) {
    throw manifests.some(isDefinition)
      ? hasNoOperator(flags.kustomization)
      : notInstalledFrom(flags.kustomization);
  }
  const kinds = await servedKinds(operator);
  const others = kinds.filter(({ isGranted }) => !isGranted);
  // Of an installation that is gone already there may be no kind left.
  if (others.length > 0 && others.length === kinds.length)
    throw notInstalledFrom(flags.kustomization);
  const place = findPlace(operator, deployment);
  refuseOthers(await listAllowed(others, place), flags.kustomization);
  const list: List = () =>
    listAll(
      kinds.filter(({ isGranted }) => isGranted),
      place,
    );

  // First of all: whoever gives pods a readiness gate must not outlive the operator, which opens it.
  await remove(
    'the policy that gives pods a readiness gate',
    operator.filter(isGatePolicy),
    flags.timeoutMs,
  );
  const objects = await list();
  if (objects.some(needsOperator)) await refuseElsewhere(deployment, flags.kustomization);
  if (flags.isRetaining) await retain(objects);
  await removeObjects(objects, list, flags.timeoutMs);

  // Their parameters cannot be deleted before them, and go with their namespace.
  await remove('the policies of the guardrails', operator.filter(isGuardrail), flags.timeoutMs);
  const rest = operator.filter((manifest) => !isGuardrail(manifest) && !isParameters(manifest));
  await remove('the operator', rest, flags.timeoutMs);
  const late = await list();
  if (late.length > 0) throw new Refusal(`came meanwhile, so the CRDs stay:\n${lines(late)}`);
  const definitions = manifests.filter(isDefinition);
  await remove('the CRDs', definitions, flags.timeoutMs);
  // The CRDs of an installation for one namespace are those of the cluster.
  const whose = definitions.length > 0 ? 'albridge' : flags.kustomization;
  say(`nothing of ${whose} is left in the cluster`);
}

/** By its label, which a kustomization that changes names leaves as it is. */
function isOperator({ kind, metadata }: Manifest): boolean {
  return kind === 'Deployment' && metadata.labels?.['app.kubernetes.io/name'] === 'albridge';
}

function notInstalledFrom(directory: string): Refusal {
  return new Refusal(
    `${directory} does not have albridge's Deployment and its rights, so nothing was deleted; ` +
      `name ${INSTALLATION}`,
  );
}

/** An administrator installs such for operators of one namespace, which have to be gone first. */
function hasNoOperator(directory: string): Refusal {
  return new Refusal(
    `${directory} has CRDs and no operator, so nothing was deleted; once kubectl get albridge -A lists nothing, ` +
      `run kubectl delete -k ${directory}`,
  );
}

/** Nobody could let go of what AWS has for them once the operator is gone. */
function refuseOthers(objects: readonly Listed[], directory: string): void {
  const others = objects.filter((object) => !object.of.isGranted && needsOperator(object));
  if (others.length === 0) return;
  throw new Refusal(
    `${directory} has no rights on the kinds of ${others.length} custom resources, which need the operator, ` +
      `so nothing was deleted:\n${lines(others)}\n` +
      `Name ${INSTALLATION}.`,
  );
}

function isGatePolicy({ kind }: Manifest): boolean {
  return kind.startsWith('MutatingAdmissionPolicy');
}

function isGuardrail({ kind, metadata }: Manifest): boolean {
  return (
    kind.startsWith('ValidatingAdmissionPolicy') && metadata.name.startsWith('albridge-guardrails-')
  );
}

function isParameters({ kind, metadata }: Manifest): boolean {
  return kind === 'ConfigMap' && metadata.namespace === PARAMETERS.namespace;
}

interface Listed extends CustomObject {
  readonly of: CustomKind;
}

type List = () => Promise<readonly Listed[]>;

/** Undefined: all namespaces. An installation without a ClusterRole serves its own, and others are not its business. */
function findPlace(operator: readonly Manifest[], { metadata }: Manifest): string | undefined {
  const isClusterWide = operator.some(({ kind }) => kind === 'ClusterRole');
  return isClusterWide ? undefined : metadata.namespace;
}

async function listAll(
  kinds: readonly CustomKind[],
  namespace: string | undefined,
): Promise<readonly Listed[]> {
  const lists = kinds.map(async (of) => {
    const objects = await objectsOf(of, namespace);
    return objects.map((object) => ({ ...object, of }));
  });
  return (await Promise.all(lists)).flat();
}

/** Whoever installs for one namespace need not have the rights on kinds that it does not serve. */
async function listAllowed(
  kinds: readonly CustomKind[],
  namespace: string | undefined,
): Promise<readonly Listed[]> {
  const lists = kinds.map((kind) =>
    listAll([kind], namespace).catch((error: unknown) => {
      if (error instanceof KubectlError && error.message.includes('(Forbidden)')) return [];
      throw error;
    }),
  );
  return (await Promise.all(lists)).flat();
}

/** Of another installation the operator would let go of these objects, and stay. */
async function refuseElsewhere({ metadata }: Manifest, directory: string): Promise<void> {
  const { name, namespace = 'default' } = metadata;
  const where = ['deployment', name, '--namespace', namespace];
  const found = await kubectl(['get', ...where, '--ignore-not-found', '-o', 'name']);
  if (found.trim() !== '') return;
  throw new Refusal(
    `the Deployment ${namespace}/${name} of ${directory} is not in the cluster, so nothing was deleted; ` +
      `name ${INSTALLATION}`,
  );
}

/** The operator lets go of a balancer when its object says so at the time of its deletion. */
async function retain(objects: readonly Listed[]): Promise<void> {
  const patch = JSON.stringify({ spec: { deletionPolicy: 'Retain' } });
  for (const { of, metadata, status } of objects) {
    if (!of.hasDeletionPolicy) continue;
    const { name, namespace = '' } = metadata;
    const what = [`${of.plural}.${of.group}`, name, '--namespace', namespace];
    await kubectl(['patch', ...what, '--type=merge', '--patch', patch]);
    say(`${namespace}/${name} leaves behind ${status?.alb?.arn ?? 'no load balancer'}`);
  }
}

async function removeObjects(
  objects: readonly Listed[],
  list: List,
  timeoutMs: number,
): Promise<void> {
  if (objects.length > 0) {
    say(`deleting ${objects.length} custom resources:\n${lines(objects)}`);
    const items = objects.map(({ apiVersion, kind, metadata: { name, namespace = '' } }) => ({
      apiVersion,
      kind,
      metadata: { name, namespace },
    }));
    await deleteItems(items, ['--wait=false']);
  }
  const startedMs = performance.now();
  for (let left = await list(); left.length > 0; left = await list()) {
    if (performance.now() - startedMs > timeoutMs) throw stillThere(left);
    await sleep(1000);
  }
  say(
    'no custom resource is left of the kinds that the operator serves, ' +
      'and so no load balancer that albridge made and was to delete',
  );
}

function stillThere(left: readonly Listed[]): Refusal {
  return new Refusal(
    `${left.length} custom resources remain, so the operator and the CRDs stay:\n${lines(left)}\n` +
      'Do what their messages say; where there is none, see whether the operator runs. Then run this again.',
  );
}

async function remove(
  what: string,
  manifests: readonly Manifest[],
  timeoutMs: number,
): Promise<void> {
  if (manifests.length === 0) return;
  await deleteItems(manifests, [`--timeout=${timeoutMs / 1000}s`]);
  say(`removed ${what}: ${manifests.length} objects`);
}

async function deleteItems(items: readonly Manifest[], how: readonly string[]): Promise<void> {
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await kubectl(['delete', '--ignore-not-found', '-f', '-', ...how], list);
}

function lines(objects: readonly Listed[]): string {
  return objects.map((object) => `  ${describeObject(object)}`).join('\n');
}

function say(what: string): void {
  process.stdout.write(`undeploy: ${what}\n`);
}

/** undefined: there is nothing to do. */
function readFlags(): Flags | undefined {
  const options = {
    retain: { type: 'boolean', default: false },
    kustomization: { type: 'string', default: 'deploy' },
    timeout: { type: 'string', default: '600' },
    help: { type: 'boolean' },
  } as const;
  try {
    const { values } = parseArgs({ options });
    const seconds = wholeNumberIn(values.timeout);
    if (!(seconds >= 1 && seconds <= MOST_SECONDS)) {
      throw new Error(`--timeout takes a whole number of seconds from 1 to ${MOST_SECONDS}`);
    }
    refuseEmpty('--kustomization', values.kustomization);
    const { retain: isRetaining, kustomization } = values;
    if (values.help !== true) return { isRetaining, kustomization, timeoutMs: seconds * 1000 };
    process.stdout.write(HELP);
  } catch (error) {
    process.stderr.write(`undeploy: ${firstSentence(error)}; run with --help for usage\n`);
    process.exitCode = 2;
  }
  return undefined;
}
