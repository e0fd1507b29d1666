import type { ReasonEntry } from './core-reasons.ts';
import { podReadyReasons, podReasons, podTemplateReasons } from './pod-reasons.ts';

/**
 * Every reason that Ready, Reconciling and Stalled of a MyApp can show, besides those of the API
 * server. The documentation prints this table, and failures are built from it.
 */
export const myAppReasons = {
  Running: {
    healedBy: 'nobody',
    cause: 'All pods are ready and have the newest spec',
    next: 'read the banner: kubectl logs <name>-pod',
  },
  Stopped: {
    healedBy: 'nobody',
    cause: 'Scaled to 0, and no pod is left',
    next: 'set spec.replicas to start the application again',
  },
  Paused: {
    healedBy: 'nobody',
    cause: 'The annotation albridge.io/paused stops every write to the pods',
    next: 'remove the annotation albridge.io/paused to continue',
  },
  ObserveMode: {
    healedBy: 'nobody',
    cause: 'ALBRIDGE_MODE of the operator is observe: no pod is created or replaced',
    next: 'set ALBRIDGE_MODE to reconcile to continue',
  },
  ...podReasons,
  BackOff: {
    healedBy: 'time',
    cause: 'A pod has ended; it is replaced ten seconds after its end',
    next: 'check kubectl logs <pod> while it exists, or delete it to start at once',
  },
  NameConflict: {
    healedBy: 'person',
    cause: 'A pod of a desired name exists and does not belong to this object',
    next: 'delete that pod, or give the MyApp another name',
  },
  ...podTemplateReasons,
  ImageMissing: {
    healedBy: 'person',
    cause: 'The object was stored without an image, before the CRD required one',
    next: 'set spec.image',
  },
} as const satisfies Record<string, ReasonEntry>;

export type MyAppReason = keyof typeof myAppReasons;

/** Events, and reasons of other conditions. */
export const myAppEvents = {
  PodCreated: 'A pod was created',
  PodDeleted: 'A pod above spec.replicas was deleted',
  PodReplaced: 'A pod was deleted to make room for its successor; the note says why',
  DriftRepaired: 'Labels or an owner reference of a pod were changed outside albridge; repaired',
  ...podReadyReasons,
} as const;
