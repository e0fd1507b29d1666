import type { PodTemplate } from '../../../src/pods/pod-template.ts';

/** `namespace/name` of an ImmortalContainer. */
export type ImmortalName = `${string}/${string}`;

export type ImmortalAction =
  /** Tried again each second while an object of that name is there. */
  | {
      readonly do: 'create' | 'edit';
      readonly at: ImmortalName;
      readonly image: string;
      /** Null takes it out. */
      readonly podTemplate?: PodTemplate | null;
    }
  | { readonly do: 'delete' | 'pause' | 'goOn'; readonly at: ImmortalName }
  /** What happens to its pod: a person deletes it, or it ends by itself. */
  | {
      readonly do: 'pod';
      readonly at: ImmortalName;
      readonly what: 'deleted' | 'failed' | 'succeeded' | 'evicted' | 'unlabelled';
    }
  /** Somebody's own pod of that name; `leave` takes it away. */
  | { readonly do: 'squat' | 'leave'; readonly at: ImmortalName };
