import type { PodTemplate } from '../../../src/pods/pod-template.ts';
import type { ExposePlan } from '../attaching/actions.ts';

/** `namespace/name` of a WebApp and its children. */
export type AppName = `${string}/${string}`;

export interface AppPlan {
  readonly image: string;
  readonly replicas?: number;
  readonly port?: number;
  /** Null takes it out. */
  readonly podTemplate?: PodTemplate | null;
  /** The same; a field that is null is taken out. */
  readonly service?: ServicePlan | null;
  /** The same. */
  readonly expose?: ExposePlan | null;
}

/** `spec.service` of a WebApp. */
export interface ServicePlan {
  readonly port: number | null;
  readonly type: 'NodePort' | 'LoadBalancer' | null;
  readonly annotations: Readonly<Record<string, string>> | null;
}

/** What somebody else does to the children of a WebApp. */
export type ChildMeddling =
  | { readonly what: 'image'; readonly image: string }
  | { readonly what: 'scale'; readonly replicas: number }
  /** What `kubectl rollout restart` does: it must survive. */
  | { readonly what: 'restart'; readonly token: string }
  | { readonly what: 'unlabel' }
  | { readonly what: 'deleteDeployment' | 'deleteService' };

export type WebAppAction =
  /** Tried again each second while an object of that name is there. */
  | { readonly do: 'create'; readonly at: AppName; readonly spec: AppPlan }
  | { readonly do: 'edit'; readonly at: AppName; readonly change: Partial<AppPlan> }
  | { readonly do: 'delete'; readonly at: AppName }
  | { readonly do: 'pause' | 'goOn'; readonly at: AppName }
  | { readonly do: 'meddle'; readonly at: AppName; readonly meddling: ChildMeddling }
  /** Somebody's own Deployment or Service of that name; `leave` takes it away. */
  | {
      readonly do: 'squat' | 'leave';
      readonly at: AppName;
      readonly kind: 'Deployment' | 'Service';
    }
  /** An autoscaler that moves the number of pods from then on. */
  | { readonly do: 'autoscale'; readonly at: AppName; readonly replicas: number };
