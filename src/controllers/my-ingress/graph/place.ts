import type { Tags } from '../../../aws/elbv2/traffic.ts';
import type { Identity } from '../identity.ts';

/** Where and for whom resources are desired. */
export interface Place {
  readonly identity: Identity;
  /** `spec.tags`. */
  readonly userTags: Tags;
  /** The balancer's, known from the answer to its create call or from its subnets. */
  readonly vpcId: string;
}
