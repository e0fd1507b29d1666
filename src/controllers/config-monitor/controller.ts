import type { ConfigMonitor, ConfigMonitorSpec } from '../../apis/config-monitor.ts';
import type { ConfigMonitorReason } from '../../apis/config-monitor-reasons.ts';
import { OperatorError } from '../../core/operator-error.ts';
import { type Outcome, settled, waiting } from '../../core/outcome.ts';
import type { Reconciler } from '../../core/reconciler.ts';
import { noteChange } from './change-note.ts';
import { Changes, recordedHash } from './changes.ts';
import type { LeanConfigMap } from './lean-config-map.ts';
import { controllerOf } from './lean-pod.ts';
import { configMapNameOf } from './monitors.ts';
import { pendingOf } from './owners.ts';
import { Progress } from './progress.ts';
import { type Report, recordBaseline, reportConfigMap, reportPods } from './report.ts';
import { carryOn } from './rollout.ts';
import { startRollout } from './rollout-start.ts';
import type { ConfigMonitorContext, Scope } from './scope.ts';

/** A ConfigMap that is created later, and a pod whose news got lost, are looked at again so late. */
const LOOK_AGAIN_MS = 60_000;

/** One ConfigMonitor: restarts the selected pods, a few at a time, when the ConfigMap's data changes. */
export function configMonitorReconciler(context: ConfigMonitorContext): Reconciler<ConfigMonitor> {
  const memory = { changes: new Changes(context.clock), progress: new Progress(context.clock) };
  return {
    reconcile: (object, pass) => {
      const scope = scopeOf(context, { object, pass, ...memory });
      if (scope === undefined) throw specMissing();
      return reconcile(scope);
    },
    whilePaused: async (object, pass) => {
      const scope = scopeOf(context, { object, pass, ...memory });
      if (scope !== undefined) await noteWhilePaused(scope);
    },
    forget: (key) => {
      memory.changes.forget(key);
      memory.progress.forget(key);
    },
  };
}

function scopeOf(
  context: ConfigMonitorContext,
  of: Pick<Scope, 'object' | 'pass' | 'changes' | 'progress'>,
): Scope | undefined {
  const { metadata, spec } = of.object;
  const configMapName = configMapNameOf(spec);
  const labels = spec?.podSelector ?? {};
  if (configMapName === undefined || Object.keys(labels).length === 0) return undefined;
  const selected = context.pods
    .matching(metadata.namespace, labels)
    .filter((pod) => controllerOf(pod) !== undefined || spec.unmanagedPods !== 'Skip');
  const selectedUids = new Set(selected.map((pod) => pod.metadata.uid));
  return { ...context, ...of, spec: withDefaults(spec), configMapName, selected, selectedUids };
}

/** A CRD of release 0.1.0 does not have the field. */
function withDefaults(spec: ConfigMonitorSpec): ConfigMonitorSpec {
  return { ...spec, minReadySeconds: spec.minReadySeconds ?? 10 };
}

async function reconcile(scope: Scope): Promise<Outcome> {
  const { object, pass, changes } = scope;
  const { status } = object;
  const configMap = configMapOf(scope);
  reportConfigMap(configMap, scope);
  if (configMap === undefined) return configMapMissing(scope);
  if (!hasBaseline(scope)) {
    changes.settle(pass.key);
    recordBaseline(configMap, scope);
    return watching(scope);
  }
  const outcome = isChanged(configMap, scope) ? await actOnChange(configMap, scope) : undefined;
  if (outcome !== undefined) return outcome;
  changes.settle(pass.key);
  pass.report({ change: undefined } satisfies Report);
  if (status.rollout === undefined) return watching(scope);
  return scope.spec.suspend ? suspended(scope) : carryOn(status.rollout, scope);
}

function configMapOf({ configMaps, configMapName, object }: Scope): LeanConfigMap | undefined {
  return configMaps.get(`${object.metadata.namespace}/${configMapName}`);
}

function hasBaseline({ configMapName, object: { status } }: Scope): boolean {
  return status.configMap === configMapName && status.configHash !== undefined;
}

/** Other data than that on record is there, or was. */
function isChanged({ hash }: LeanConfigMap, { changes, object }: Scope): boolean {
  const isOther = hash !== recordedHash(object);
  const wasOther = changes.get(object) !== undefined;
  return isOther || wasOther;
}

/** Which pods are older than the data nobody could tell afterwards. */
async function noteWhilePaused(scope: Scope): Promise<void> {
  const configMap = configMapOf(scope);
  if (configMap === undefined || !hasBaseline(scope)) return;
  if (isChanged(configMap, scope)) await noteChange(configMap, scope);
}

/** undefined: the data is back to what is on record, and every pod has it. */
async function actOnChange(configMap: LeanConfigMap, scope: Scope): Promise<Outcome | undefined> {
  const started = await startRollout(configMap, scope);
  if (started.kind === 'held') return started.outcome;
  if (started.kind === 'needless') return undefined;
  return started.rollout === undefined ? watching(scope) : carryOn(started.rollout, scope);
}

function watching(scope: Scope): Outcome {
  const { configMapName, selected, spec } = scope;
  reportPods([], scope);
  if (spec.suspend) {
    return settled('Suspended' satisfies ConfigMonitorReason, 'suspended; no pod waits for it');
  }
  const pods = selected.length === 1 ? '1 pod has' : `${selected.length} pods have`;
  const message = `${pods} the newest data of ConfigMap ${configMapName}`;
  return settled('Watching' satisfies ConfigMonitorReason, message);
}

/** A rollout that is under way keeps its place. */
function suspended(scope: Scope): Outcome {
  const pending = pendingUids(scope);
  reportPods(pending, scope);
  const message = `suspended; ${pending.length} pods wait to be restarted`;
  return waiting('Suspended' satisfies ConfigMonitorReason, message, LOOK_AGAIN_MS);
}

/** What is under way waits too: a pod that needs the ConfigMap would not start again. */
function configMapMissing(scope: Scope): Outcome {
  const { configMapName, object, pass } = scope;
  reportPods(pendingUids(scope), scope);
  pass.disproveReady();
  const message = `there is no ConfigMap ${configMapName} in namespace ${object.metadata.namespace}; no pod is restarted until there is`;
  return waiting('ConfigMapMissing' satisfies ConfigMonitorReason, message, LOOK_AGAIN_MS);
}

function pendingUids(scope: Scope): readonly string[] {
  const { rollout } = scope.object.status;
  return rollout === undefined ? [] : pendingOf(rollout, scope).map(({ metadata }) => metadata.uid);
}

function specMissing(): OperatorError {
  return new OperatorError({
    reason: 'SpecMissing' satisfies ConfigMonitorReason,
    message: 'the object names no ConfigMap, or selects no pods; give it both',
    healedBy: 'person',
  });
}
