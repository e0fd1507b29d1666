import type { MyIngress } from '../../apis/my-ingress.ts';
import { type WebApp, webAppKind } from '../../apis/web-app.ts';
import { getKey, type Key, type KubeObject } from '../../core/objects/kube-object.ts';
import type { Change } from '../../core/ports/cache.ts';
import { namespaceKind } from '../../kube/client/built-in-kinds.ts';
import { createAttachments } from '../../setup/attachments.ts';
import type { CommandContext } from '../command.ts';
import { listInNamespace } from './read.ts';

/**
 * The object with the routes that others attach to it, as the operator joins them. What the caller may not list
 * attaches nothing here.
 */
export async function joinAttachedRoutes(
  object: MyIngress,
  context: Pick<CommandContext, 'cluster' | 'signal'>,
): Promise<MyIngress> {
  const { namespace } = object.metadata;
  const [webApps, namespaces] = await Promise.all([
    listWebApps(object, context),
    listNamespaces(object, context),
  ]);
  const labels = namespaces && new Snapshot(namespaces);
  const attachments = createAttachments({
    cache: new Snapshot([object]).cache,
    webApps: new Snapshot(webApps),
    namespaces: labels ? [] : [namespace],
    open: () => labels ?? new Snapshot<KubeObject>([]),
  });
  attachments.start();
  await attachments.known;
  // The first one asks for the labels, which are there for the second one.
  attachments.join(object);
  await labels?.synced;
  return attachments.join(object);
}

/** Of all namespaces where the object admits others, as far as the caller may. */
async function listWebApps(
  { metadata: { namespace }, spec }: MyIngress,
  { cluster, signal }: Pick<CommandContext, 'cluster' | 'signal'>,
): Promise<readonly WebApp[]> {
  const list = (where?: string): Promise<readonly WebApp[] | undefined> =>
    listInNamespace<WebApp>(cluster(), { kind: webAppKind, namespace: where }, signal);
  const admitsOthers = (spec?.allowedNamespaces?.from ?? 'Same') !== 'Same';
  const all = admitsOthers ? await list() : undefined;
  return all ?? (await list(namespace)) ?? [];
}

/** Only where a selector chooses among them; undefined where the caller may not list them. */
async function listNamespaces(
  { spec }: MyIngress,
  { cluster, signal }: Pick<CommandContext, 'cluster' | 'signal'>,
): Promise<readonly KubeObject[] | undefined> {
  if (spec?.allowedNamespaces?.from !== 'Selector') return undefined;
  return listInNamespace<KubeObject>(cluster(), { kind: namespaceKind }, signal);
}

/** Objects as a cache that does not change. */
class Snapshot<T extends KubeObject> {
  readonly synced = Promise.resolve();
  readonly #objects: ReadonlyMap<Key, T>;

  constructor(objects: readonly T[]) {
    this.#objects = new Map(objects.map((object) => [getKey(object), object]));
  }

  get cache(): {
    get(key: Key): T | undefined;
    list(): readonly T[];
    subscribe(onChange: (change: Change<T>) => void): () => void;
  } {
    return {
      get: (key) => this.#objects.get(key),
      list: () => [...this.#objects.values()],
      subscribe: (onChange) => {
        for (const object of this.#objects.values())
          onChange({ kind: 'added', object, isInitial: true });
        return () => {};
      },
    };
  }
}
