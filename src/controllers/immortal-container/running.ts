import type { ImmortalContainerReason } from '../../apis/immortal-container-reasons.ts';
import type { Pod } from '../../apis/pod.ts';
import { podStateOf } from '../../apis/pod-state.ts';
import { OperatorError } from '../../core/operator-error.ts';
import { type Outcome, settled, waiting } from '../../core/outcome.ts';
import { ensureOwned, type OwnedChange } from '../../core/owned-objects.ts';
import { CONTAINER } from './desired-pod.ts';
import { LOOK_AGAIN_MS } from './replacement.ts';
import { reportNoPod, reportPod } from './report.ts';
import type { Scope } from './scope.ts';

/** Starts the pod where there is none, mends what others changed in it, and says how it gets on. */
export async function keepRunning(seen: Pod | undefined, scope: Scope): Promise<Outcome> {
  const pod = (await ensurePod(seen, scope)) ?? seen;
  if (pod === undefined) return notSeenYet(scope);
  reportPod(pod, scope);
  scope.pass.report({ replacementReason: undefined });
  return outcomeOf(pod, scope);
}

/** What a write answered is newer than what the cache shows. */
async function ensurePod(seen: Pod | undefined, scope: Scope): Promise<Pod | undefined> {
  const { object, pods, desired, pass } = scope;
  if (seen === undefined) {
    reportNoPod(scope);
    pass.disproveReady();
  }
  let written: Pod | undefined;
  const onChange = (change: OwnedChange): void => {
    written = change.child;
    tell(change, scope);
  };
  await ensureOwned(object, { ...pods, desired: [desired], signal: pass.signal, onChange });
  return written;
}

function tell(change: OwnedChange, scope: Scope): void {
  if (change.kind === 'created') return tellStart(change.child, scope);
  const { name } = change.child.metadata;
  const differences = 'differences' in change ? change.differences : [];
  const list = differences.length === 0 ? '' : `: ${differences.join(', ')}`;
  scope.pass.log.info(change.kind === 'deleted' ? 'Deleted pod' : 'Mended pod', {
    pod: name,
    fields: differences,
  });
  if (change.kind === 'deleted') return;
  const note = `Mended pod ${name}${list}`;
  scope.pass.event({ type: 'Normal', reason: 'PodMended', action: 'Mend', note });
}

/** One event for each start, with its number and why the pod before it is no more. */
function tellStart(pod: Pod, { object, pass, starts }: Scope): void {
  const { name } = pod.metadata;
  const { startTimes } = starts.count(pass.key, object, pod);
  const isFirst = startTimes === 1;
  const why = object.status?.replacementReason ?? 'Deleted';
  pass.log.info('Created pod', { pod: name, startTimes, ...(!isFirst && { why }) });
  pass.event({
    type: 'Normal',
    reason: isFirst ? 'PodCreated' : 'PodReplaced',
    action: 'Create',
    note: isFirst
      ? `Created pod ${name}`
      : `Created pod ${name} again (${why}), start ${startTimes}`,
  });
}

function outcomeOf(pod: Pod, { starts, pass, object }: Scope): Outcome {
  const state = podStateOf(pod, CONTAINER);
  if (state.kind === 'ready') {
    const { startTimes } = starts.recordOf(pass.key, object);
    const message = `pod ${pod.metadata.name} runs, start ${startTimes}`;
    return settled('Running' satisfies ImmortalContainerReason, message);
  }
  if (state.kind === 'ended') return waiting('Starting', 'the pod has ended already', 0);
  const { reason, message } = state;
  if (reason === 'InvalidImage') throw invalidImage(message);
  return waiting(reason, message, LOOK_AGAIN_MS);
}

/** Created by another replica, or just now by nobody knows whom: the watch will show it. */
function notSeenYet(scope: Scope): Outcome {
  const { name } = scope.desired.metadata;
  return waiting(
    'Starting' satisfies ImmortalContainerReason,
    `pod ${name} is not seen yet`,
    1_000,
  );
}

function invalidImage(message: string): OperatorError {
  return new OperatorError({
    reason: 'InvalidImage' satisfies ImmortalContainerReason,
    message: `${message}; correct spec.image`,
    healedBy: 'person',
  });
}
