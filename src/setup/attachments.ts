import type { MyIngress } from '../apis/my-ingress.ts';
import { type WebApp, webAppKind } from '../apis/web-app.ts';
import type {
  AttachingObject,
  SourceRef,
} from '../controllers/my-ingress/attaching/attaching-object.ts';
import { Attachments, type RouteSource } from '../controllers/my-ingress/attaching/attachments.ts';
import {
  type NamespaceCache,
  NamespaceLabels,
} from '../controllers/my-ingress/attaching/namespace-labels.ts';
import {
  getKey,
  isBeingDeleted,
  type Key,
  type KubeObject,
  splitKey,
} from '../core/objects/kube-object.ts';
import { trimMetadata } from '../core/objects/trim-metadata.ts';
import type { ObjectCache } from '../core/ports/cache.ts';
import { namespaceKind } from '../kube/client/built-in-kinds.ts';
import { trimTemplateOwner } from '../pods/pod-template.ts';
import type { LateWatch, SetupContext } from './context.ts';

/** One source for each kind that attaches routes: today WebApp alone. A kind that is off attaches nothing. */
export function setUpAttachments(
  context: SetupContext,
  cache: ObjectCache<MyIngress>,
): Attachments {
  const { kinds, namespaces } = context.settings;
  const webApps = kinds.includes('webapp')
    ? context.watchBeside<WebApp>(webAppKind, { transform: trimTemplateOwner })
    : undefined;
  const labels = createLabels(namespaces, () =>
    context.watchLate(namespaceKind, { transform: trimNamespace }),
  );
  // Not at the first question: the first pods of a WebApp would begin before its namespace is known.
  if (webApps !== undefined) cache.subscribe(({ object }) => isSelecting(object) && labels.begin());
  return createAttachments({ cache, webApps, namespaces, labels });
}

/** True while nobody knows whether the WebApp that has this Service may attach. */
export function isUndecided(attachments: Attachments, service: Key): boolean {
  const { kind } = webAppKind;
  const state = attachments.read({ kind, ...splitKey(service) });
  return state?.kind === 'refused' && state.reason === 'NamespacesUnknown';
}

function isSelecting({ spec }: MyIngress): boolean {
  return spec?.allowedNamespaces?.from === 'Selector';
}

/** Labels of namespaces, by a watch that opens when they are first needed; none where a Role of a namespace cannot grant it. */
export function createLabels(
  namespaces: readonly string[],
  open: () => NamespaceCache,
): NamespaceLabels {
  return new NamespaceLabels(namespaces.length === 0 ? open : undefined);
}

export interface AttachmentParts {
  readonly cache: Pick<ObjectCache<MyIngress>, 'get' | 'list' | 'subscribe'>;
  /** Undefined: the kind is off. */
  readonly webApps:
    | (Pick<LateWatch<WebApp>, 'synced'> & {
        readonly cache: Pick<ObjectCache<WebApp>, 'subscribe'>;
      })
    | undefined;
  /** Those that are watched; empty: all of them. */
  readonly namespaces: readonly string[];
  readonly labels: NamespaceLabels;
}

export function createAttachments({ webApps, ...rest }: AttachmentParts): Attachments {
  const sources = webApps === undefined ? [] : [readWebApps(webApps)];
  return new Attachments({ ...rest, sources });
}

/** The objects that decide what is attached to a MyIngress. */
export interface AttachingObjects {
  readonly webApps: readonly WebApp[];
  /** Undefined: their labels are not known. */
  readonly namespaces: readonly KubeObject[] | undefined;
}

/** Resolves once the routes of all WebApps and the labels of all namespaces are known. */
export async function attachListed({
  webApps,
  namespaces,
}: AttachingObjects): Promise<Attachments> {
  const byKey = new Map((namespaces ?? []).map((one) => [getKey(one), one] as const));
  const synced = Promise.resolve();
  const none = { get: () => undefined, list: () => [], subscribe: () => () => undefined };
  const cache = { ...none, get: (key: Key) => byKey.get(key) };
  const labels = new NamespaceLabels(namespaces && (() => ({ cache, synced })));
  const subscribe: ObjectCache<WebApp>['subscribe'] = (onChange) => {
    for (const object of webApps) onChange({ kind: 'added', object, isInitial: true });
    return () => undefined;
  };
  const sources = [readWebApps({ cache: { subscribe }, synced })];
  const attachments = new Attachments({ cache: none, sources, namespaces: [], labels });
  attachments.start();
  labels.read('');
  await attachments.known;
  await synced;
  return attachments;
}

function readWebApps({ cache, synced }: NonNullable<AttachmentParts['webApps']>): RouteSource {
  return {
    synced,
    follow: (onChange) =>
      cache.subscribe(({ kind, object }) => {
        const { namespace, name } = object.metadata;
        const ref = { kind: webAppKind.kind, namespace, name };
        onChange(ref, kind === 'deleted' ? undefined : readWebApp(object));
      }),
    recall: recallWebApp,
  };
}

/** The routes of a WebApp: one rule, and its own Service. */
export function readWebApp(object: WebApp): AttachingObject | undefined {
  const { metadata, spec } = object;
  if (spec?.expose === undefined || isBeingDeleted(object)) return undefined;
  const { namespace, name, creationTimestamp } = metadata;
  const { hosts, ingress, listener, paths } = spec.expose;
  return {
    ...{ kind: webAppKind.kind, namespace, name, createdAt: creationTimestamp },
    ingress: `${ingress.namespace ?? namespace}/${ingress.name}`,
    backends: listBackends(name),
    rules: [
      {
        ...{ name: 'expose', hosts, forward: [{ backend: name }] },
        ...(paths !== undefined && { paths }),
        ...(listener !== undefined && { listeners: [listener] }),
      },
    ],
  };
}

/** As `RouteSource.recall`. */
export function recallWebApp({ kind, name }: SourceRef): AttachingObject['backends'] {
  return kind === webAppKind.kind ? listBackends(name) : [];
}

function listBackends(name: string): AttachingObject['backends'] {
  return [{ name, service: { name, port: 'http' } }];
}

/** Its labels are all that is read. */
function trimNamespace(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = trimMetadata(object);
  return { apiVersion, kind, metadata };
}
