import type { PodTemplate } from '../../../src/pods/pod-template.ts';

/** `namespace/name` of a MyApp. */
export type MyAppName = `${string}/${string}`;

export interface MyAppPlan {
  readonly image: string;
  readonly banner?: string;
  readonly replicas?: number;
  /** Null takes it out. */
  readonly podTemplate?: PodTemplate | null;
}

export type MyAppAction =
  /** Tried again each second while an object of that name is there. */
  | { readonly do: 'create'; readonly at: MyAppName; readonly spec: MyAppPlan }
  | { readonly do: 'edit'; readonly at: MyAppName; readonly change: Partial<MyAppPlan> }
  | { readonly do: 'delete' | 'pause' | 'goOn'; readonly at: MyAppName }
  /** What happens to the pod of this number. */
  | {
      readonly do: 'pod';
      readonly at: MyAppName;
      readonly index: number;
      readonly what: 'deleted' | 'failed';
    }
  /** Somebody's own pod of the first name; `leave` takes it away. */
  | { readonly do: 'squat' | 'leave'; readonly at: MyAppName };
