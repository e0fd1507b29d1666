import type { AllowedPlan } from '../attaching/actions.ts';
import type { TrafficSpec } from '../traffic/spec-answers.ts';

/** `namespace/name` of a MyIngress. */
export type ObjectName = `${string}/${string}`;

/** A spec as the scenario writes it down: the ARN to adopt is known only in the run. */
export interface SpecPlan extends TrafficSpec {
  /** Left out: found. */
  readonly subnets?: readonly string[];
  readonly scheme?: string;
  readonly name?: string;
  readonly securityGroups?: readonly string[];
  readonly ipAddressType?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly tags?: Readonly<Record<string, string>>;
  readonly deletionPolicy?: 'Delete' | 'Retain';
  /** The name of a balancer made by `legacy`. */
  readonly adopt?: string;
  readonly allowedNamespaces?: AllowedPlan;
}

/** null takes a field away. */
export type SpecChange = { readonly [Field in keyof SpecPlan]?: SpecPlan[Field] | null };

/** What an outsider does to the balancer that an object holds. */
export type Meddling =
  | { readonly what: 'delete' }
  | { readonly what: 'tag'; readonly key: string; readonly value: string }
  | { readonly what: 'untag'; readonly key: string }
  | { readonly what: 'release'; readonly key: string }
  | { readonly what: 'restore' }
  | { readonly what: 'subnets'; readonly subnets: readonly string[] }
  | { readonly what: 'securityGroups'; readonly groups: readonly string[] }
  | { readonly what: 'ipAddressType'; readonly type: string }
  | { readonly what: 'attribute'; readonly key: string; readonly value: string }
  | { readonly what: 'state'; readonly code: 'failed' | 'active_impaired' };

export type MyIngressAction =
  /** Tried again each second while an object of that name is there. */
  | { readonly do: 'create'; readonly at: ObjectName; readonly spec: SpecPlan }
  | { readonly do: 'edit'; readonly at: ObjectName; readonly change: SpecChange }
  | { readonly do: 'unset'; readonly at: ObjectName; readonly field: keyof SpecPlan }
  | { readonly do: 'delete'; readonly at: ObjectName }
  /** By a DELETE that looked before the finalizer was stored and removes after it: decision 0009. */
  /** Takes effect so long after a finalizer has been stored. */
  | { readonly do: 'deleteInSpite'; readonly at: ObjectName; readonly lateMs?: number }
  /** Writes the ARN of a balancer made by `legacy` into the status. */
  | { readonly do: 'forgeArn'; readonly at: ObjectName; readonly arnOf: string }
  | { readonly do: 'pause' | 'goOn'; readonly at: ObjectName }
  | { readonly do: 'request'; readonly at: ObjectName; readonly token: string }
  /**
   * Deleted without its finalizers and applied again in the same moment: another UID, no status. Without a
   * spec with the one that it has.
   */
  | { readonly do: 'restore'; readonly at: ObjectName; readonly spec?: SpecPlan }
  /** status.alb and status.applied are lost, as after an etcd restore. */
  | { readonly do: 'forget'; readonly at: ObjectName }
  /** status.alb names a balancer that does not exist. */
  | { readonly do: 'forge'; readonly at: ObjectName }
  | { readonly do: 'meddle'; readonly at: ObjectName; readonly meddling: Meddling }
  /**
   * Somebody's balancer under the name that this object will want. `spec` as the object's, or another;
   * `plant`: with the object's own ownership tags but no UID.
   */
  | {
      readonly do: 'squat' | 'plant';
      readonly at: ObjectName;
      readonly spec: SpecPlan;
      readonly tags: Readonly<Record<string, string>>;
    }
  /** The squatter goes away. */
  | { readonly do: 'leave'; readonly at: ObjectName }
  /** A balancer of old; `consentFor` may adopt it. */
  | {
      readonly do: 'legacy';
      readonly name: string;
      readonly spec: SpecPlan;
      readonly tags: Readonly<Record<string, string>>;
      readonly consentFor?: ObjectName;
    }
  | { readonly do: 'quota'; readonly quota: number };
