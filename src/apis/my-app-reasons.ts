import { podReasons } from './pod-reasons.ts';

/**
 * Every reason that Ready, Reconciling and Stalled of a MyApp can show, beside those of the API
 * server; the documentation prints this table.
 */
export const myAppReasons = {
  Running: {
    healedBy: 'nobody',
    cause: 'All pods are ready and of the newest spec',
    next: 'read the banner: kubectl logs <name>-pod',
  },
  Stopped: {
    healedBy: 'nobody',
    cause: 'No pod is wanted, and none is left',
    next: 'set spec.replicas to start the application again',
  },
  Paused: {
    healedBy: 'nobody',
    cause: 'The annotation albridge.io/paused stops every write to the pods',
    next: 'remove the annotation albridge.io/paused to go on',
  },
  ...podReasons,
  BackOff: {
    healedBy: 'time',
    cause: 'A pod has ended by itself; it is replaced ten seconds after its end',
    next: 'read its last words while it is there (kubectl logs), or delete it to start at once',
  },
  NameConflict: {
    healedBy: 'person',
    cause: 'A pod of a wanted name exists and is not of this object',
    next: 'delete that pod, or give the MyApp another name',
  },
  ImageMissing: {
    healedBy: 'person',
    cause: 'The object was stored without an image, before the CRD required one',
    next: 'give it spec.image',
  },
} as const;

export type MyAppReason = keyof typeof myAppReasons;
