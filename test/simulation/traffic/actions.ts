import type { ObjectName } from '../my-ingress/actions.ts';

/** What somebody else does to what an object has next to its balancer; `nth` counts round. */
export type TrafficMeddling =
  | { readonly what: 'deleteListener' | 'editListener'; readonly nth: number }
  | { readonly what: 'deleteRule' | 'editRule' | 'moveRule'; readonly nth: number }
  /** Of somebody else, on our balancer. */
  | { readonly what: 'addListener'; readonly port: number }
  /** Its owner consents that the object takes it over. */
  | { readonly what: 'handOver'; readonly port: number }
  | { readonly what: 'addRule'; readonly nth: number; readonly priority: number }
  /** With all listeners, for AWS deletes no group that is in use. */
  | { readonly what: 'deleteGroup'; readonly nth: number }
  | { readonly what: 'editHealthCheck' | 'editAttribute'; readonly nth: number }
  | { readonly what: 'deregister' | 'register'; readonly nth: number }
  /** Somebody's own, with all tags of the object's balancer: some tools give tags to whatever is near. A group gets requests. */
  | { readonly what: 'copyTags'; readonly kind: 'rule' | 'targetGroup' | 'securityGroup' }
  | { readonly what: 'allowIngress' | 'revokeIngress' }
  | {
      readonly what: 'tag' | 'untag';
      readonly kind: 'listener' | 'rule' | 'targetGroup' | 'securityGroup';
      readonly key: string;
    };

export type TrafficAction =
  | { readonly do: 'meddle'; readonly at: ObjectName; readonly meddling: TrafficMeddling }
  /** Somebody's target group or security group under the name that the object will want. */
  | {
      readonly do: 'squat';
      readonly at: ObjectName;
      readonly what: 'targetGroup' | 'securityGroup';
    }
  /** The squatters go away. */
  | { readonly do: 'leave'; readonly at: ObjectName }
  /** A quota of the account. */
  | { readonly do: 'limit'; readonly name: 'rules' | 'targets'; readonly most: number };
