import type { EventDraft, EventRecorder } from '../../src/core/events.ts';
import { type Key, type KubeObject, keyOf } from '../../src/core/kube-object.ts';

export interface RecordedEvent extends EventDraft {
  readonly key: Key;
  readonly uid: string | undefined;
}

/** Keeps every event in memory, in order. */
export class RecordingEvents implements EventRecorder {
  readonly recorded: RecordedEvent[] = [];

  record(regarding: KubeObject, event: EventDraft): void {
    this.recorded.push({ ...event, key: keyOf(regarding), uid: regarding.metadata.uid });
  }

  get reasons(): readonly string[] {
    return this.recorded.map(({ reason }) => reason);
  }
}
