import type { MyAppReason } from '../../apis/my-app-reasons.ts';
import { goingOf } from '../../apis/pod-going.ts';
import { OperatorError } from '../../core/operator-error.ts';
import { type Outcome, settled, waiting } from '../../core/outcome.ts';
import type { Look } from './look.ts';
import { endedStaysForMs } from './replacement.ts';
import type { Slot } from './slot.ts';

/** The next change of a pod comes by watch; this is for one that never comes. */
const LOOK_AGAIN_MS = 60_000;

/** What the first pod that is not as wanted has to say; throws where it is a failure. */
export function outcomeOf({ slots, surplus }: Look, nowMs: number): Outcome {
  for (const slot of slots) {
    const trouble = troubleOf(slot, nowMs);
    if (trouble !== undefined) return trouble;
  }
  const [extra] = surplus;
  if (extra !== undefined) {
    const { reason, message, againAfterMs } = goingOf(extra, nowMs);
    return waiting(reason, message, againAfterMs);
  }
  if (slots.length === 0) {
    return settled('Stopped' satisfies MyAppReason, 'no pod is wanted, none runs');
  }
  const pods = slots.length === 1 ? '1 pod runs' : `${slots.length} pods run`;
  return settled('Running' satisfies MyAppReason, pods);
}

function troubleOf(slot: Slot, nowMs: number): Outcome | undefined {
  const { name } = slot.desired.metadata;
  switch (slot.kind) {
    case 'vacant':
      return waiting('Starting' satisfies MyAppReason, `pod ${name} is not seen yet`, 1_000);
    case 'going': {
      const { reason, message, againAfterMs } = goingOf(slot.pod, nowMs);
      return waiting(reason, message, againAfterMs);
    }
    case 'outdated':
      return replacing(`pod ${name} is of an older spec`);
    case 'ended':
      return ended(slot, nowMs);
    case 'standing':
      return slot.isReady ? undefined : unready(slot);
    default:
      return slot satisfies never;
  }
}

function replacing(message: string): Outcome {
  return waiting('Replacing' satisfies MyAppReason, message, LOOK_AGAIN_MS);
}

/** A failure that time heals: told as a warning, and tried again when the delay is over. */
function ended(slot: Extract<Slot, { kind: 'ended' }>, nowMs: number): Outcome {
  const { pod, end } = slot;
  const { name } = pod.metadata;
  const leftMs = endedStaysForMs(slot, nowMs);
  if (leftMs === 0) return replacing(`pod ${name} has ended (${end.reason})`);
  const code = end.exitCode === undefined ? '' : `, exit code ${end.exitCode}`;
  throw new OperatorError({
    reason: 'BackOff' satisfies MyAppReason,
    message: `pod ${name} has ended (${end.reason}${code}); it is replaced ten seconds after its end, and at once if you delete it`,
    healedBy: 'time',
    retryAfterMs: leftMs,
  });
}

function unready({ pod, state }: Extract<Slot, { kind: 'standing' }>): Outcome {
  if (state.kind !== 'unready') return replacing(`pod ${pod.metadata.name} has just changed`);
  const { reason, message } = state;
  if (reason !== 'InvalidImage') return waiting(reason, message, LOOK_AGAIN_MS);
  throw new OperatorError({
    reason: reason satisfies MyAppReason,
    message: `${message}; correct spec.image`,
    healedBy: 'person',
  });
}
