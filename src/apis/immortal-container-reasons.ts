import { podReasons } from './pod-reasons.ts';

/**
 * Every reason that Ready, Reconciling and Stalled of an ImmortalContainer can show, beside those of
 * the API server; the documentation prints this table.
 */
export const immortalContainerReasons = {
  Running: {
    healedBy: 'nobody',
    cause: 'The pod is ready and of the newest spec',
    next: 'look at it: kubectl logs <name>-immortalpod',
  },
  Paused: {
    healedBy: 'nobody',
    cause: 'The annotation albridge.io/paused stops every write to the pod',
    next: 'remove the annotation albridge.io/paused to go on',
  },
  ...podReasons,
  BackOff: {
    healedBy: 'time',
    cause:
      'The pod has ended by itself; it is replaced after 10 s, then after twice as long, at most 5 min',
    next: 'read its last words while it is there (kubectl logs), or delete it to start at once',
  },
  NameConflict: {
    healedBy: 'person',
    cause: 'A pod of the wanted name exists and is not of this object',
    next: 'delete that pod, or give the ImmortalContainer another name',
  },
  SpecMissing: {
    healedBy: 'person',
    cause: 'The object was stored without an image, before the CRD required one',
    next: 'give it spec.image',
  },
} as const;

export type ImmortalContainerReason = keyof typeof immortalContainerReasons;
