// Lives here: the kind ConfigMonitor: restarts pods when the data of a ConfigMap changes.
// May import it: src/setup; src/controllers/config-monitor/reports takes scope.ts, transforms.ts and workload-groups.ts.
// Start with: this file; docs/architecture.md follows an edit file by file.

import type { ConfigMonitor, ConfigMonitorSpec } from '../../apis/config-monitor.ts';
import {
  type ConfigMonitorReason,
  configMonitorReasons,
} from '../../apis/config-monitor-reasons.ts';
import { createFailure } from '../../core/reconcile/failure.ts';
import { type Outcome, settled, waiting } from '../../core/reconcile/outcome.ts';
import type { Reconciler } from '../../core/reconcile/reconciler.ts';
import { noteWhilePaused, startRollout } from './debounce.ts';
import { Changes, Progress, Refusals, readRecordedHash } from './memory.ts';
import { readConfigMapName } from './monitor-index.ts';
import { SourceMetrics } from './reports/source-metrics.ts';
import { continueRollout } from './rollout.ts';
import {
  type ConfigMonitorContext,
  type Report,
  reportHash,
  reportPods,
  type Scope,
  shortenHash,
} from './scope.ts';
import { getController, type TrimmedConfigMap } from './transforms.ts';
import { listPending } from './workload-groups.ts';

/** Resync, for a ConfigMap that is created later and a pod whose event got lost. */
const LOOK_AGAIN_MS = 60_000;

/** One ConfigMonitor: restarts the selected pods, a few at a time, when the ConfigMap's data changes. */
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
          observed: 'the object names no ConfigMap, or selects no pods',
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
  const { metadata, spec } = of.object;
  const configMapName = readConfigMapName(spec);
  const labels = spec?.podSelector ?? {};
  if (configMapName === undefined || Object.keys(labels).length === 0) return undefined;
  const selected = context.pods
    .matching(metadata.namespace, labels)
    .filter((pod) => getController(pod) !== undefined || spec.unmanagedPods !== 'Skip');
  const selectedUids = new Set(selected.map((pod) => pod.metadata.uid));
  return { ...context, ...of, spec: applyDefaults(spec), configMapName, selected, selectedUids };
}

/** A CRD of release 0.1.0 does not have the field. */
function applyDefaults(spec: ConfigMonitorSpec): ConfigMonitorSpec {
  return { ...spec, minReadySeconds: spec.minReadySeconds ?? 10 };
}

async function reconcile(scope: Scope): Promise<Outcome> {
  const { object, pass, changes } = scope;
  const { status } = object;
  const configMap = getConfigMap(scope);
  reportConfigMap(configMap, scope);
  if (configMap === undefined) return awaitConfigMap(scope);
  if (!hasBaseline(scope)) {
    changes.settle(pass.key);
    recordBaseline(configMap, scope);
    return reportWatching(scope);
  }
  const outcome = isChanged(configMap, scope) ? await actOnChange(configMap, scope) : undefined;
  if (outcome !== undefined) return outcome;
  changes.settle(pass.key);
  pass.report({ change: undefined } satisfies Report);
  if (status.rollout === undefined) return reportWatching(scope);
  return scope.spec.suspend ? reportSuspended(scope) : continueRollout(status.rollout, scope);
}

function getConfigMap({ configMaps, configMapName, object }: Scope): TrimmedConfigMap | undefined {
  return configMaps.get(`${object.metadata.namespace}/${configMapName}`);
}

/** The condition ConfigMapFound. */
function reportConfigMap(configMap: TrimmedConfigMap | undefined, scope: Scope): void {
  const { configMapName, pass } = scope;
  const type = 'ConfigMapFound';
  if (configMap !== undefined) {
    const message = `ConfigMap ${configMapName} exists`;
    return pass.setCondition({ type, status: 'True', reason: 'Found', message });
  }
  const message = `ConfigMap ${configMapName} does not exist`;
  pass.setCondition({ type, status: 'False', reason: 'NotFound', message });
}

function hasBaseline({ configMapName, object: { status } }: Scope): boolean {
  return status.configMap === configMapName && status.configHash !== undefined;
}

/** Assumes that the pods have the data that is observed first: nothing is restarted for it. */
function recordBaseline({ hash }: TrimmedConfigMap, scope: Scope): void {
  const { configMapName, object, pass } = scope;
  const { restarts = 0 } = object.status;
  const none: Report = { rollout: undefined, change: undefined };
  pass.report({ configMap: configMapName, restarts, ...none, ...reportHash(hash) });
  const note = `watching ConfigMap ${configMapName}, whose data is now ${shortenHash(hash)}`;
  pass.log.info('Recorded baseline', { configMap: configMapName, hash: shortenHash(hash) });
  pass.recordEvent({ type: 'Normal', reason: 'BaselineRecorded', action: 'Watch', note });
}

/** Other data than that on record is there, or was. */
function isChanged({ hash }: TrimmedConfigMap, { changes, object }: Scope): boolean {
  const isOther = hash !== readRecordedHash(object);
  const wasOther = changes.get(object) !== undefined;
  return isOther || wasOther;
}

async function recordWhilePaused(scope: Scope): Promise<void> {
  const configMap = getConfigMap(scope);
  if (configMap === undefined || !hasBaseline(scope)) return;
  if (isChanged(configMap, scope)) await noteWhilePaused(configMap, scope);
}

/** undefined: the data is back to what is on record, and every pod has it. */
async function actOnChange(
  configMap: TrimmedConfigMap,
  scope: Scope,
): Promise<Outcome | undefined> {
  const started = await startRollout(configMap, scope);
  if (started.kind === 'held') return started.outcome;
  if (started.kind === 'needless') return undefined;
  return started.rollout === undefined
    ? reportWatching(scope)
    : continueRollout(started.rollout, scope);
}

function reportWatching(scope: Scope): Outcome {
  const { configMapName, selected, spec } = scope;
  reportPods([], scope);
  if (spec.suspend) {
    return settled('Suspended' satisfies ConfigMonitorReason, 'suspended; no pods are waiting');
  }
  const pods = selected.length === 1 ? '1 pod has' : `${selected.length} pods have`;
  const message = `${pods} the newest data of ConfigMap ${configMapName}`;
  return settled('Watching' satisfies ConfigMonitorReason, message);
}

/** A rollout that is under way keeps its place. */
function reportSuspended(scope: Scope): Outcome {
  const pending = listPendingUids(scope);
  reportPods(pending, scope);
  const message = `suspended; ${pending.length} pods are waiting to restart`;
  return waiting('Suspended' satisfies ConfigMonitorReason, message, LOOK_AGAIN_MS);
}

/** Restarts under way wait too: a pod that needs the ConfigMap would not start again. */
function awaitConfigMap(scope: Scope): Outcome {
  const { configMapName, object, pass } = scope;
  reportPods(listPendingUids(scope), scope);
  pass.disproveReady();
  const message = `ConfigMap ${configMapName} does not exist in namespace ${object.metadata.namespace}; no pod is restarted until it does`;
  return waiting('ConfigMapMissing' satisfies ConfigMonitorReason, message, LOOK_AGAIN_MS);
}

function listPendingUids(scope: Scope): readonly string[] {
  const { rollout } = scope.object.status;
  return rollout === undefined
    ? []
    : listPending(rollout, scope).map(({ metadata }) => metadata.uid);
}
