import type { Rollout } from '../../../apis/config-monitor.ts';
import type { KubeObject } from '../../../core/objects/kube-object.ts';
import type { EventDraft } from '../../../core/ports/events.ts';
import { OperatorError } from '../../../core/reconcile/operator-error.ts';
import type { Workload } from '../../../pods/workloads.ts';
import { count, type Scope } from '../scope.ts';
import { listRestartedFor, nameSource } from '../sources/watched-source.ts';
import { getController, nameOwner, type TrimmedPod } from '../transforms.ts';
import { catchRefusal, type WorkloadReader } from '../workload-groups.ts';

/** Owners that get events of their own; the source and the ConfigMonitor report the others. */
const MAX_OWNERS = 50;

/**
 * On the source and on each workload: a restart begins. One event each, however many pods there are. `warning`: of
 * workloads with a single pod.
 */
export function announceStart(rollout: Rollout, warning: string | undefined, scope: Scope): void {
  if (warning !== undefined) {
    const event = { type: 'Warning', reason: 'SingleReplica', action: 'Restart' } as const;
    scope.pass.recordEvent({ ...event, note: warning });
  }
  announceRestart({ reason: 'RestartStarted', verb: 'restarting' }, rollout, scope);
}

/** All of its pods are restarted and available. */
export function announceEnd(rollout: Rollout, scope: Scope): void {
  announceRestart({ reason: 'RestartComplete', verb: 'restarted' }, rollout, scope);
}

interface Wording {
  readonly reason: 'RestartStarted' | 'RestartComplete';
  readonly verb: 'restarting' | 'restarted';
}

function announceRestart({ reason, verb }: Wording, rollout: Rollout, scope: Scope): void {
  const pods = rollout.total === 1 ? '1 pod' : `${rollout.total} pods`;
  const event = { type: 'Normal', reason, action: 'Restart' } as const;
  announce(rollout, scope, {
    onSource: { ...event, note: `${verb} ${pods} for the new data` },
    onOwner: { ...event, note: `${verb} pods for new data of ${nameSources(rollout, scope)}` },
  });
}

/** A person must act. Once for each reason and restart: the failure is repeated with each try. */
export function announceFailure(error: unknown, rollout: Rollout, scope: Scope): void {
  if (!(error instanceof OperatorError) || error.healedBy !== 'person') return;
  const { conditions = [], rollout: before } = scope.object.status;
  const isReported = conditions.some(({ type, status, reason }) => {
    return type === 'Stalled' && status === 'True' && reason === error.reason;
  });
  if (isReported && before?.startTime === rollout.startTime) return;
  count({ failures: 1 }, scope);
  const { message: note, reason } = error;
  const event = { type: 'Warning', reason, action: 'Restart', note } as const;
  announce(rollout, scope, { onSource: event, onOwner: event });
}

interface Announcement {
  readonly onSource: EventDraft;
  readonly onOwner: EventDraft;
}

function announce(rollout: Rollout, scope: Scope, { onSource, onOwner }: Announcement): void {
  const { pass } = scope;
  const by = `ConfigMonitor ${scope.object.metadata.name}`;
  for (const source of listSources(rollout, scope)) {
    pass.recordEvent({ ...onSource, note: `${by}: ${onSource.note}` }, source);
  }
  for (const owner of rollout.owners.slice(0, MAX_OWNERS)) {
    const workload = toObject(owner, scope);
    if (workload) pass.recordEvent({ ...onOwner, note: `${by}: ${onOwner.note}` }, workload);
  }
}

/** Those whose data has changed, as far as they still exist. */
function listSources(rollout: Rollout, scope: Scope): readonly KubeObject[] {
  const { configMaps, object, secrets, watched } = scope;
  const changed = listRestartedFor(rollout, object.status, watched);
  return watched
    .filter((source) => changed.has(nameSource(source)))
    .flatMap(({ kind, name }) => {
      const cache = kind === 'Secret' ? secrets : configMaps;
      return cache.get(`${object.metadata.namespace}/${name}`) ?? [];
    });
}

function nameSources(rollout: Rollout, { object, watched }: Scope): string {
  return [...listRestartedFor(rollout, object.status, watched)].join(' and ');
}

/** `kubectl describe` finds events by UID. */
function toObject(
  { name: owner, uid }: Rollout['owners'][number],
  scope: Scope,
): KubeObject | undefined {
  const { namespace } = scope.object.metadata;
  const [reference = '', group] = owner.split(' of ', 2);
  const [kind = '', name = ''] = reference.split('/', 2);
  const [pod] = scope.pods.listByOwner(namespace, owner, 'kept');
  const apiVersion = group === undefined ? 'apps/v1' : pod && getController(pod)?.apiVersion;
  if (uid === undefined || apiVersion === undefined) return undefined;
  return { apiVersion, kind, metadata: { name, namespace, uid } };
}

/** Names of one message. */
const MAX_NAMES = 5;

/** A warning about workloads whose only pod is restarted; undefined where each has one left, or starts the new one first. */
export async function explainSingleReplicas(
  rollout: Rollout,
  outdated: readonly TrimmedPod[],
  { scope, workloads }: { readonly scope: Scope; readonly workloads: WorkloadReader },
): Promise<string | undefined> {
  const serving = new Set(outdated.filter(({ state }) => state === 'ready').map(nameOwner));
  const owners = rollout.owners.filter(({ name, pods }) => pods === 1 && serving.has(name));
  const found = await Promise.all(owners.map(({ name }) => catchRefusal(workloads.named(name))));
  const read = owners.map(({ name }, index) => ({ name, workload: pickWorkload(found[index]) }));
  const lossy = read.filter(({ workload }) => !isReplacedFirst(workload, scope));
  if (lossy.length === 0) return undefined;
  const canSurge = !usesTemplate(scope) && lossy.every(({ workload }) => workload?.surges);
  return `${describeOwners(lossy.map(({ name }) => name))}; ${canSurge ? SURGE : REPLICAS}`;
}

const SURGE = 'use two replicas, or strategy Auto, which starts the new pod first';
const REPLICAS = 'use two replicas to avoid that';

function usesTemplate({ spec }: Scope): boolean {
  return spec.strategy !== 'Evict' && spec.strategy !== 'Delete';
}

/** With strategy Auto the pods of a paused Deployment are evicted. */
function isReplacedFirst(workload: Workload | undefined, scope: Scope): boolean {
  const isEvicted = workload?.isPaused && scope.spec.strategy === 'Auto';
  return usesTemplate(scope) && workload?.surges === true && !isEvicted;
}

function pickWorkload(found: Workload | Error | undefined): Workload | undefined {
  return found instanceof Error ? undefined : found;
}

/** `CloneSet/shop of apps.kruise.io` without its group. */
function describeOwners(names: readonly string[]): string {
  const short = names.slice(0, MAX_NAMES).map((name) => name.split(' ', 1)[0]);
  const rest = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} others` : '';
  return names.length === 1
    ? `${short[0]} has one replica: it is unavailable for the restart`
    : `${short.join(', ')}${rest} have one replica each: they are unavailable for the restart`;
}

/** The article's sentence, in log and events. */
export function announceEviction({ metadata }: TrimmedPod, { pass, spec }: Scope): void {
  const note = `${metadata.name} was deleted successfully`;
  const isDeleted = spec.strategy === 'Delete';
  // oxlint-disable-next-line albridge/log-messages-are-constant -- the article's sentence
  pass.log.info(note);
  pass.recordEvent({
    type: 'Normal',
    reason: isDeleted ? 'PodDeleted' : 'PodEvicted',
    action: isDeleted ? 'Delete' : 'Evict',
    note,
  });
}

export function warnOfUnmanaged(pod: TrimmedPod, { pass }: Scope): void {
  if (getController(pod) !== undefined) return;
  const note = `pod ${pod.metadata.name} has no controller, so nothing recreates it; set spec.unmanagedPods to Skip to keep such pods`;
  pass.recordEvent({ type: 'Warning', reason: 'UnmanagedPod', action: 'Evict', note });
}
