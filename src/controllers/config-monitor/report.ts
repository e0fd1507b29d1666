import type { ConfigMonitorStatus } from '../../apis/config-monitor.ts';
import type { LeanConfigMap } from './lean-config-map.ts';
import type { Scope } from './scope.ts';

export type Report = { readonly [Field in keyof ConfigMonitorStatus]?: unknown };

/** The condition ConfigMapFound. */
export function reportConfigMap(configMap: LeanConfigMap | undefined, scope: Scope): void {
  const { configMapName, pass } = scope;
  const type = 'ConfigMapFound';
  if (configMap !== undefined) {
    const message = `ConfigMap ${configMapName} exists`;
    return pass.condition({ type, status: 'True', reason: 'Found', message });
  }
  const message = `there is no ConfigMap ${configMapName}`;
  pass.condition({ type, status: 'False', reason: 'NotFound', message });
}

/** Also 0 is written: a column of `kubectl get` would be blank without. */
export function reportPods(pending: readonly string[], { pass, selected }: Scope): void {
  const report: Report = { matchedPods: selected.length, pendingPods: pending.length };
  pass.report(report);
}

/** What is seen first is what the pods are taken to have: nothing is restarted for it. */
export function recordBaseline({ hash }: LeanConfigMap, scope: Scope): void {
  const { configMapName, object, pass } = scope;
  const { restarts = 0 } = object.status;
  const none: Report = { rollout: undefined, change: undefined };
  pass.report({ configMap: configMapName, restarts, ...none, ...hashes(hash) });
  const note = `ConfigMap ${configMapName} is watched from its data ${shortOf(hash)} on`;
  pass.log.info(note);
  pass.event({ type: 'Normal', reason: 'BaselineRecorded', action: 'Watch', note });
}

/** The pods have the data of this hash. */
export function hashes(hash: string): Report {
  return { configHash: hash, shortHash: shortOf(hash) };
}

export function shortOf(hash: string): string {
  return hash.slice(0, 8);
}

/** RFC 3339 in whole seconds, the form of metav1.Time. */
export function toSeconds(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

/**
 * RFC 3339 to the millisecond, for times that are compared with when a workload was restarted: two
 * changes of one second are two.
 */
export function toMillis(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
