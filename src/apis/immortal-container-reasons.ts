import type { ReasonEntry } from './core-reasons.ts';
import { podReadyReasons, podReasons, podTemplateReasons } from './pod-reasons.ts';

/**
 * Every reason that Ready, Reconciling and Stalled of an ImmortalContainer can show, besides those of
 * the API server. The documentation prints this table, and failures are built from it.
 */
export const immortalContainerReasons = {
  Running: {
    healedBy: 'nobody',
    cause: 'The pod is ready and has the newest spec',
    next: 'read its output: kubectl logs <name>-immortalpod',
  },
  Paused: {
    healedBy: 'nobody',
    cause: 'The annotation albridge.io/paused stops every write to the pod',
    next: 'remove the annotation albridge.io/paused to continue',
  },
  ObserveMode: {
    healedBy: 'nobody',
    cause: 'ALBRIDGE_MODE of the operator is observe: the pod is neither created nor replaced',
    next: 'set ALBRIDGE_MODE to reconcile to continue',
  },
  ...podReasons,
  BackOff: {
    healedBy: 'time',
    cause:
      'The pod has ended; it is replaced after 10 s, and after twice as long each time, at most 5 min',
    next: 'check kubectl logs <pod> while it exists, or delete it to start at once',
  },
  NameConflict: {
    healedBy: 'person',
    cause: 'A pod of the desired name exists and does not belong to this object',
    next: 'delete that pod, or give the ImmortalContainer another name',
  },
  ...podTemplateReasons,
  SpecMissing: {
    healedBy: 'person',
    cause: 'The object was stored without an image, before the CRD required one',
    next: 'set spec.image',
  },
} as const satisfies Record<string, ReasonEntry>;

export type ImmortalContainerReason = keyof typeof immortalContainerReasons;

/** Events, and reasons of other conditions. */
export const immortalContainerEvents = {
  PodCreated: 'The first pod was created',
  PodReplaced: 'The pod was recreated; the note says why, and which start it is',
  DriftRepaired: 'Labels or an owner reference of the pod were changed outside albridge; repaired',
  ...podReadyReasons,
} as const;
