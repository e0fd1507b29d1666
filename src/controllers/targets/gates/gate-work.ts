import type { Key } from '../../../core/objects/kube-object.ts';
import type { ObjectCache } from '../../../core/ports/cache.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import type { EventRecorder } from '../../../core/ports/events.ts';
import type { Logger } from '../../../core/ports/logger.ts';
import type { PodConditionWriter } from '../../../pods/pod-ports.ts';
import type { Group, ServedGroup } from '../group.ts';
import type { TrimmedService } from '../transforms.ts';
import type { GatedPod } from './gated-pod.ts';

/** A backend that gets requests, whether its target group is there or not. */
export interface DeclaredBackend extends Pick<ServedGroup, 'backend' | 'service' | 'targetType'> {
  readonly owner: Key;
}

/** The backends of all objects, but for those that are paused, only planned or being deleted. */
export interface DeclaredBackends {
  list(namespace: string): readonly DeclaredBackend[];
  /** False for an object that is gone or only planned, whatever groups it has. */
  isActive(owner: Key): boolean;
  /** Calls `onChange` with each namespace whose list may have changed. */
  follow(onChange: (namespace: string) => void): () => void;
  /** Resolves once all that may declare one has been read, and the groups of the start are published. */
  known(): Promise<unknown>;
}

export interface GateOptions {
  readonly pods: Pick<ObjectCache<GatedPod>, 'get' | 'subscribe'>;
  readonly backends: DeclaredBackends;
  readonly conditions: PodConditionWriter;
  readonly events: EventRecorder;
}

export interface GateWork extends GateOptions {
  readonly services: Pick<ObjectCache<TrimmedService>, 'get'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** The published groups whose Service is in the namespace, those that are replaced among them. */
  readonly listGroups: (namespace: string) => readonly Group[];
  /** A pod waits for AWS's answer about the group from now on. */
  readonly onAwaited: (group: Group) => void;
  readonly onPod: (pod: GatedPod, isGone: boolean) => void;
}
