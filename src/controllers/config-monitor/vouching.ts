import type { ConfigMonitor } from '../../apis/config-monitor.ts';
import { recordedHash } from './changes.ts';
import { controllerOf, type LeanPod } from './lean-pod.ts';
import type { Scope } from './scope.ts';

/** A pod that further ones alone vouch for is restarted by each of them. */
const MOST_VOUCHERS = 32;

/**
 * Gives whether another ConfigMonitor of the same ConfigMap says that a pod has the data of this hash: a
 * pod that two of them select is restarted once. One that has a change of its own waiting says nothing.
 */
export function vouchersOf(hash: string, scope: Scope): (pod: LeanPod) => boolean {
  const vouchers = othersWith(hash, scope)
    .slice(0, MOST_VOUCHERS)
    .map((other) => ({ other, pending: new Set(other.status.rollout?.pods) }));
  return (pod) =>
    vouchers.some(({ other, pending }) => selects(other, pod) && !pending.has(pod.metadata.uid));
}

/** Those that have restarted pods for this data, or are about it. */
function othersWith(hash: string, scope: Scope): readonly ConfigMonitor[] {
  const { changes, configMapName, monitors, object } = scope;
  return monitors
    .ofConfigMap(`${object.metadata.namespace}/${configMapName}`)
    .filter(({ metadata, status }) => {
      return metadata.uid !== object.metadata.uid && status.configMap === configMapName;
    })
    .filter((other) => changes.get(other) === undefined && hasBegun(other, hash));
}

function selects({ spec }: ConfigMonitor, pod: LeanPod): boolean {
  if (spec.unmanagedPods === 'Skip' && controllerOf(pod) === undefined) return false;
  const { labels = {} } = pod.metadata;
  return Object.entries(spec.podSelector ?? {}).every(([key, value]) => labels[key] === value);
}

/**
 * A baseline says nothing about older data, and who has seen other data since its last restart does
 * not know what pods have come meanwhile.
 */
function hasBegun(other: ConfigMonitor, hash: string): boolean {
  const { lastChangeTime, lastRestartTime } = other.status;
  if (lastRestartTime === undefined || lastChangeTime === undefined) return false;
  if (Date.parse(lastRestartTime) < Date.parse(lastChangeTime)) return false;
  return recordedHash(other) === hash;
}
