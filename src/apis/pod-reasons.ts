import type { ReasonEntry } from './core-reasons.ts';

/** Why a pod is not ready yet, for every kind that makes pods; the documentation prints this table. */
export const podReasons = {
  Starting: {
    healedBy: 'time',
    cause: 'The pod has been created and is not ready yet',
    next: 'wait; if it takes long, check the events of the pod',
  },
  NotReady: {
    healedBy: 'time',
    cause: 'The pod runs and is not ready, or its node does not respond',
    next: 'check the events of the pod, and its node',
  },
  Unschedulable: {
    healedBy: 'time',
    cause: 'No node can run the pod',
    next: 'add capacity, or correct what the message names',
  },
  ImagePullFailing: {
    healedBy: 'time',
    cause: 'The node cannot pull the image and keeps retrying',
    next: 'correct spec.image, or give the node access to the registry',
  },
  InvalidImage: {
    healedBy: 'person',
    cause: 'The node rejects the name of the image',
    next: 'correct spec.image',
  },
  ContainerNotCreated: {
    healedBy: 'time',
    cause: 'The node has the image, cannot start the container and keeps retrying',
    next: 'correct what the message names',
  },
  CrashLooping: {
    healedBy: 'time',
    cause: 'The container keeps crashing, and the kubelet waits before it restarts it',
    next: 'check its last output: kubectl logs <pod> --previous',
  },
  PodTerminating: {
    healedBy: 'time',
    cause: 'The pod should have been deleted by now; its node may be lost, or a finalizer holds it',
    next: 'bring the node back, or force the deletion once the container surely no longer runs; what set a finalizer must remove it',
  },
  Replacing: {
    healedBy: 'time',
    cause:
      'A pod is being deleted, and its replacement starts once the deletion completes; or the API server refuses a pod as existing that it does not show',
    next: 'wait; a pod may use its whole grace period; if it stays, check the admission webhooks',
  },
} as const satisfies Record<string, ReasonEntry>;

/** Of every kind with spec.podTemplate. */
export const podTemplateReasons = {
  PodTemplateTooLong: {
    healedBy: 'person',
    cause: 'The spec.podTemplate has more than 16,384 characters as JSON, or more than 64 levels',
    next: 'shorten spec.podTemplate; long texts belong into a ConfigMap or the image',
  },
} as const satisfies Record<string, ReasonEntry>;

export type PodReason = keyof typeof podReasons;

/** Of the condition PodReady, where the pod gives no reason of its own. */
export const podReadyReasons = {
  NoPod: 'PodReady=False: no pod exists',
  PodPending: 'PodReady=False: the pod has not started yet',
  PodReady: 'PodReady=True: the pod is ready',
  PodNotReady: 'PodReady=False: the pod is not ready',
} as const;
