import {
  type ConfigMonitor,
  configMonitorKind,
  POD_DELETE_MATCH,
} from '../../apis/config-monitor.ts';
import {
  type ConfigMonitorReason,
  configMonitorReasons,
} from '../../apis/config-monitor-reasons.ts';
import { classifyChild } from '../../core/children/child-state.ts';
import type { Children, ChildrenOfOwner } from '../../core/children/children.ts';
import { ensureOwned, type OwnedChange } from '../../core/children/owned-objects.ts';
import {
  DESIRED_HASH_ANNOTATION,
  isPaused,
  PAUSED_ANNOTATION,
} from '../../core/objects/annotations.ts';
import { shortenName } from '../../core/objects/digests.ts';
import {
  formatApiVersion,
  getKey,
  type Key,
  type KubeObject,
} from '../../core/objects/kube-object.ts';
import { type LabelSelector, parseSelector } from '../../core/objects/label-selector.ts';
import { REPAIR } from '../../core/ports/events.ts';
import { createFailure } from '../../core/reconcile/failure.ts';
import { OperatorError } from '../../core/reconcile/operator-error.ts';
import { type Outcome, settled, waiting } from '../../core/reconcile/outcome.ts';
import type { Pass, Reconciler } from '../../core/reconcile/reconciler.ts';
import { isAnnotated, type TrimmedConfigMap } from './transforms.ts';

const MAX_NAME_LENGTH = 253;
const SUFFIX = '-annotated';
const LABELS = { 'app.kubernetes.io/managed-by': 'albridge' };
const RECHECK_MS = 5_000;

const KUBERNETES_NAMESPACES = ['kube-system', 'kube-public', 'kube-node-lease'];

/**
 * Namespaces in which the annotation has no effect: who may write a ConfigMap there must not restart
 * what the cluster stands on. A namespaced install serves its own namespace.
 */
export function listClosedNamespaces(options: {
  readonly namespaces: readonly string[];
  readonly ownNamespace?: string | undefined;
}): ReadonlySet<string> {
  const { namespaces, ownNamespace } = options;
  const isOwnClosed = ownNamespace !== undefined && !namespaces.includes(ownNamespace);
  return new Set(isOwnClosed ? [...KUBERNETES_NAMESPACES, ownNamespace] : KUBERNETES_NAMESPACES);
}

/**
 * Keeps a ConfigMonitor for a ConfigMap with the annotation, which does the work and shows it; it is deleted with
 * the annotation, or with the ConfigMap. The ConfigMap itself is the user's and is never written.
 */
export function createAnnotatedConfigMapReconciler(
  monitors: Children<ConfigMonitor>,
  closed: ReadonlySet<string>,
): Reconciler<TrimmedConfigMap> {
  const reported = new Map<Key, string>();
  const follow = async (configMap: TrimmedConfigMap, pass: Pass): Promise<Outcome> => {
    try {
      const own = monitors.forOwner(configMap);
      if (isClosed(configMap, closed)) await refuse(configMap, pass, own);
      const outcome = await reconcile(configMap, pass, own);
      reported.delete(pass.key);
      return outcome;
    } catch (error) {
      recordFailure(error, pass, reported);
      throw error;
    }
  };
  return {
    reconcile: follow,
    // The ConfigMonitor does the work, so it is paused too. Without the annotation it stays as it is.
    whilePaused: async (configMap, pass) => {
      if (isAnnotated(configMap)) await follow(configMap, pass);
    },
    forget: (key) => reported.delete(key),
  };
}

function isClosed(configMap: TrimmedConfigMap, closed: ReadonlySet<string>): boolean {
  return isAnnotated(configMap) && closed.has(configMap.metadata.namespace ?? '');
}

/** Deletes the ConfigMonitor that an earlier release may have created. */
async function refuse(
  configMap: TrimmedConfigMap,
  pass: Pass,
  monitors: ChildrenOfOwner<ConfigMonitor>,
): Promise<never> {
  await ensureMonitor(configMap, { desired: [], monitors, pass });
  throw createFailure(configMonitorReasons, 'NamespaceClosed', {
    observed: `the annotation ${POD_DELETE_MATCH} has no effect in namespace ${configMap.metadata.namespace}`,
  });
}

async function reconcile(
  configMap: TrimmedConfigMap,
  pass: Pass,
  monitors: ChildrenOfOwner<ConfigMonitor>,
): Promise<Outcome> {
  const text = configMap.metadata.annotations?.[POD_DELETE_MATCH];
  const desired = text === undefined ? [] : [desireMonitor(configMap, readSelector(text))];
  const [monitor] = desired;
  const place =
    monitor && classifyChild(configMap, monitors.observed.get(getKey(monitor)), monitor);
  if (place?.kind === 'stale' || place?.kind === 'terminating') {
    const message = `waiting until the earlier ConfigMonitor ${place.child.metadata.name} is deleted`;
    return waiting('Replacing', message, RECHECK_MS);
  }
  await ensureMonitor(configMap, { desired, monitors, pass });
  return settled('Watching' satisfies ConfigMonitorReason, 'as annotated');
}

interface Desired {
  readonly desired: readonly KubeObject[];
  readonly monitors: ChildrenOfOwner<ConfigMonitor>;
  readonly pass: Pass;
}

async function ensureMonitor(
  configMap: TrimmedConfigMap,
  { desired, monitors, pass }: Desired,
): Promise<void> {
  await ensureOwned(configMap, {
    ...monitors,
    desired,
    signal: pass.signal,
    isOurs: (monitor) => isMadeFor(configMap, monitor),
    onChange: (change) => recordChange(change, pass),
  });
}

/** A ConfigMap may stand for an application, and be so the controller of a ConfigMonitor that others made. */
function isMadeFor(configMap: TrimmedConfigMap, { metadata }: KubeObject): boolean {
  const { name, annotations = {}, labels = {} } = metadata;
  const isMarked =
    annotations[DESIRED_HASH_ANNOTATION] !== undefined ||
    Object.entries(LABELS).every(([key, value]) => labels[key] === value);
  return isMarked && name === nameMonitor(configMap);
}

function nameMonitor({ metadata }: TrimmedConfigMap): string {
  return shortenName(metadata.name, MAX_NAME_LENGTH - SUFFIX.length) + SUFFIX;
}

/**
 * The selector alone comes from the annotation; for anything else a ConfigMonitor can be written. The right
 * to edit a ConfigMap must not remove pods for good, and who annotates it may evict pods and no more: a restart
 * by template passes PodDisruptionBudgets by.
 */
function desireMonitor(
  configMap: TrimmedConfigMap,
  { matchLabels, matchExpressions }: LabelSelector,
): KubeObject & { readonly spec: object } {
  const { name, namespace = '' } = configMap.metadata;
  return {
    apiVersion: formatApiVersion(configMonitorKind),
    kind: configMonitorKind.kind,
    metadata: {
      name: nameMonitor(configMap),
      namespace,
      labels: LABELS,
      ...(isPaused(configMap) && { annotations: { [PAUSED_ANNOTATION]: 'true' } }),
    },
    spec: {
      configMap: name,
      ...(Object.keys(matchLabels).length > 0 && { podSelector: matchLabels }),
      ...(matchExpressions.length > 0 && { matchExpressions }),
      strategy: 'Evict',
      unmanagedPods: 'Skip',
    },
  };
}

/** As many as the CRD takes. */
const MOST_EXPRESSIONS = 16;

/** A text that is too long is held as its digest. */
function readSelector(text: string): LabelSelector {
  if (text.startsWith('sha256:')) throw createSelectorFailure('more than 1024 characters');
  const parsed = parseSelector(text);
  if (parsed.kind === 'problem') throw createSelectorFailure(parsed.problem);
  const { matchExpressions } = parsed.selector;
  if (matchExpressions.length <= MOST_EXPRESSIONS) return parsed.selector;
  throw createSelectorFailure(`more than ${MOST_EXPRESSIONS} conditions other than key=value`);
}

function createSelectorFailure(problem: string): OperatorError {
  return createFailure(configMonitorReasons, 'InvalidSelector', {
    observed: `the annotation ${POD_DELETE_MATCH} is not a label selector, ${problem}`,
  });
}

function recordChange({ kind, child }: OwnedChange, pass: Pass): void {
  const { name } = child.metadata;
  const notes = {
    created: `created ConfigMonitor ${name} for the annotation ${POD_DELETE_MATCH}`,
    updated: `updated ConfigMonitor ${name}: the annotation ${POD_DELETE_MATCH} changed`,
    repaired: `repaired ConfigMonitor ${name}: it differed from the annotation ${POD_DELETE_MATCH}`,
    deleted: `deleted ConfigMonitor ${name}: the annotation ${POD_DELETE_MATCH} was removed`,
  };
  const isRepair = kind === 'repaired';
  const reason = isRepair ? 'DriftRepaired' : 'AnnotationFollowed';
  const action = isRepair ? REPAIR : 'Watch';
  pass.log.info('Followed annotation', { configMonitor: name, operation: kind });
  pass.recordEvent({ type: 'Normal', reason, action, note: notes[kind] });
}

/** A ConfigMap has no conditions, so an event is all that its owner can see: one for each failure. */
function recordFailure(error: unknown, pass: Pass, reported: Map<Key, string>): void {
  if (!(error instanceof OperatorError) || error.healedBy !== 'person') return;
  const { reason, message: note } = error;
  if (reported.get(pass.key) === note) return;
  reported.set(pass.key, note);
  pass.recordEvent({ type: 'Warning', reason, action: 'Watch', note });
}
