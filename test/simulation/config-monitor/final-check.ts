import { type ConfigMonitor, POD_DELETE_MATCH } from '../../../src/apis/config-monitor.ts';
import { isGuarded } from '../api-model/evictions.ts';
import { BUDGETS, CONFIG_MAPS, PODS, SECRETS } from '../api-model/kinds.ts';
import type { ObjectTable } from '../api-model/object-table.ts';
import { keyOfStored, type ServedKind, type StoredObject } from '../api-model/stored-object.ts';
import { checkOwner } from '../owner-check.ts';
import { controllerOf } from '../owner-invariants.ts';
import type { DataHashes } from '../sources/data-hashes.ts';
import {
  type DataKey,
  isTaken,
  nameData,
  sourcesOf,
  type WatchedSource,
} from '../sources/watched.ts';
import type { Report } from '../violation.ts';
import { isActive, isReady, isSelected } from '../world/pod-facts.ts';
import { setOf } from '../world/stateful-set-controller.ts';
import type { History } from './history.ts';

export interface FinalMonitorParts {
  readonly table: ObjectTable;
  readonly kind: ServedKind;
  readonly history: History;
  readonly hashes: DataHashes;
  /** The operator may watch Secrets. */
  readonly hasSecrets: boolean;
  readonly report: Report;
  /** Whether a fault took effect in this time. */
  readonly isDisturbed: (fromMs: number, toMs: number) => boolean;
}

/** As long as a pass may take in which something goes wrong. */
const LONGEST_PASS_MS = 5000;
/** So long a watch that fell silent may go unnoticed, and be on its way back after that. */
const AFTERMATH_MS = 100_000;
/** From a change to the look at the pods that follows it. */
const QUICK_MS = 100;

/**
 * In the end every monitor says that its pods have the newest data, and so it is; or it says truly
 * why they cannot have it. Each annotated ConfigMap has its monitor, and no other has one.
 */
export function checkFinalMonitors(parts: FinalMonitorParts): void {
  const { table, kind } = parts;
  const monitors = table.list(kind) as unknown as readonly ConfigMonitor[];
  for (const monitor of monitors) checkMonitor(parts, monitor);
  checkHashes(parts, monitors);
  for (const config of table.list(CONFIG_MAPS)) checkAnnotation(parts, config);
}

function checkMonitor(parts: FinalMonitorParts, monitor: ConfigMonitor): void {
  const { report } = parts;
  const key = `${monitor.metadata.namespace}/${monitor.metadata.name}`;
  const ready = checkOwner(monitor, report);
  if (ready === undefined) return;
  const excuse = excuses(parts, monitor)[ready.reason];
  if (excuse === false) report('stalled-is-true', `${key} says ${ready.reason}`);
  const pods = podsOf(parts, monitor);
  const late = pods.filter((pod) => !hasNewest(parts, monitor, pod));
  if (ready.reason === 'Forbidden') {
    checkUnrefused({ late: late.filter(isFreeToGo(parts)), pods }, key, report);
  }
  if (excuse !== undefined) return;
  const isForged = parts.history.forged.has(configOf(monitor));
  const wrong = [
    ...(ready.status === 'True' ? [] : [`it is ${ready.status} ${ready.reason}`]),
    ...(monitor.status.rollout === undefined || isForged ? [] : ['it still has a rollout']),
    ...(hasTrueHash(parts, monitor) ? [] : ['configHash is of other data']),
    ...late.map(({ metadata }) => `${metadata.name} was not restarted`),
  ];
  if (wrong.length > 0) report('converges', `${key}: ${wrong.join('; ')}`);
}

/** Ten minutes more if a container of a new pod has restarted (docs/configmonitor.md). */
const SOUND_AFTER_MS = 600_000;
const WAITING: ReadonlySet<string> = new Set(['PDBBlocked', 'WaitingForReady']);

/**
 * A restart that waits is Stalled once it has made no progress for its deadline: a pod that began or went is some,
 * also where its Deployment replaced it as late as its new pods were ready for a moment.
 */
export function findDeadlineMs({
  table,
  kind,
  history,
}: Pick<FinalMonitorParts, 'table' | 'kind' | 'history'>): number {
  const monitors = table.list(kind) as unknown as readonly ConfigMonitor[];
  const waiting = monitors.filter(({ status }) => {
    return status.conditions?.some(({ reason }) => WAITING.has(reason));
  });
  const deadlines = waiting.map((monitor) => {
    const { minReadySeconds, progressDeadlineSeconds } = monitor.spec;
    return (
      history.lastMovedMs(monitor) +
      (minReadySeconds + progressDeadlineSeconds) * 1000 +
      SOUND_AFTER_MS
    );
  });
  return Math.max(0, ...deadlines);
}

/** One that a webhook refuses keeps no other from the newest data, unless it is unavailable itself. */
function checkUnrefused(
  { late, pods }: Readonly<Record<'late' | 'pods', readonly StoredObject[]>>,
  key: string,
  report: Report,
): void {
  if (pods.some((pod) => isGuarded(pod) && !isReady(pod))) return;
  const others = late.filter((pod) => !isGuarded(pod)).map(({ metadata }) => metadata.name);
  if (others.length > 0) report('converges', `${key}: ${others.join(', ')} wait for another pod`);
}

/** A budget without room, and two of them on one pod, keep a pod as well as a webhook does. */
function isFreeToGo({ table }: FinalMonitorParts): (pod: StoredObject) => boolean {
  return (pod) => {
    const budgets = table.list(BUDGETS).filter((budget) => isBudgetOf(budget, pod));
    return budgets.length < 2 && !budgets.some(allowsNone);
  };
}

/** Why pods may be left as they are, and whether it is so. */
function excuses(
  parts: FinalMonitorParts,
  monitor: ConfigMonitor,
): Readonly<Record<string, boolean>> {
  const { hasSecrets, table } = parts;
  const pods = podsOf(parts, monitor);
  const isMissing = ({ kind, name }: WatchedSource): boolean => {
    const served = kind === 'Secret' ? SECRETS : CONFIG_MAPS;
    return table.get(served, `${monitor.metadata.namespace}/${name}`) === undefined;
  };
  const missing = sourcesOf(monitor.spec).filter(isMissing);
  const budgets = (pod: StoredObject): readonly StoredObject[] =>
    table.list(BUDGETS).filter((budget) => isBudgetOf(budget, pod));
  return {
    Suspended: monitor.spec.suspend,
    ConfigMapMissing: missing.some(({ kind }) => kind === 'ConfigMap'),
    SecretMissing: missing.some(({ kind }) => kind === 'Secret'),
    SecretsOff: !hasSecrets && sourcesOf(monitor.spec).some(({ kind }) => kind === 'Secret'),
    PDBBlocked: pods.some((pod) => budgets(pod).some(allowsNone)),
    Forbidden: pods.some(isGuarded),
    MultiplePDBs: pods.some((pod) => budgets(pod).length > 1),
    ProgressDeadlineExceeded: [...pods, ...listOwned(parts, monitor)].some((pod) => {
      const isBroken = !isReady(pod) && !isLeft(parts, monitor, pod);
      return isBroken || budgets(pod).some(allowsNone);
    }),
  };
}

/** Nobody but the operator replaces a pod of a StatefulSet that is not ready. */
function isLeft(parts: FinalMonitorParts, monitor: ConfigMonitor, pod: StoredObject): boolean {
  return setOf(pod) !== undefined && !isGuarded(pod) && !hasNewest(parts, monitor, pod);
}

/** Those of the owners that a restart waits for, selected still or not. */
function listOwned(
  { history, table }: FinalMonitorParts,
  { metadata, status }: ConfigMonitor,
): readonly StoredObject[] {
  const owners = (status.rollout?.owners ?? []).map(({ name }) => name.split('/')[1]);
  return table.list(PODS).filter((pod) => {
    const [namespace, name] = history.pods.get(pod.metadata.uid)?.deployment?.split('/') ?? [];
    return namespace === metadata.namespace && owners.includes(name);
  });
}

/** Those that are to be restarted for a change. */
function podsOf(
  { history, table }: FinalMonitorParts,
  { metadata, spec }: ConfigMonitor,
): readonly StoredObject[] {
  return table
    .list(PODS)
    .filter((pod) => pod.metadata.namespace === metadata.namespace)
    .filter((pod) => {
      const life = history.pods.get(pod.metadata.uid);
      return isActive(pod) && life !== undefined && isTaken(spec, life);
    })
    .filter((pod) => controllerOf(pod, 'Job') === undefined)
    .filter((pod) => controllerOf(pod) !== undefined || spec.unmanagedPods !== 'Skip')
    .filter((pod) => controllerOf(pod) !== undefined || !history.hasSkipped(metadata.uid));
}

/** It was started with it, or the content of its time is what the monitor began with. */
function hasNewest(parts: FinalMonitorParts, monitor: ConfigMonitor, pod: StoredObject): boolean {
  const { history } = parts;
  const life = history.pods.get(pod.metadata.uid);
  if (life === undefined) return false;
  if (history.forged.has(configOf(monitor))) return true;
  const { metadata, spec } = monitor;
  const config = history.dataFor({ key: `${metadata.namespace}/${metadata.name}`, spec }, life);
  const newest = history.contentsSince(config, Number.POSITIVE_INFINITY).at(-1);
  const begunMs = history.begunMs(monitor.metadata.uid, life);
  const { startedMs = Number.POSITIVE_INFINITY } = life;
  const isOlder = startedMs < begunMs;
  if (history.contentAt(config, startedMs) === newest) return true;
  // Older ones are taken to have what the monitor began with.
  if (isOlder && history.contentAt(config, begunMs) === newest) return true;
  if (wasUnseen(parts, config, startedMs) || wasMissing(history, config, startedMs)) return true;
  const since = history.contentsSince(config, begunMs);
  return isOlder && since.every((content) => content === newest);
}

/** Of an optional source that came back as it had been, or was so in the end; docs/configmonitor.md names this limit. */
function wasMissing(history: History, config: string, startedMs: number): boolean {
  if (history.contentAt(config, startedMs) !== undefined) return false;
  const since = history.contentsSince(config, startedMs);
  const before = history.contentsSince(config, 0).at(-since.length - 1);
  return since.at(-1) === before;
}

/** Data that is taken back leaves no trace: who was started with it before anybody could see it keeps it. */
function wasUnseen(
  { history, isDisturbed }: FinalMonitorParts,
  config: string,
  startedMs: number,
): boolean {
  const detour = history.detourAt(config, startedMs);
  if (detour === undefined) return false;
  const { fromMs, untilMs } = detour;
  return (
    startedMs < fromMs + QUICK_MS || isDisturbed(fromMs - AFTERMATH_MS, untilMs + LONGEST_PASS_MS)
  );
}

function hasTrueHash({ hashes }: FinalMonitorParts, monitor: ConfigMonitor): boolean {
  return hashes.of(configOf(monitor)).some((hash) => hash === monitor.status.configHash);
}

/** Equal contents have equal hashes, others have others. */
function checkHashes(parts: FinalMonitorParts, monitors: readonly ConfigMonitor[]): void {
  const { history, report } = parts;
  const hashes = new Map<string, string>();
  const contents = new Map<string, string>();
  for (const monitor of monitors) {
    const newest = history.contentsSince(configOf(monitor), Number.POSITIVE_INFINITY).at(-1);
    const { configHash, hashKey, conditions = [] } = monitor.status;
    const isReadyNow = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
    if (newest === undefined || configHash === undefined || !isReadyNow) continue;
    const content = `${hashKey} ${nameSources(monitor)} ${newest}`;
    const isSame = (hashes.get(content) ?? configHash) === configHash;
    const isOther = (contents.get(configHash) ?? content) === content;
    if (!isSame || !isOther) report('converges', `${configHash} is the hash of another content`);
    hashes.set(content, configHash);
    contents.set(configHash, content);
  }
}

/** An annotation that nobody understands changes nothing, and a name that is taken is nobody else's. */
function checkAnnotation(parts: FinalMonitorParts, config: StoredObject): void {
  const { table, kind, report } = parts;
  const key = keyOfStored(config);
  const selector = config.metadata.annotations?.[POD_DELETE_MATCH];
  const holder = table.get(kind, `${key}-annotated`);
  const isTaken = holder !== undefined && controllerOf(holder) === undefined;
  if (selector !== undefined && (isTaken || !/^[\w=,]+$/.test(selector))) return;
  const own = table.list(kind).filter((one) => controllerOf(one) === config.metadata.uid);
  if (own.length === Number(selector !== undefined)) return;
  report('converges', `ConfigMap ${key} has ${own.length} monitors of its own`);
}

function isBudgetOf(budget: StoredObject, pod: StoredObject): boolean {
  const { selector } = budget['spec'] as {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
  };
  return (
    budget.metadata.namespace === pod.metadata.namespace && isSelected(pod, selector.matchLabels)
  );
}

function allowsNone(budget: StoredObject): boolean {
  const { disruptionsAllowed = 0 } = (budget['status'] ?? {}) as {
    readonly disruptionsAllowed?: number;
  };
  return disruptionsAllowed === 0;
}

function configOf({ metadata, spec }: ConfigMonitor): DataKey {
  return nameData(metadata.namespace, sourcesOf(spec));
}

/** The hash of one whole ConfigMap is that of its data alone. */
function nameSources({ metadata, spec }: ConfigMonitor): string {
  const { name } = metadata;
  const key = configOf({ metadata: { name, namespace: '' }, spec } as ConfigMonitor);
  return key.includes('[') ? key : '';
}
