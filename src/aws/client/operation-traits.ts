import type { AwsReason } from './aws-reasons.ts';

export type ServiceName = 'elbv2' | 'ec2' | 'acm';

/** As metrics and IAM call the services. */
export const services = {
  elbv2: { label: 'Elastic Load Balancing v2', iamPrefix: 'elasticloadbalancing' },
  ec2: { label: 'EC2', iamPrefix: 'ec2' },
  acm: { label: 'Certificate Manager', iamPrefix: 'acm' },
} as const satisfies Record<ServiceName, object>;

/**
 * AWS's token buckets, shared by everybody in an account and region. Every operation of ELBv2 pays
 * into `account` and one other; `intensive` is what AWS calls resource-intensive actions. EC2 has a
 * bucket for each operation, of which albridge keeps one for reads and one for writes; ACM has one for each too.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/elb-api-throttling.html
 * https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html
 * https://docs.aws.amazon.com/acm/latest/userguide/acm-limits.html#api-rate-limits
 */
export type BucketName =
  | 'account'
  | 'reads'
  | 'writes'
  | 'intensive'
  | 'registrations'
  | 'ec2Reads'
  | 'ec2Writes'
  | 'acmReads';

/** The shipped policy's condition on a request of the operation. */
export type Grant =
  /** AWS knows neither resources nor conditions for it. */
  | { readonly onlyIf: 'nothing' }
  /** AWS knows resources and no conditions for it. */
  | { readonly onlyIf: 'resource'; readonly on: readonly string[] }
  /**
   * The request carries our cluster tag: a create. `in`: where it creates, which AWS asks for as a
   * permission of its own.
   */
  | {
      readonly onlyIf: 'taggedRequest';
      readonly on: readonly string[];
      readonly in?: readonly string[];
    }
  /** The request carries our cluster tag, and so does the resource that it is about, the parent. */
  | { readonly onlyIf: 'taggedRequestOnOurs'; readonly on: readonly string[] }
  /** The resource carries our cluster tag. */
  | { readonly onlyIf: 'taggedResource'; readonly on: readonly string[] }
  /** Tags of a create call, and tags of what is ours. */
  | { readonly onlyIf: 'tagging'; readonly on: readonly string[] };

export interface OperationTraits {
  readonly service: ServiceName;
  /** The bucket that it takes tokens from; one of ELBv2 from `account` too. */
  readonly bucket: Exclude<BucketName, 'account'>;
  /** Begins the message of every failure, followed by the object: `set subnets of` `load balancer x`. */
  readonly step: string;
  /** False: a call whose fate is unknown is not repeated before a pass has observed again. */
  readonly isIdempotent: boolean;
  /** The reasons that say that the resource does not exist; no other failure does. */
  readonly absent: readonly AwsReason[];
  /** Reasons that mean something else for this operation. */
  readonly reasons?: Partial<Readonly<Record<AwsReason, AwsReason>>>;
  readonly grant: Grant;
  /**
   * Actions that AWS requires of the caller beyond the operation itself.
   * https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/elb-api-permissions.html
   */
  readonly alsoNeeds?: readonly string[];
}
