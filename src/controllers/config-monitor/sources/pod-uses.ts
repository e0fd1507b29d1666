import type { KubeObject } from '../../../core/objects/kube-object.ts';
import { nameSource, type WatchedSource } from './watched-source.ts';

/** The part of https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/ that names sources. */
interface PodWithSources extends KubeObject {
  readonly spec?: {
    readonly containers?: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly volumes?: readonly Volume[];
  };
}

interface Container {
  readonly env?: readonly {
    readonly valueFrom?: { readonly configMapKeyRef?: KeyRef; readonly secretKeyRef?: KeyRef };
  }[];
  readonly envFrom?: readonly { readonly configMapRef?: Named; readonly secretRef?: Named }[];
  readonly volumeMounts?: readonly Mount[];
}

interface Named {
  readonly name?: string;
}

interface KeyRef extends Named {
  readonly key: string;
}

interface Mount {
  readonly name: string;
  readonly subPath?: string;
  readonly subPathExpr?: string;
}

interface Items {
  readonly items?: readonly { readonly key: string; readonly path: string }[];
}

interface Volume {
  readonly name: string;
  readonly configMap?: Named & Items;
  readonly secret?: Items & { readonly secretName?: string };
  readonly projected?: {
    readonly sources?: readonly {
      readonly configMap?: Named & Items;
      readonly secret?: Named & Items;
    }[];
  };
}

/** A pod of more uses keeps whole sources instead of keys, and the first of those. */
const MOST_USES = 256;
/** Whoever may create pods can fill a pod with names that no object can have. */
const LONGEST_USE = 520;

/**
 * The sources that the containers and init containers of a pod read, by env, envFrom and volumes, optional or
 * not: `Secret/db` for all keys, `Secret/db:password` for one. In the order of their names.
 */
export function listUses(pod: KubeObject): readonly string[] {
  const { containers = [], initContainers = [], volumes = [] } = (pod as PodWithSources).spec ?? {};
  const all = [...initContainers, ...containers];
  const mounts = all.flatMap(({ volumeMounts = [] }) => volumeMounts);
  const uses = new Set([
    ...all.flatMap(listUsesOfEnv),
    ...volumes.flatMap((volume) =>
      listUsesOfVolume(
        volume,
        mounts.filter(({ name }) => name === volume.name),
      ),
    ),
  ]);
  return boundUses([...uses].filter((use) => use.length <= LONGEST_USE));
}

function boundUses(uses: readonly string[]): readonly string[] {
  const whole = new Set(uses.filter((use) => !use.includes(':')));
  const needed = uses.filter((use) => whole.has(use) || !whole.has(getSourceName(use)));
  if (needed.length <= MOST_USES) return needed.toSorted();
  return [...new Set(needed.map(getSourceName))].toSorted().slice(0, MOST_USES);
}

/** `Secret/db:password` -> `Secret/db` */
export function getSourceName(use: string): string {
  const colon = use.indexOf(':');
  return colon === -1 ? use : use.slice(0, colon);
}

function listUsesOfEnv({ env = [], envFrom = [] }: Container): readonly string[] {
  return [
    ...env.flatMap(({ valueFrom: { configMapKeyRef: map, secretKeyRef: secret } = {} }) => [
      ...buildUses('ConfigMap', map?.name, map && [map.key]),
      ...buildUses('Secret', secret?.name, secret && [secret.key]),
    ]),
    ...envFrom.flatMap(({ configMapRef, secretRef }) => [
      ...buildUses('ConfigMap', configMapRef?.name),
      ...buildUses('Secret', secretRef?.name),
    ]),
  ];
}

function listUsesOfVolume(volume: Volume, mounts: readonly Mount[]): readonly string[] {
  const { configMap, secret, projected } = volume;
  const sources = projected?.sources ?? [];
  return [
    ...buildUses('ConfigMap', configMap?.name, listKeys(configMap, mounts)),
    ...buildUses('Secret', secret?.secretName, listKeys(secret, mounts)),
    ...sources.flatMap(({ configMap: map, secret: other }) => [
      ...buildUses('ConfigMap', map?.name, listKeys(map, mounts)),
      ...buildUses('Secret', other?.name, listKeys(other, mounts)),
    ]),
  ];
}

/**
 * The keys that can be read through these mounts; undefined for all. A subPath is one file, or the directory
 * of several items (https://kubernetes.io/docs/concepts/storage/volumes/#using-subpath).
 */
function listKeys(
  { items }: Items = {},
  mounts: readonly Mount[] = [],
): readonly string[] | undefined {
  const paths = mounts.map(({ subPath, subPathExpr }) => (subPathExpr ? '' : (subPath ?? '')));
  const isWhole = paths.length === 0 || paths.includes('');
  if (items === undefined || items.length === 0) return isWhole ? undefined : paths;
  const reached = items.filter(({ path }) => {
    return isWhole || paths.some((part) => path === part || path.startsWith(`${part}/`));
  });
  return reached.map(({ key }) => key);
}

function buildUses(
  kind: WatchedSource['kind'],
  name: string | undefined,
  keys?: readonly string[],
): readonly string[] {
  if (name === undefined) return [];
  const source = nameSource({ kind, name });
  return keys === undefined ? [source] : keys.map((key) => `${source}:${key}`);
}

/** Whether one of the uses is of this source, and of a key that counts. */
export function usesSource(uses: readonly string[] = [], source: WatchedSource): boolean {
  const name = nameSource(source);
  const { keys } = source;
  if (uses.includes(name)) return true;
  if (keys !== undefined) return keys.some((key) => uses.includes(`${name}:${key}`));
  return uses.some((use) => use.startsWith(`${name}:`));
}

/** Lists of the pods of many templates; when it is full it begins again. */
const MOST_LISTS = 4096;

/** Gives pods of the same uses the same list: thousands are made from one template. */
export class SharedUses {
  readonly #lists = new Map<string, readonly string[]>();

  share(uses: readonly string[]): readonly string[] {
    const text = uses.join();
    const known = this.#lists.get(text);
    if (known !== undefined) return known;
    if (this.#lists.size === MOST_LISTS) this.#lists.clear();
    const kept = Object.freeze([...uses]);
    this.#lists.set(text, kept);
    return kept;
  }
}
