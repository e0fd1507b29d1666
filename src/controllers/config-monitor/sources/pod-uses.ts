import { createHash } from 'node:crypto';
import { getController, type KubeObject } from '../../../core/objects/kube-object.ts';
import { nameSource, type WatchedSource } from './watched-source.ts';

/** The part of https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/ that names sources. */
interface PodWithSources extends KubeObject {
  readonly spec?: {
    readonly restartPolicy?: string;
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

/** By source, such as `Secret/db`: the keys that are read, or all of them. */
export type PodUses = ReadonlyMap<string, ReadonlySet<string> | 'all'>;

/** The first so many of a pod count. */
const MOST_SOURCES = 128;
/** A pod that names more of them, or a longer text in all, reads whole sources. */
const MOST_KEYS = 128;
const LONGEST_KEYS = 4096;
/** More of one volume count as the whole volume. */
const MOST_PATHS = 64;
const LONGEST_PATH = 512;
/** Of what may be a ConfigMap or Secret: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-subdomain-names */
const NAME = /^[a-z0-9][-a-z0-9.]{0,252}$/;
/** https://kubernetes.io/docs/concepts/configuration/configmap/#configmap-object */
const KEY = /^[-._a-zA-Z0-9]{1,253}$/;

/**
 * The sources that the containers and init containers of a pod read, by env, envFrom and volumes, optional or
 * not. In doubt a whole source is read. Takes time and memory in proportion to the pod, whoever wrote it. None of a
 * pod that runs to its end: it is not restarted for them.
 */
export function listUses(pod: KubeObject): PodUses {
  if (runsToItsEnd(pod)) return new Map();
  const { containers = [], initContainers = [], volumes = [] } = (pod as PodWithSources).spec ?? {};
  const all = [...initContainers, ...containers];
  const uses = new Collector();
  for (const container of all) collectFromEnv(container, uses);
  const paths = mapPaths(all);
  for (const volume of volumes) {
    for (const source of listVolumeSources(volume)) {
      if (source.name !== undefined) collectItems(source, paths.get(volume.name), uses);
    }
  }
  return uses.finish();
}

/** For a controller such as that of Tekton or Argo Workflows, whose run would fail without it. */
function runsToItsEnd(pod: KubeObject): boolean {
  const { restartPolicy = 'Always' } = (pod as PodWithSources).spec ?? {};
  return restartPolicy !== 'Always' && getController(pod) !== undefined;
}

class Collector {
  readonly #uses = new Map<string, Set<string> | 'all'>();
  #keys = 0;
  #length = 0;

  add(kind: WatchedSource['kind'], name: string | undefined, key?: string): void {
    if (name === undefined || !NAME.test(name)) return;
    const source = nameSource({ kind, name });
    const known = this.#uses.get(source);
    if (known === 'all' || (known === undefined && this.#uses.size === MOST_SOURCES)) return;
    if (key === undefined || !KEY.test(key) || this.hasManyKeys) this.#uses.set(source, 'all');
    else this.#addKey(source, known ?? new Set(), key);
  }

  get hasManyKeys(): boolean {
    return this.#keys >= MOST_KEYS || this.#length >= LONGEST_KEYS;
  }

  /** The same for the same uses, in whatever order a pod names them. */
  finish(): PodUses {
    const sorted = [...this.#uses].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return new Map(
      sorted.map(([source, keys]) => {
        const isWhole = keys === 'all' || this.hasManyKeys;
        return [source, isWhole ? 'all' : new Set([...keys].toSorted())] as const;
      }),
    );
  }

  #addKey(source: string, keys: Set<string>, key: string): void {
    this.#uses.set(source, keys);
    if (keys.has(key)) return;
    keys.add(key);
    this.#keys += 1;
    this.#length += key.length;
  }
}

function collectFromEnv({ env = [], envFrom = [] }: Container, uses: Collector): void {
  for (const { valueFrom } of env) if (valueFrom !== undefined) collectKeys(valueFrom, uses);
  for (const { configMapRef, secretRef } of envFrom) {
    uses.add('ConfigMap', configMapRef?.name);
    uses.add('Secret', secretRef?.name);
  }
}

function collectKeys(
  { configMapKeyRef, secretKeyRef }: { configMapKeyRef?: KeyRef; secretKeyRef?: KeyRef },
  uses: Collector,
): void {
  uses.add('ConfigMap', configMapKeyRef?.name, configMapKeyRef?.key);
  uses.add('Secret', secretKeyRef?.name, secretKeyRef?.key);
}

/** The parts of a volume that are mounted, as paths in it; undefined for the whole of it. */
type Paths = ReadonlySet<string> | undefined;

/** By volume; a volume that nobody mounts is missing. */
function mapPaths(containers: readonly Container[]): ReadonlyMap<string, Paths> {
  const byVolume = new Map<string, Set<string> | undefined>();
  for (const { name, subPath, subPathExpr } of containers.flatMap(
    (one) => one.volumeMounts ?? [],
  )) {
    const paths = byVolume.has(name) ? byVolume.get(name) : new Set<string>();
    const path = subPathExpr ? undefined : normalizePath(subPath ?? '');
    const isWhole = path === undefined || paths === undefined || paths.size === MOST_PATHS;
    byVolume.set(name, isWhole ? undefined : paths.add(path));
  }
  return byVolume;
}

/** `./etc//a/` -> `etc/a`; undefined for the whole volume, and for paths with `..` or through `..data`. */
function normalizePath(path: string): string | undefined {
  if (path.length > LONGEST_PATH) return undefined;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  const isPlain = parts.length > 0 && !parts.some((part) => part.startsWith('..'));
  return isPlain ? parts.join('/') : undefined;
}

interface VolumeSource extends Items {
  readonly kind: WatchedSource['kind'];
  readonly name: string | undefined;
}

function listVolumeSources({ configMap, secret, projected }: Volume): readonly VolumeSource[] {
  const sources = (projected?.sources ?? []).flatMap((one) => [
    { ...one.configMap, kind: 'ConfigMap' as const, name: one.configMap?.name },
    { ...one.secret, kind: 'Secret' as const, name: one.secret?.name },
  ]);
  return [
    { ...configMap, kind: 'ConfigMap', name: configMap?.name },
    { ...secret, kind: 'Secret', name: secret?.secretName },
    ...sources,
  ];
}

/**
 * The keys that can be read through these paths. A subPath is one file, or the directory of several items
 * (https://kubernetes.io/docs/concepts/storage/volumes/#using-subpath). Where none is reached all of them count.
 */
function collectItems(
  { kind, name, items = [] }: VolumeSource,
  paths: Paths,
  uses: Collector,
): void {
  const reached = paths === undefined ? items : items.filter(({ path }) => isReached(path, paths));
  const ofItems = (reached.length > 0 ? reached : items).map(({ key }) => key);
  const keys = items.length > 0 ? ofItems : [...(paths ?? [undefined])];
  for (const key of keys) {
    if (uses.hasManyKeys) return uses.add(kind, name);
    uses.add(kind, name, key);
  }
}

function isReached(path: string, paths: ReadonlySet<string>): boolean {
  const normal = normalizePath(path);
  if (normal === undefined) return true;
  for (let end = normal.length; end > 0; end = normal.lastIndexOf('/', end - 1)) {
    if (paths.has(normal.slice(0, end))) return true;
  }
  return false;
}

/** Whether the source is among the uses, with a key that counts. */
export function usesSource(uses: PodUses | undefined, source: WatchedSource): boolean {
  const used = uses?.get(nameSource(source));
  const { keys } = source;
  if (used === undefined) return false;
  return used === 'all' || keys === undefined || keys.some((key) => used.has(key));
}

/** So many before those that no pod has any more are looked for. */
const MANY = 1024;

/** Gives pods of the same uses the same object: thousands are made from one template. Keeps what a pod has, and no more. */
export class SharedUses {
  readonly #known = new Map<string, WeakRef<PodUses>>();
  #lookAt = MANY;

  share(uses: PodUses): PodUses {
    const text = JSON.stringify(
      [...uses].map(([source, keys]) => [source, keys === 'all' ? keys : [...keys]]),
    );
    const digest = createHash('sha256').update(text).digest('base64');
    const known = this.#known.get(digest)?.deref();
    if (known !== undefined) return known;
    if (this.#known.size >= this.#lookAt) this.#forget();
    this.#known.set(digest, new WeakRef(uses));
    return uses;
  }

  #forget(): void {
    for (const [digest, reference] of this.#known) {
      if (reference.deref() === undefined) this.#known.delete(digest);
    }
    this.#lookAt = Math.max(MANY, 2 * this.#known.size);
  }
}
