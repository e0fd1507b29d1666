interface ReasonEntry {
  /** `nobody`: there is nothing to heal. */
  readonly healedBy: 'person' | 'time' | 'nobody';
  /** What has happened, one sentence without its full stop. */
  readonly cause: string;
  /** What to do next, imperative, one sentence in lower case without its full stop. */
  readonly next: string;
}

/** Why a pod does not serve yet, for every kind that makes pods; the documentation prints this table. */
export const podReasons = {
  Starting: {
    healedBy: 'time',
    cause: 'The pod has been created and is not ready yet',
    next: 'wait, or look at the events of the pod if it takes long',
  },
  NotReady: {
    healedBy: 'time',
    cause: 'The pod runs and is not ready, or its node does not answer',
    next: 'look at the events of the pod and at its node',
  },
  Unschedulable: {
    healedBy: 'time',
    cause: 'No node takes the pod',
    next: 'make room, or correct what the message names',
  },
  ImagePullFailing: {
    healedBy: 'time',
    cause: 'The node cannot get the image; it keeps trying',
    next: 'correct spec.image, or let the node into the registry',
  },
  InvalidImage: {
    healedBy: 'person',
    cause: 'The node does not accept the name of the image',
    next: 'correct spec.image',
  },
  ContainerNotCreated: {
    healedBy: 'time',
    cause: 'The node has the image and cannot start the container; it keeps trying',
    next: 'correct what the message names',
  },
  CrashLooping: {
    healedBy: 'time',
    cause: 'The container ends again and again, and the kubelet waits before it restarts it',
    next: 'look at what it said last: kubectl logs <pod> --previous',
  },
  PodTerminating: {
    healedBy: 'time',
    cause: 'The pod is being deleted, and should have been gone by now; its node may be lost',
    next: 'bring the node back, or delete the pod by force once its container surely runs no more',
  },
  Replacing: {
    healedBy: 'time',
    cause: 'A pod is going, and its successor starts as soon as it is gone',
    next: 'wait, a pod has its grace period to end in',
  },
} as const satisfies Record<string, ReasonEntry>;

export type PodReason = keyof typeof podReasons;
