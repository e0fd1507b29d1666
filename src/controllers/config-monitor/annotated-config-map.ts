import {
  type ConfigMonitor,
  configMonitorKind,
  POD_DELETE_MATCH,
} from '../../apis/config-monitor.ts';
import type { ConfigMonitorReason } from '../../apis/config-monitor-reasons.ts';
import { isPaused, PAUSED_ANNOTATION } from '../../core/annotations.ts';
import type { Children, ChildrenOfOne } from '../../core/children.ts';
import { apiVersionOf, type Key, type KubeObject, keyOf } from '../../core/kube-object.ts';
import { OperatorError } from '../../core/operator-error.ts';
import { type Outcome, settled, waiting } from '../../core/outcome.ts';
import { ensureOwned, type OwnedChange } from '../../core/owned-objects.ts';
import type { Pass, Reconciler } from '../../core/reconciler.ts';
import { placeOf } from '../../core/replaceable.ts';
import { shortened } from '../../core/short-name.ts';
import { parseLabelList } from './label-list.ts';
import type { LeanConfigMap } from './lean-config-map.ts';

const MAX_NAME_LENGTH = 253;
const SUFFIX = '-annotated';
const LOOK_AGAIN_MS = 5_000;

const KUBERNETES_NAMESPACES = ['kube-system', 'kube-public', 'kube-node-lease'];

/**
 * Namespaces in which the annotation has no effect: who may write a ConfigMap there must not restart
 * what the cluster stands on. A namespaced install serves its own namespace.
 */
export function closedNamespaces(options: {
  readonly namespaces: readonly string[];
  readonly ownNamespace?: string | undefined;
}): ReadonlySet<string> {
  const { namespaces, ownNamespace } = options;
  const isOwnClosed = ownNamespace !== undefined && !namespaces.includes(ownNamespace);
  return new Set(isOwnClosed ? [...KUBERNETES_NAMESPACES, ownNamespace] : KUBERNETES_NAMESPACES);
}

/**
 * A ConfigMap with the annotation gets a ConfigMonitor that does the work and shows it; it goes with
 * the annotation, or with the ConfigMap. The ConfigMap itself is the user's and is never written.
 */
export function annotatedConfigMapReconciler(
  monitors: Children<ConfigMonitor>,
  closed: ReadonlySet<string>,
): Reconciler<LeanConfigMap> {
  const told = new Map<Key, string>();
  const follow = async (configMap: LeanConfigMap, pass: Pass): Promise<Outcome> => {
    try {
      const own = monitors.of(configMap);
      if (isClosed(configMap, closed)) await refuse(configMap, pass, own);
      const outcome = await reconcile(configMap, pass, own);
      told.delete(pass.key);
      return outcome;
    } catch (error) {
      tellFailure(error, pass, told);
      throw error;
    }
  };
  return {
    reconcile: follow,
    // The ConfigMonitor does the work, so it is paused too. Without the annotation it stays as it is.
    whilePaused: async (configMap, pass) => {
      if (isAnnotated(configMap)) await follow(configMap, pass);
    },
    forget: (key) => told.delete(key),
  };
}

/** Most ConfigMaps of a cluster do not. A paused one may have lost the annotation, and kept the ConfigMonitor. */
export function mayHaveMonitor(configMap: LeanConfigMap): boolean {
  return isAnnotated(configMap) || isPaused(configMap);
}

function isAnnotated({ metadata }: LeanConfigMap): boolean {
  return metadata.annotations?.[POD_DELETE_MATCH] !== undefined;
}

function isClosed(configMap: LeanConfigMap, closed: ReadonlySet<string>): boolean {
  return isAnnotated(configMap) && closed.has(configMap.metadata.namespace ?? '');
}

/** Deletes the ConfigMonitor that an earlier release may have created. */
async function refuse(
  configMap: LeanConfigMap,
  pass: Pass,
  monitors: ChildrenOfOne<ConfigMonitor>,
): Promise<never> {
  const onChange = (change: OwnedChange): void => tellChange(change, pass);
  await ensureOwned(configMap, { ...monitors, desired: [], signal: pass.signal, onChange });
  throw new OperatorError({
    reason: 'NamespaceClosed' satisfies ConfigMonitorReason,
    message: `the annotation ${POD_DELETE_MATCH} has no effect in namespace ${configMap.metadata.namespace}; remove it, and restart the pods with kubectl rollout restart`,
    healedBy: 'person',
  });
}

async function reconcile(
  configMap: LeanConfigMap,
  pass: Pass,
  monitors: ChildrenOfOne<ConfigMonitor>,
): Promise<Outcome> {
  const text = configMap.metadata.annotations?.[POD_DELETE_MATCH];
  const desired = text === undefined ? [] : [desiredMonitor(configMap, labelsIn(text))];
  const [monitor] = desired;
  const place = monitor && placeOf(configMap, monitors.observed.get(keyOf(monitor)), monitor);
  if (place?.kind === 'leftover' || place?.kind === 'leaving') {
    const message = `ConfigMonitor ${place.child.metadata.name} of before is on its way out`;
    return waiting('Replacing', message, LOOK_AGAIN_MS);
  }
  const onChange = (change: OwnedChange): void => tellChange(change, pass);
  await ensureOwned(configMap, { ...monitors, desired, signal: pass.signal, onChange });
  return settled('Watching' satisfies ConfigMonitorReason, 'as annotated');
}

/**
 * The labels alone come from the annotation; for anything else a ConfigMonitor can be written. The right
 * to edit a ConfigMap must not remove pods for good.
 */
function desiredMonitor(
  configMap: LeanConfigMap,
  podSelector: Readonly<Record<string, string>>,
): KubeObject & { readonly spec: object } {
  const { name, namespace = '' } = configMap.metadata;
  return {
    apiVersion: apiVersionOf(configMonitorKind),
    kind: configMonitorKind.kind,
    metadata: {
      name: shortened(name, MAX_NAME_LENGTH - SUFFIX.length) + SUFFIX,
      namespace,
      labels: { 'app.kubernetes.io/managed-by': 'albridge' },
      ...(isPaused(configMap) && { annotations: { [PAUSED_ANNOTATION]: 'true' } }),
    },
    spec: { configMap: name, podSelector, unmanagedPods: 'Skip' },
  };
}

function labelsIn(text: string): Readonly<Record<string, string>> {
  const labels = parseLabelList(text);
  if (labels !== undefined) return labels;
  throw new OperatorError({
    reason: 'InvalidSelector' satisfies ConfigMonitorReason,
    message: `the annotation ${POD_DELETE_MATCH} is no list of labels of at most 1024 characters; write it as app=frontend, with commas between several`,
    healedBy: 'person',
  });
}

function tellChange({ kind, child }: OwnedChange, pass: Pass): void {
  const { name } = child.metadata;
  const notes = {
    created: `ConfigMonitor ${name} made for the annotation ${POD_DELETE_MATCH}`,
    updated: `ConfigMonitor ${name} follows the annotation ${POD_DELETE_MATCH}`,
    repaired: `ConfigMonitor ${name} is as the annotation ${POD_DELETE_MATCH} has it again`,
    deleted: `ConfigMonitor ${name} deleted: the annotation ${POD_DELETE_MATCH} is gone`,
  };
  const note = notes[kind];
  pass.log.info(note);
  pass.event({ type: 'Normal', reason: 'AnnotationFollowed', action: 'Watch', note });
}

/** A ConfigMap has no conditions, so an event is all that its owner can see: one for each failure. */
function tellFailure(error: unknown, pass: Pass, told: Map<Key, string>): void {
  if (!(error instanceof OperatorError) || error.healedBy !== 'person') return;
  const { reason, message: note } = error;
  if (told.get(pass.key) === note) return;
  told.set(pass.key, note);
  pass.event({ type: 'Warning', reason, action: 'Watch', note });
}
