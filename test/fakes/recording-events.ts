import { getKey, type Key, type KubeObject } from '../../src/core/objects/kube-object.ts';
import type { EventDraft, EventRecorder } from '../../src/core/ports/events.ts';

export interface RecordedEvent extends EventDraft {
  readonly key: Key;
  readonly uid: string | undefined;
  readonly kind: string;
}

/** Keeps every event in memory, in order. */
export class RecordingEvents implements EventRecorder {
  readonly recorded: RecordedEvent[] = [];

  record(regarding: KubeObject, event: EventDraft): void {
    const { kind, metadata } = regarding;
    this.recorded.push({ ...event, key: getKey(regarding), kind, uid: metadata.uid });
  }

  get reasons(): readonly string[] {
    return this.recorded.map(({ reason }) => reason);
  }
}
