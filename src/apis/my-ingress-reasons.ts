/**
 * What heals a condition: `person` somebody must act, `time` albridge goes on by itself, `nobody`
 * there is nothing to heal.
 */
interface ReasonEntry {
  readonly healedBy: 'person' | 'time' | 'nobody';
  /** What has happened, one sentence without its full stop. */
  readonly cause: string;
  /** What to do next, imperative, one sentence in lower case without its full stop. */
  readonly next: string;
}

/**
 * Every reason that a condition of a MyIngress can show, with its cause and the next action. The
 * documentation prints this table and the messages of conditions end in its `next`. Where AWS has a
 * word for the failure, the reason is AWS's error code:
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html#API_CreateLoadBalancer_Errors
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/CommonErrors.html
 */
export const myIngressReasons = {
  Available: {
    healedBy: 'nobody',
    cause: 'The load balancer is active and as the spec wants it',
    next: 'send traffic to status.alb.dns',
  },
  Paused: {
    healedBy: 'nobody',
    cause: 'The annotation albridge.io/paused stops every write to AWS',
    next: 'remove the annotation albridge.io/paused to go on',
  },

  Creating: {
    healedBy: 'time',
    cause: 'The create call was accepted and the load balancer is not visible yet',
    next: 'wait, albridge looks again within seconds',
  },
  Provisioning: {
    healedBy: 'time',
    cause: 'AWS is setting the load balancer up, which takes two to three minutes',
    next: 'wait until AWS reports it active',
  },
  Deleting: {
    healedBy: 'time',
    cause: 'The deletion was accepted and absence is not proved yet',
    next: 'wait, the finalizer goes once AWS answers that nothing is left',
  },
  OwnershipUnconfirmed: {
    healedBy: 'time',
    cause: 'AWS does not show the tags of the load balancer that was just created yet',
    next: 'wait, albridge reads the tags again after ten seconds',
  },
  BudgetExhausted: {
    healedBy: 'time',
    cause: "The share of the account's API budget that albridge allows itself is spent",
    next: 'wait for the turn, or raise ALBRIDGE_AWS_BUDGET where AWS allows the account more',
  },
  Throttled: {
    healedBy: 'time',
    cause: 'AWS refused the call because the account makes too many',
    next: 'wait, and if it lasts find what else in the account calls Elastic Load Balancing',
  },
  PriorRequestNotComplete: {
    healedBy: 'time',
    cause: 'AWS is still busy with an earlier change of the same load balancer',
    next: 'wait, the call is repeated',
  },
  CapacityReservationPending: {
    healedBy: 'time',
    cause: 'A capacity reservation of the load balancer is still being worked on',
    next: 'wait until the reservation is done, the call is repeated',
  },
  AwsUnavailable: {
    healedBy: 'time',
    cause: 'AWS answered with an internal error',
    next: 'wait, and if it lasts see the AWS Health Dashboard, or what answers at AWS_ENDPOINT_URL',
  },
  AwsUnreachable: {
    healedBy: 'time',
    cause: 'No connection to the Elastic Load Balancing endpoint, or no answer in time',
    next: 'check AWS_ENDPOINT_URL, AWS_REGION, HTTPS_PROXY and the way out of the cluster if it lasts',
  },
  AwsUnreadable: {
    healedBy: 'time',
    cause: 'The answer was not a complete answer of Elastic Load Balancing',
    next: 'check what listens at AWS_ENDPOINT_URL, and for proxies on the way, if it lasts',
  },
  ClockSkew: {
    healedBy: 'time',
    cause: "The clock of the node is off, so AWS refuses the date of the operator's signature",
    next: "wait, the call is repeated by AWS's clock; correct the clock of the node",
  },
  CredentialsUnavailable: {
    healedBy: 'time',
    cause: 'No AWS credentials could be obtained for less than five minutes',
    next: "wait, and if it lasts check the operator's role (AWS_ROLE_ARN) or keys (AWS_ACCESS_KEY_ID), and what hands credentials out",
  },
  LoadBalancerNotFound: {
    healedBy: 'time',
    cause: 'AWS answered once that the load balancer does not exist',
    next: 'wait, a second answer ten seconds later decides whether it is created again',
  },

  ValidationError: {
    healedBy: 'person',
    cause:
      'AWS does not accept a value of the spec or status.alb.arn, or the value is reserved: a tag key or a name',
    next: 'correct the field that the message names',
  },
  InvalidScheme: {
    healedBy: 'person',
    cause: 'AWS does not accept the scheme here',
    next: 'recreate the object with a scheme that the subnets allow',
  },
  InvalidConfigurationRequest: {
    healedBy: 'person',
    cause: 'The requested settings do not go together, or a log bucket denies access',
    next: 'correct spec.attributes, spec.subnets or the policy of the log bucket',
  },
  DuplicateTagKeys: {
    healedBy: 'person',
    cause: 'A tag key was given more than once',
    next: 'remove the duplicate from spec.tags',
  },
  TooManyTags: {
    healedBy: 'person',
    cause: 'The load balancer would carry more than 50 tags, those of albridge included',
    next: 'remove entries from spec.tags',
  },
  SubnetNotFound: {
    healedBy: 'person',
    cause: 'A subnet of the spec does not exist in this account and region',
    next: 'correct spec.subnets, and check AWS_REGION',
  },
  InvalidSubnet: {
    healedBy: 'person',
    cause: 'A subnet cannot hold the load balancer: no free addresses, or the wrong zone or VPC',
    next: 'choose subnets of one VPC in two zones with eight free addresses each in spec.subnets',
  },
  AvailabilityZoneNotSupported: {
    healedBy: 'person',
    cause: 'The zone of a subnet does not offer load balancers',
    next: 'choose a subnet in another zone in spec.subnets',
  },
  InvalidSecurityGroup: {
    healedBy: 'person',
    cause: 'A security group does not exist or belongs to another VPC',
    next: 'correct spec.securityGroups',
  },
  TooManyLoadBalancers: {
    healedBy: 'person',
    cause: "The account's quota of load balancers in this region is used up",
    next: 'delete unused load balancers or have the quota raised in Service Quotas',
  },
  AccessDenied: {
    healedBy: 'person',
    cause: 'The role of the operator lacks a right',
    next: "allow the action in the IAM policy of the operator's role",
  },
  CredentialsRefused: {
    healedBy: 'person',
    cause: 'There are no AWS credentials, or AWS does not accept them',
    next: "check the operator's role (AWS_ROLE_ARN) or keys (AWS_ACCESS_KEY_ID), their expiry, AWS_REGION and the clock of the node",
  },
  OperationNotPermitted: {
    healedBy: 'person',
    cause: 'AWS does not permit the operation on this load balancer',
    next: 'remove what AWS names, then edit the object or wait for the next look',
  },
  ResourceInUse: {
    healedBy: 'person',
    cause: 'Something else uses the resource',
    next: 'free the resource that AWS names',
  },
  OperationUnsupported: {
    healedBy: 'person',
    cause: 'The endpoint does not know the operation',
    next: 'check that AWS_ENDPOINT_URL names an endpoint that offers Elastic Load Balancing v2',
  },
  AwsError: {
    healedBy: 'person',
    cause: 'AWS refused the call with a code that albridge has no word for',
    next: 'act on what AWS says, albridge tries again every few minutes',
  },
  DeletionBlocked: {
    healedBy: 'person',
    cause: 'AWS refuses to delete: deletion protection is on, or something uses the load balancer',
    next: 'set spec.attributes deletion_protection.enabled to "false", or remove what uses it',
  },
  NameConflict: {
    healedBy: 'person',
    cause:
      "A load balancer of this name exists and its tags say that it is not this object's; the operator's log names its holder",
    next: 'choose another spec.name, remove the other load balancer, or adopt it by consent',
  },
  DuplicateName: {
    healedBy: 'person',
    cause: 'A load balancer of this name exists with other settings',
    next: 'choose another spec.name, remove the other load balancer, or adopt it by consent',
  },
  SpecMismatch: {
    healedBy: 'person',
    cause: 'The load balancer differs from the spec in its name, scheme or type, which are fixed',
    next: 'make the spec say what the load balancer is, or recreate the object',
  },
  AdoptionRefused: {
    healedBy: 'person',
    cause:
      "The load balancer carries no consent to be adopted, or another object holds it; the operator's log names its holder",
    next: 'have its owner tag it albridge.io/cluster and albridge.io/adopt=<namespace>/<name>',
  },
  LoadBalancerFailed: {
    healedBy: 'person',
    cause: 'AWS could not set the load balancer up',
    next: 'correct what AWS names, then recreate the object',
  },
  LoadBalancerImpaired: {
    healedBy: 'person',
    cause: 'The load balancer serves traffic and cannot scale up',
    next: 'give its subnets free addresses, or choose others in spec.subnets',
  },
} as const satisfies Record<string, ReasonEntry>;

export type MyIngressReason = keyof typeof myIngressReasons;
