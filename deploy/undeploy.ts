import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { escapeText } from '../src/cli/output/escape.ts';
import { HASH_KEY_NAME } from '../src/setup/secrets/hash-key.ts';
import {
  type CustomObject,
  isForAnnotation,
  isOperator,
  type Manifest,
  nameOf,
  objectsOf,
  operatorsIn,
  selectServed,
} from './custom-objects.ts';
import { PARAMETERS } from './guardrail-rules.ts';
import {
  describeObjects,
  type Installation,
  type Listed,
  listServed,
  Refusal,
  readInstallation,
  refuseElsewhere,
} from './installation.ts';
import { type Kubectl, KubectlError, kubectlWithin } from './kubectl.ts';
import { firstSentence, refuseEmpty, wholeNumberIn } from './no-arguments.ts';
import { survivePipesWithoutReader } from './unread-output.ts';

/** `npm run undeploy`: takes albridge out of the caller's cluster, in the order that leaks nothing. */

/** A day. */
const MOST_SECONDS = 86_400;

const HELP = `Removes albridge from the cluster of the current kubectl context: first the custom resources that it
serves, then, when AWS confirms that nothing is left of them, the operator, then policies and CRDs, unless
another albridge needs them. If a custom resource remains, it lists it, removes nothing else and
exits with 1.

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

survivePipesWithoutReader();
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

interface Cluster {
  readonly kubectl: Kubectl;
  readonly timeoutMs: number;
}

async function undeploy({ timeoutMs, kustomization, isRetaining }: Flags): Promise<void> {
  const kubectl = kubectlWithin(timeoutMs);
  const cluster: Cluster = { kubectl, timeoutMs };
  const installation = await readInstallation(kubectl, kustomization);
  const { manifests, kinds } = installation;
  const listAll: List = () => listServed(kubectl, kinds);
  const list: List = async () => (await listAll()).filter((object) => !isForAnnotation(object));
  refuseElsewhere(installation, await list());

  // First of all: what gives pods a readiness gate must not outlive the operator, which opens it.
  const gate = manifests.filter(isGatePolicy);
  await remove(cluster, 'the policy that gives pods a readiness gate', gate);
  const objects = await list();
  if (isRetaining) await retain(kubectl, objects);
  await removeObjects(cluster, objects, list);

  const isKept = installation.others.length > 0 ? isShared : (): boolean => false;
  const rest = manifests.filter((manifest) => !isKept(manifest) && !isParameters(manifest));
  // Their parameters cannot be deleted before them, and go with their namespace.
  await remove(cluster, 'the policies of the guardrails', rest.filter(isGuardrail));
  await remove(
    cluster,
    'the operator',
    rest.filter((manifest) => !isGuardrail(manifest)),
  );
  await remove(cluster, 'what the operator kept in its namespace', listKept(rest, installation));
  const followers = (await listAll()).filter(isForAnnotation);
  await remove(cluster, 'the ConfigMonitors of annotated ConfigMaps', followers);
  const late = await list();
  if (late.length > 0) {
    throw new Refusal(
      `came meanwhile, so the CRDs stay:\n${describeObjects(late)}\n` +
        `Apply ${kustomization} again, and run this again.`,
    );
  }
  await removeDefinitions(cluster, installation);
}

/** Its Lease and its key, which no directory has; a namespace that is removed takes them along. */
function listKept(
  removed: readonly Manifest[],
  { others }: Pick<Installation, 'others'>,
): readonly Manifest[] {
  const { namespace = 'default' } = removed.find(isOperator)?.metadata ?? {};
  const isRemoved = removed.some(
    ({ kind, metadata }) => kind === 'Namespace' && metadata.name === namespace,
  );
  // Operators of one namespace share them.
  const hasOther = others.some(({ metadata }) => metadata.namespace === namespace);
  if (isRemoved || hasOther) return [];
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
  const key = { apiVersion: 'v1', kind: 'Secret', metadata: { name: HASH_KEY_NAME, namespace } };
  return [
    { ...lease, metadata: { name: 'albridge', namespace } },
    ...(removed.some(mayHaveKey) ? [key] : []),
  ];
}

/** Else there is none, and the caller may have no right on Secrets. */
function mayHaveKey({ rules = [] }: Manifest): boolean {
  return rules.some(({ resourceNames = [] }) => resourceNames.includes(HASH_KEY_NAME));
}

/** A CRD takes all of its objects with it, and every operator of the cluster needs it. */
async function removeDefinitions(
  cluster: Cluster,
  { definitions, directory }: Installation,
): Promise<void> {
  // The CRDs of an installation for one namespace are those of the cluster.
  if (definitions.length === 0) return say(`nothing of ${directory} is left in the cluster`);
  const others = await findOthers(cluster.kubectl, definitions);
  if (others.length > 0) {
    say(
      'other operators or their objects need the CRDs and policies, which stay:\n' +
        describeObjects(others),
    );
    return say(`nothing else of ${directory} is left in the cluster`);
  }
  await remove(cluster, 'the CRDs', definitions);
  say('nothing of albridge is left in the cluster');
}

async function findOthers(
  kubectl: Kubectl,
  definitions: readonly Manifest[],
): Promise<readonly CustomObject[]> {
  const operators = await operatorsIn(kubectl);
  const lists = definitions.map(({ metadata }) => {
    const [plural = '', ...group] = metadata.name.split('.');
    return objectsOf(kubectl, { plural, group: group.join('.'), reach: 'everywhere' });
  });
  return [...operators, ...(await Promise.all(lists)).flat()];
}

type List = () => Promise<readonly Listed[]>;

function isGatePolicy({ kind }: Manifest): boolean {
  return kind.startsWith('MutatingAdmissionPolicy');
}

function isGuardrail({ kind, metadata }: Manifest): boolean {
  return (
    kind.startsWith('ValidatingAdmissionPolicy') && metadata.name.startsWith('albridge-guardrails-')
  );
}

/** Policies limit every ServiceAccount albridge, and the tenants of every operator. */
function isShared({ kind, metadata }: Manifest): boolean {
  if (kind === 'Namespace') return metadata.name === PARAMETERS.namespace;
  return kind.startsWith('ValidatingAdmissionPolicy');
}

function isParameters({ kind, metadata }: Manifest): boolean {
  return kind === 'ConfigMap' && metadata.namespace === PARAMETERS.namespace;
}

/** The operator lets go of a balancer when its object says so at the time of its deletion. */
async function retain(kubectl: Kubectl, objects: readonly Listed[]): Promise<void> {
  const patch = JSON.stringify({ spec: { deletionPolicy: 'Retain' } });
  for (const { of, metadata, status } of objects) {
    if (!of.hasDeletionPolicy) continue;
    const { name, namespace = '' } = metadata;
    const what = [nameOf(of), name, '--namespace', namespace];
    await kubectl(['patch', ...what, '--type=merge', '--patch', patch]);
    const left = escapeText(status?.alb?.arn ?? 'no load balancer');
    say(`${namespace}/${name} leaves behind ${left}`);
  }
}

async function removeObjects(
  cluster: Cluster,
  objects: readonly Listed[],
  list: List,
): Promise<void> {
  if (objects.length > 0) {
    say(`deleting ${objects.length} custom resources:\n${describeObjects(objects)}`);
    await deleteItems(cluster, objects, ['--wait=false']);
  }
  const startedMs = performance.now();
  for (let left = await list(); left.length > 0; left = await list()) {
    if (performance.now() - startedMs > cluster.timeoutMs) throw stillThere(left);
    await sleep(1000);
  }
  say(
    'no custom resource is left of the kinds that the operator serves, ' +
      'and so no load balancer that albridge made and was to delete',
  );
}

function stillThere(left: readonly Listed[]): Refusal {
  return new Refusal(
    `${left.length} custom resources remain, so the operator and the CRDs stay:\n${describeObjects(left)}\n` +
      'Do what their messages say; where there is none, see whether the operator runs. Then run this again.',
  );
}

async function remove(
  cluster: Cluster,
  what: string,
  manifests: readonly Manifest[],
): Promise<void> {
  if (manifests.length === 0) return;
  await deleteItems(cluster, manifests, [`--timeout=${cluster.timeoutMs / 1000}s`]);
  say(`removed ${what}: ${manifests.length} objects`);
}

async function deleteItems(
  cluster: Cluster,
  objects: readonly Manifest[],
  how: readonly string[],
): Promise<void> {
  const items = objects.map(({ apiVersion, kind, metadata: { name, namespace } }) => ({
    ...{ apiVersion, kind },
    metadata: { name, namespace },
  }));
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  try {
    await cluster.kubectl(['delete', '--ignore-not-found', '-f', '-', ...how], list);
  } catch (error) {
    if (!(error as Error).message.includes('no matches for kind "')) throw error;
    const served = await selectServed(cluster.kubectl, objects);
    if (served.length === objects.length) throw error;
    // kubectl has waited for none of the others then.
    if (served.length > 0) await deleteItems(cluster, served, how);
  }
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
