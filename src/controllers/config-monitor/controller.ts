// Lives here: the kind ConfigMonitor: restarts pods when the data of a ConfigMap or Secret changes.
// May import it: src/setup; src/controllers/config-monitor/reports takes scope.ts, transforms.ts and workload-groups.ts; src/controllers/config-monitor/sources takes scope.ts.
// Start with: this file; docs/architecture.md follows an edit file by file.

import type { ConfigMonitor, ConfigMonitorSpec } from '../../apis/config-monitor.ts';
import {
  type ConfigMonitorReason,
  configMonitorReasons,
} from '../../apis/config-monitor-reasons.ts';
import { createFailure } from '../../core/reconcile/failure.ts';
import { type Outcome, settled, waiting } from '../../core/reconcile/outcome.ts';
import type { Reconciler } from '../../core/reconcile/reconciler.ts';
import { recordOutdated, startRollout } from './debounce.ts';
import { Changes, Progress, Refusals, readRecordedHash } from './memory.ts';
import {
  hasReselected,
  listOlder,
  listReselected,
  listUids,
  reportDeselected,
} from './pending-change.ts';
import { readSelection } from './pod-index.ts';
import { SourceMetrics } from './reports/source-metrics.ts';
import { continueRollout } from './rollout.ts';
import {
  type ConfigMonitorContext,
  type Report,
  reportPods,
  type Scope,
  shortenHash,
} from './scope.ts';
import {
  awaitData,
  hasBaseline,
  hasOtherKey,
  markStale,
  mergeRecords,
  observeData,
  recordBaseline,
  reportBaseline,
  reportObservation,
  reportSources,
} from './sources/observe-data.ts';
import {
  describeSources,
  hashText,
  listSources,
  type ObservedData,
} from './sources/watched-source.ts';
import { isSpared, listLost, renameOwners } from './transforms.ts';
import { listPending, partition } from './workload-groups.ts';

/** Resync, for a pod whose event got lost. */
const RECHECK_MS = 60_000;

/** One ConfigMonitor: restarts the selected pods, a few at a time, when the data changes. */
export function createConfigMonitorReconciler(
  context: ConfigMonitorContext,
): Reconciler<ConfigMonitor> {
  const memory = {
    changes: new Changes(context.clock),
    progress: new Progress(context.clock),
    refusals: new Refusals(),
    sourceMetrics: new SourceMetrics(context.metrics),
  };
  return {
    reconcile: (object, pass) => {
      const scope = buildScope(context, { object, pass, ...memory });
      if (scope === undefined) {
        throw createFailure(configMonitorReasons, 'SpecMissing', {
          observed: 'the object names nothing to watch, or its podSelector is empty',
        });
      }
      return reconcile(scope);
    },
    whilePaused: async (object, pass) => {
      const scope = buildScope(context, { object, pass, ...memory });
      if (scope !== undefined) await recordWhilePaused(scope);
    },
    forget: (key) => {
      memory.changes.forget(key);
      memory.progress.forget(key);
      memory.refusals.forget(key);
      memory.sourceMetrics.forget(key);
    },
  };
}

function buildScope(
  context: ConfigMonitorContext,
  of: Pick<Scope, 'object' | 'pass' | 'changes' | 'progress' | 'refusals' | 'sourceMetrics'>,
): Scope | undefined {
  const { metadata, spec, status } = of.object;
  const selection = readSelection(spec);
  if (selection === undefined) return undefined;
  const [spared, selected] = partition(
    context.pods.selectedBy(metadata.namespace, selection),
    (pod) => isSpared(pod, spec),
  );
  const selectedUids = listUids(selected);
  const orphans = listLost(spared, status);
  const watched = listSources(spec);
  const sourceText = describeSources(watched);
  const sources = { watched, sourceText, selection };
  const deselected = new Set(status.deselectedPods);
  const object = renameOwners(of.object);
  const own = { ...of, object, spec: applyDefaults(spec), deselected };
  return { ...context, ...own, ...sources, selected, selectedUids, orphans };
}

/** The pods have the data that the ConfigMonitor of an earlier ConfigMap of this name had on record. */
function takeOver(scope: Scope): Scope {
  const { monitors, object, pass, selection } = scope;
  if (object.status.configHash !== undefined) return scope;
  // Only the record says which of those without a controller have lost it.
  const pods = scope.pods.selectedBy(object.metadata.namespace, selection);
  const found = monitors.predecessors.find(object, pods);
  if (found === undefined) return scope;
  const { record, pods: affected } = found;
  pass.report(record);
  pass.log.info('Took over the record of an earlier ConfigMonitor', {
    hash: shortenHash(record.configHash ?? ''),
  });
  const inherited = { ...object, status: { ...object.status, ...record } };
  return { ...scope, ...buildScope(scope, { ...scope, object: inherited }), affected };
}

/** A CRD of release 0.1.0 does not have the field. */
function applyDefaults(spec: ConfigMonitorSpec): ConfigMonitorSpec {
  return { ...spec, minReadySeconds: spec.minReadySeconds ?? 10 };
}

async function reconcile(scope: Scope): Promise<Outcome> {
  if (scope.spec.suspend) scope.progress.hold(scope.pass.key);
  const observation = observeData(scope);
  reportObservation(observation, scope);
  if (observation.kind !== 'observed') {
    // While Secrets cannot be read nobody knows who has older data.
    if (observation.kind === 'missing') reportPods(listPendingUids(scope), scope);
    scope.progress.hold(scope.pass.key);
    return awaitData(observation, scope);
  }
  return act(observation.data, takeOver(scope));
}

async function act(data: ObservedData, scope: Scope): Promise<Outcome> {
  const { changes, object, pass } = scope;
  const { status } = object;
  if (!hasBaseline(scope)) {
    return watchOthers(data, scope);
  }
  if (hasReselected(scope)) {
    const affected = listReselected(data, scope);
    const reselected = { ...scope, isReselected: true, ...(affected && { affected }) };
    return recordOlder(markStale(data), data, reselected);
  }
  reportSources(scope);
  const outcome = isChanged(data, scope) ? await actOnChange(data, scope) : undefined;
  if (outcome !== undefined) return outcome;
  changes.settle(pass.key);
  pass.report({ change: undefined } satisfies Report);
  if (status.rollout === undefined) return reportWatching(scope);
  return scope.spec.suspend ? reportSuspended(scope) : continueRollout(status.rollout, scope);
}

/** The sources in spec are others than those on record, or their Secrets are hashed with another key. */
async function watchOthers(data: ObservedData, scope: Scope): Promise<Outcome> {
  const records = mergeRecords(data, scope);
  const known = hasOtherKey(scope) && { affected: new Set(listOlder(scope)) };
  scope.changes.settle(scope.pass.key);
  if (records.some(({ hash }, index) => hash !== data.sources[index]?.hash)) {
    return recordOlder(records, data, { ...scope, ...known });
  }
  recordBaseline(data, scope);
  return reportWatching(scope);
}

/** Selected pods may have older data: this counts as a change, and restarts anew what is under way. */
async function recordOlder(
  sources: ObservedData['sources'],
  data: ObservedData,
  scope: Scope,
): Promise<Outcome> {
  const { object, pass } = scope;
  const { rollout, change: _change, ...status } = object.status;
  // It is the restart that is under way, begun again, and no second one.
  if (rollout !== undefined) pass.report({ lastRestartTime: undefined } satisfies Report);
  const hash = hashText(`${status.configHash} ${data.hash}`);
  reportBaseline({ hash, sources }, scope);
  // It has restarted all others as it selects them.
  if (scope.affected)
    pass.report({ restartedSelection: status.restartedSelection } satisfies Report);
  reportDeselected(listOlder(scope), scope);
  const edited = {
    ...scope,
    ...(rollout && { endedPods: new Set(rollout.pods) }),
    object: { ...object, status: { ...status, configHash: hash, sources } },
  };
  reportSources(edited);
  pass.disproveReady();
  await recordOutdated(data, edited);
  const message = 'pods that spec selects may have older data; they restart';
  return waiting('Debouncing' satisfies ConfigMonitorReason, message, 0);
}

/** Other data than that on record is there, or was. */
function isChanged({ hash }: ObservedData, { changes, object }: Scope): boolean {
  const isOther = hash !== readRecordedHash(object);
  const wasOther = changes.get(object) !== undefined;
  return isOther || wasOther;
}

async function recordWhilePaused(given: Scope): Promise<void> {
  given.progress.hold(given.pass.key);
  const observation = observeData(given);
  if (observation.kind !== 'observed') return;
  const scope = takeOver(given);
  if (scope.object.status.configHash === undefined) return recordBaseline(observation.data, scope);
  if (!hasBaseline(scope)) return;
  if (isChanged(observation.data, scope)) await recordOutdated(observation.data, scope);
}

/** undefined: the data is back to what is on record, and every pod has it. */
async function actOnChange(data: ObservedData, scope: Scope): Promise<Outcome | undefined> {
  const started = await startRollout(data, scope);
  if (started.kind === 'held') {
    // albridge itself keeps a restart that is under way from its progress.
    scope.progress.hold(scope.pass.key);
    return started.outcome;
  }
  if (started.kind === 'needless') return undefined;
  return started.rollout === undefined
    ? reportWatching(scope)
    : continueRollout(started.rollout, scope);
}

function reportWatching(scope: Scope): Outcome {
  const { selected, sourceText, spec } = scope;
  if (scope.deselected.size > 0 && !hasReselected(scope)) reportDeselected([], scope);
  reportPods([], scope);
  if (spec.suspend) {
    return settled('Suspended' satisfies ConfigMonitorReason, 'suspended; no pods are waiting');
  }
  const pods = selected.length === 1 ? '1 pod has' : `${selected.length} pods have`;
  const message = `${pods} the newest data of ${sourceText}`;
  return settled('Watching' satisfies ConfigMonitorReason, message);
}

/** A rollout that is under way keeps its place. */
function reportSuspended(scope: Scope): Outcome {
  const pending = listPendingUids(scope);
  reportPods(pending, scope);
  const message = `suspended; ${pending.length} pods are waiting to restart`;
  return waiting('Suspended' satisfies ConfigMonitorReason, message, RECHECK_MS);
}

function listPendingUids(scope: Scope): readonly string[] {
  const { rollout } = scope.object.status;
  return rollout === undefined
    ? []
    : listPending(rollout, scope).map(({ metadata }) => metadata.uid);
}
