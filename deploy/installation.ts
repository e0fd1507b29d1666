import {
  type CustomKind,
  type CustomObject,
  describeObject,
  isOperator,
  type Manifest,
  manifestsIn,
  needsOperator,
  objectsOf,
  operatorsIn,
  type Reach,
  readObject,
  servedKinds,
} from './custom-objects.ts';
import { type Kubectl, KubectlError } from './kubectl.ts';
import {
  type ConfigMap,
  findGrant,
  intersect,
  readServed,
  UnknownReach,
  unite,
  type Workload,
} from './reach.ts';

/** An installation of albridge: what its directory has, what runs in the cluster, and which objects it serves. */

export interface Installation {
  readonly directory: string;
  readonly isInCluster: boolean;
  /** Deployments of other albridges. Empty for a directory without CRDs: those of the cluster stay anyway. */
  readonly others: readonly Manifest[];
  /** All but the CRDs. */
  readonly manifests: readonly Manifest[];
  readonly definitions: readonly Manifest[];
  /** That it has rights on, and that the cluster serves. */
  readonly kinds: readonly ReachedKind[];
}

interface ReachedKind extends CustomKind {
  readonly reach: Reach;
}

export interface Listed extends CustomObject {
  readonly of: ReachedKind;
}

const DIRECTORY = 'the directory of the installation: deploy, or such as deploy/overlays/irsa';

/** A step could not be finished; the message says what is left and what to do. */
export class Refusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Refusal';
  }
}

/** Throws a Refusal unless the directory is that of an installation, with rights on the kind of every object that needs it. */
export async function readInstallation(kubectl: Kubectl, directory: string): Promise<Installation> {
  const all = await manifestsIn(kubectl, directory);
  const manifests = all.filter((manifest) => !isDefinition(manifest));
  const definitions = all.filter(isDefinition);
  const operator = manifests.find(isOperator) as Workload | undefined;
  if (operator === undefined) {
    throw definitions.length > 0 ? hasNoOperator(directory) : notInstalledFrom(directory);
  }
  const served = await servedKinds(kubectl);
  const granted = served.map((kind) => ({ ...kind, reach: findGrant(manifests, operator, kind) }));
  const kinds = granted.filter(({ reach }) => reach.length > 0);
  // Of an installation that is gone already there may be no kind left.
  if (kinds.length === 0 && served.length > 0) throw notInstalledFrom(directory);
  const running = await readObject<Workload>(kubectl, operator);
  const namespaces = await readNamespaces(kubectl, running ?? operator, manifests);
  const limit = (kind: ReachedKind, reach = kind.reach): ReachedKind => ({
    ...kind,
    reach: intersect(reach, namespaces),
  });
  const place = unite(kinds.map(({ reach }) => reach));
  const others = granted.filter((kind) => !kinds.includes(kind)).map((kind) => limit(kind, place));
  refuseOthers(await listAllowed(kubectl, others), directory);
  const isRunning = running !== undefined;
  const installation: Installation = {
    ...{ directory, manifests, definitions, isInCluster: isRunning },
    others: definitions.length === 0 ? [] : await findOtherOperators(kubectl, operator),
    kinds: kinds.map((kind) => limit(kind)),
  };
  if (isRunning && definitions.length > 0) await refuseUnserved(kubectl, installation);
  return installation;
}

async function findOtherOperators(
  kubectl: Kubectl,
  { metadata: { name, namespace } }: Manifest,
): Promise<readonly Manifest[]> {
  const all = await operatorsIn(kubectl);
  return all.filter(({ metadata: one }) => one.name !== name || one.namespace !== namespace);
}

/** Where a setting was narrowed they have what no operator would remove. */
async function refuseUnserved(
  kubectl: Kubectl,
  { kinds, others, directory }: Installation,
): Promise<void> {
  if (others.length > 0) return;
  const limited = kinds.filter(({ reach }) => reach !== 'everywhere');
  const everywhere = limited.map((kind) => ({ ...kind, reach: 'everywhere' as const }));
  const unserved = (await listAllowed(kubectl, everywhere)).filter((object) => {
    const reach = limited.find(({ plural }) => plural === object.of.plural)?.reach;
    return needsOperator(object) && !reach?.includes(object.metadata.namespace ?? '');
  });
  if (unserved.length === 0) return;
  throw new Refusal(
    `${directory} does not serve the namespaces of ${unserved.length} custom resources, which need an operator, and ` +
      `there is no other one, so nothing was deleted:\n${describeObjects(unserved)}\n` +
      'Add their namespaces to ALBRIDGE_NAMESPACES until they are deleted.',
  );
}

function isDefinition({ kind }: Manifest): boolean {
  return kind === 'CustomResourceDefinition';
}

function notInstalledFrom(directory: string): Refusal {
  return new Refusal(
    `${directory} does not have albridge's Deployment and its rights, so nothing was deleted; ` +
      `name ${DIRECTORY}`,
  );
}

/** An administrator installs such for operators of one namespace, which have to be gone first. */
function hasNoOperator(directory: string): Refusal {
  return new Refusal(
    `${directory} has CRDs and no operator, so nothing was deleted; once kubectl get albridge -A lists nothing, ` +
      `run kubectl delete -k ${directory}`,
  );
}

/** As set in the cluster; a ConfigMap that is not there, as the directory has it. */
async function readNamespaces(
  kubectl: Kubectl,
  operator: Workload,
  manifests: readonly Manifest[],
): Promise<Reach> {
  const { namespace = 'default' } = operator.metadata;
  try {
    return await readServed(operator, async (name) => {
      const map = { kind: 'ConfigMap', metadata: { name, namespace } };
      const isIt = ({ kind, metadata }: Manifest): boolean =>
        kind === map.kind && metadata.name === name && metadata.namespace === namespace;
      return (await readObject<ConfigMap>(kubectl, map)) ?? manifests.find(isIt);
    });
  } catch (error) {
    if (error instanceof UnknownReach) throw new Refusal(error.message);
    throw error;
  }
}

/** Without the operator its objects would keep what AWS has for them. */
function refuseOthers(objects: readonly Listed[], directory: string): void {
  const others = objects.filter(needsOperator);
  if (others.length === 0) return;
  throw new Refusal(
    `${directory} has no rights on the kinds of ${others.length} custom resources, which need the operator, ` +
      `so nothing was deleted:\n${describeObjects(others)}\n` +
      `Name ${DIRECTORY}.`,
  );
}

/** Nothing proves that the objects are those of an operator that does not run, and it would not let go of them. */
export function refuseElsewhere(
  { isInCluster, directory, manifests }: Installation,
  objects: readonly Listed[],
): void {
  const { name, namespace = 'default' } = manifests.find(isOperator)?.metadata ?? { name: '' };
  if (isInCluster || objects.length === 0) return;
  throw new Refusal(
    `the Deployment ${namespace}/${name} of ${directory} is not in the cluster, so nothing was deleted:\n` +
      `${describeObjects(objects)}\n` +
      `Name ${DIRECTORY}. If it is this one, apply it again first.`,
  );
}

/** All objects that the installation serves. */
export async function listServed(
  kubectl: Kubectl,
  kinds: readonly ReachedKind[],
): Promise<readonly Listed[]> {
  const lists = kinds.map(async (of) => {
    const objects = await objectsOf(kubectl, of);
    return objects.map((object) => ({ ...object, of }));
  });
  return (await Promise.all(lists)).flat();
}

/** An administrator of one namespace need not have the rights on kinds that are not served there. */
async function listAllowed(
  kubectl: Kubectl,
  kinds: readonly ReachedKind[],
): Promise<readonly Listed[]> {
  const lists = kinds.map((kind) =>
    listServed(kubectl, [kind]).catch((error: unknown) => {
      if (error instanceof KubectlError && error.message.includes('(Forbidden)')) return [];
      throw error;
    }),
  );
  return (await Promise.all(lists)).flat();
}

/** One line each. */
export function describeObjects(objects: readonly CustomObject[]): string {
  return objects.map((object) => `  ${describeObject(object)}`).join('\n');
}
