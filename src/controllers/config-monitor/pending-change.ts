import type { ConfigMonitor, NotedChange } from '../../apis/config-monitor.ts';
import { formatLabelSelector } from '../../core/objects/kube-object.ts';
import { type DataChange, readRecordedHash } from './memory.ts';
import { formatMillis, type Report, type Scope, shortenHash } from './scope.ts';
import { getController, type TrimmedConfigMap, type TrimmedPod } from './transforms.ts';

/** As many UIDs as a list in status has room for. */
export const MAX_PODS = 5000;

/** It is on record whatever comes of this pass, but for a pass that acts on it. */
export async function noteChange({ hash }: TrimmedConfigMap, scope: Scope): Promise<DataChange> {
  const { changes, object, spec } = scope;
  const before = changes.get(object);
  const selector = formatSelector(spec.podSelector ?? {});
  const isNew = before?.hash !== hash;
  const isSame = !isNew && before.selector === selector;
  const change = isSame ? before : await observePods(hash, selector, scope);
  scope.pass.report({ change: toNotedChange(change) } satisfies Report);
  if (isNew) recordChange(hash, before === undefined, scope);
  return change;
}

/** `app=frontend,tier=web`, in the order of the keys. */
function formatSelector(labels: Readonly<Record<string, string>>): string {
  return formatLabelSelector(labels).split(',').toSorted().join(',');
}

async function observePods(hash: string, selector: string, scope: Scope): Promise<DataChange> {
  const { changes, object, pods } = scope;
  const live = await listLivePods(scope);
  const isVouchedFor = findVouchers(hash, scope);
  const known = [...live].flatMap((uid) => pods.getByUid(uid) ?? []);
  const running = listUids(known.filter(({ state }) => state !== 'starting'));
  return changes.note(object, {
    hash,
    recorded: readRecordedHash(object) ?? hash,
    selector,
    live,
    starting: new Set([...live].filter((uid) => !running.has(uid))),
    vouchedFor: listUids(known.filter(isVouchedFor)),
  });
}

function listUids(pods: readonly TrimmedPod[]): ReadonlySet<string> {
  return new Set(pods.map(({ metadata }) => metadata.uid));
}

/** Beyond the limit of status only this process knows it: one restart too many, never one too few. */
function toNotedChange(change: DataChange): NotedChange | undefined {
  const { hash, recorded, selector, pods, between } = change;
  if (pods.size + between.size > MAX_PODS) return undefined;
  return { hash, recorded, selector, pods: [...pods], between: [...between] };
}

/** The article's sentence for each modification, one event for all that are acted on together. */
function recordChange(hash: string, isFirst: boolean, scope: Scope): void {
  const { clock, configMapName, pass } = scope;
  pass.report({ lastChangeTime: formatMillis(clock.now()) } satisfies Report);
  pass.log.info('Modification detected', { configMap: configMapName, hash: shortenHash(hash) });
  if (!isFirst) return;
  const note = `the data of ConfigMap ${configMapName} changed to ${shortenHash(hash)}`;
  pass.recordEvent({ type: 'Normal', reason: 'ConfigChanged', action: 'Watch', note });
}

/** UIDs of the selected pods, past every cache. */
export function listLivePods({
  livePods,
  object,
  pass,
  spec,
}: Scope): Promise<ReadonlySet<string>> {
  return livePods.uidsOf(object.metadata.namespace, spec.podSelector ?? {}, pass.signal);
}

/** The pods that have the data of status.configHash for certain. */
export function listUnchanged(
  { pods, between }: DataChange,
  { object }: Scope,
): ReadonlySet<string> {
  const { configHash, rollout } = object.status;
  if (rollout === undefined) return pods;
  const changed = new Set([...between, ...(rollout.between ?? rollout.pods)]);
  if (rollout.hash !== configHash) {
    return new Set(rollout.pods.filter((uid) => !changed.has(uid)));
  }
  const pending = new Set(rollout.pods);
  return new Set([...pods].filter((uid) => !changed.has(uid) && !pending.has(uid)));
}

/** A pod that further ones alone vouch for is restarted by each of them. */
const MOST_VOUCHERS = 32;

/**
 * Gives whether another ConfigMonitor of the same ConfigMap says that a pod has the data of this hash: a
 * pod that two of them select is restarted once. One that has a change of its own waiting says nothing.
 */
export function findVouchers(hash: string, scope: Scope): (pod: TrimmedPod) => boolean {
  const vouchers = listMonitorsWith(hash, scope)
    .slice(0, MOST_VOUCHERS)
    .map((other) => ({ other, pending: new Set(other.status.rollout?.pods) }));
  return (pod) =>
    vouchers.some(({ other, pending }) => selects(other, pod) && !pending.has(pod.metadata.uid));
}

/** Those that have restarted pods for this data, or are about it. */
function listMonitorsWith(hash: string, scope: Scope): readonly ConfigMonitor[] {
  const { changes, configMapName, monitors, object, pass } = scope;
  return monitors
    .listByConfigMap(`${object.metadata.namespace}/${configMapName}`)
    .map((other) => pass.pickNewest(other))
    .filter(({ metadata, status }) => {
      return metadata.uid !== object.metadata.uid && status.configMap === configMapName;
    })
    .filter((other) => !changes.isWaiting(other) && hasBegun(other, hash));
}

function selects({ spec }: ConfigMonitor, pod: TrimmedPod): boolean {
  if (spec.unmanagedPods === 'Skip' && getController(pod) === undefined) return false;
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
  return readRecordedHash(other) === hash;
}
