import type { ConfigMonitor } from '../../apis/config-monitor.ts';
import { controllerOf, type LeanPod } from './lean-pod.ts';
import type { Scope } from './scope.ts';

/**
 * Whether another ConfigMonitor of the same ConfigMap says that the pod has the data of this hash: a
 * pod that two of them select is restarted once. One that has a change of its own waiting says nothing.
 */
export function isVouchedFor(pod: LeanPod, hash: string, scope: Scope): boolean {
  const { changes, configMapName, monitors, object } = scope;
  return monitors
    .ofConfigMap(`${object.metadata.namespace}/${configMapName}`)
    .filter(({ metadata, status }) => {
      return metadata.uid !== object.metadata.uid && status.configMap === configMapName;
    })
    .filter((other) => changes.get(other) === undefined)
    .some((other) => selects(other, pod) && hasRestartedFor(other, hash, pod.metadata.uid));
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
function hasRestartedFor({ status }: ConfigMonitor, hash: string, uid: string): boolean {
  const { configHash, lastChangeTime, lastRestartTime, rollout } = status;
  if (lastRestartTime === undefined || lastChangeTime === undefined) return false;
  if (Date.parse(lastRestartTime) < Date.parse(lastChangeTime)) return false;
  return rollout === undefined
    ? configHash === hash
    : rollout.hash === hash && !rollout.pods.includes(uid);
}
