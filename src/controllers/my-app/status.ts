import type { MyApp, MyAppStatus } from '../../apis/my-app.ts';
import { type MyAppReason, myAppReasons } from '../../apis/my-app-reasons.ts';
import { formatLabelSelector } from '../../core/objects/kube-object.ts';
import { createFailure } from '../../core/reconcile/failure.ts';
import { type Outcome, settled, waiting } from '../../core/reconcile/outcome.ts';
import type { Pod } from '../../pods/pod.ts';
import { explainDeletion, readPhase, readPodStateKind } from '../../pods/pod-state.ts';
import { buildLabels } from './desired-pods.ts';
import type { Slot, Snapshot } from './observed-pods.ts';
import { computeStayMs, type Now } from './replacement.ts';

type Report = { readonly [Field in keyof MyAppStatus]?: unknown };

/** Every count is there, also 0: a column of `kubectl get` would be blank without. */
export function buildReport(object: MyApp, { slots, surplus }: Snapshot): Report {
  const [first] = slots;
  const pod = first && getPod(first);
  const pods = [...slots.flatMap((slot) => getPod(slot) ?? []), ...surplus];
  return {
    podName: pod?.metadata.name,
    podUID: pod?.metadata.uid,
    phase: pod && readPhase(pod),
    replicas: pods.length,
    updatedReplicas: slots.filter(({ kind }) => kind === 'standing' || kind === 'ended').length,
    readyReplicas: pods.filter(isServing).length,
    selector: formatLabelSelector(buildLabels(object)),
  };
}

export function getPod(slot: Slot): Pod | undefined {
  return 'pod' in slot ? slot.pod : undefined;
}

function isServing(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp === undefined && readPodStateKind(pod) === 'ready';
}

/** The next change of a pod comes by watch; this is for one that never comes. */
const RECHECK_MS = 60_000;

/** Judges by the first pod that is not as desired; throws where it is a failure. */
export function judgeSlots({ slots, surplus }: Snapshot, now: Now): Outcome {
  for (const slot of slots) {
    const trouble = findTrouble(slot, now);
    if (trouble !== undefined) return trouble;
  }
  const [extra] = surplus;
  if (extra !== undefined) {
    const { reason, message, requeueAfterMs } = explainDeletion(extra, now.ms);
    return waiting(reason, message, requeueAfterMs);
  }
  if (slots.length === 0) {
    return settled('Stopped' satisfies MyAppReason, 'scaled to 0');
  }
  const pods = slots.length === 1 ? '1 pod is running' : `${slots.length} pods are running`;
  return settled('Running' satisfies MyAppReason, pods);
}

function findTrouble(slot: Slot, now: Now): Outcome | undefined {
  const { name } = slot.desired.metadata;
  switch (slot.kind) {
    case 'vacant':
      return waiting(
        'Starting' satisfies MyAppReason,
        `waiting for the pod cache to show pod ${name}`,
        1_000,
      );
    case 'going': {
      const { reason, message, requeueAfterMs } = explainDeletion(slot.pod, now.ms);
      return waiting(reason, message, requeueAfterMs);
    }
    case 'outdated':
      return awaitReplacement(`pod ${name} has an older spec`);
    case 'ended':
      return judgeEnded(slot, now);
    case 'standing':
      return slot.isReady ? undefined : judgeUnready(slot);
    default:
      return slot satisfies never;
  }
}

function awaitReplacement(message: string): Outcome {
  return waiting('Replacing' satisfies MyAppReason, message, RECHECK_MS);
}

/** Throws a failure that time heals: reported as a warning, and retried when the delay is over. */
function judgeEnded(slot: Extract<Slot, { kind: 'ended' }>, now: Now): Outcome {
  const { pod, end } = slot;
  const { name } = pod.metadata;
  const leftMs = computeStayMs(slot, now);
  if (leftMs === 0) return awaitReplacement(`pod ${name} has ended (${end.reason})`);
  const code = end.exitCode === undefined ? '' : `, exit code ${end.exitCode}`;
  throw createFailure(myAppReasons, 'BackOff', {
    observed: `pod ${name} has ended (${end.reason}${code}); it is replaced ten seconds after its end`,
    fill: { pod: name },
    retryAfterMs: leftMs,
  });
}

function judgeUnready({ pod, state }: Extract<Slot, { kind: 'standing' }>): Outcome {
  if (state.kind !== 'unready')
    return awaitReplacement(`pod ${pod.metadata.name} has just changed`);
  const { reason, message } = state;
  if (reason !== 'InvalidImage') return waiting(reason, message, RECHECK_MS);
  throw createFailure(myAppReasons, reason, { observed: message });
}
