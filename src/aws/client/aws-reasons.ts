/** A failure of AWS under albridge's reason, and what heals it. */
interface AwsReasonEntry {
  readonly healedBy: 'person' | 'time';
  /** The cause, one sentence without its full stop. */
  readonly cause: string;
  /** The next action, imperative, one sentence in lower case without its full stop. */
  readonly next: string;
}

/**
 * Every failure of AWS: what heals it and the next action; src/aws/client/aws-codes.ts has the codes.
 * A kind may have words of its own for a reason (`AwsPorts.texts`), such as the field to correct.
 */
export const awsReasons = {
  BudgetExhausted: {
    healedBy: 'time',
    cause: "The share of the account's API limits that albridge may use is spent",
    next: 'wait, or raise the limits if AWS allows the account more: docs/configuration.md#budget-file',
  },
  Throttled: {
    healedBy: 'time',
    cause: 'AWS refused the call because the account makes too many',
    next: 'wait; if it persists, find out what else in the account calls AWS',
  },
  PriorRequestNotComplete: {
    healedBy: 'time',
    cause: 'AWS is still busy with an earlier change of the same load balancer',
    next: 'wait, the call is repeated',
  },
  CapacityReservationPending: {
    healedBy: 'time',
    cause: 'A capacity reservation of the load balancer is still in progress',
    next: 'wait until the reservation is done, the call is repeated',
  },
  AwsUnavailable: {
    healedBy: 'time',
    cause: 'AWS answered with an internal error',
    next: 'wait; if it persists, check the AWS Health Dashboard, or the server at AWS_ENDPOINT_URL',
  },
  AwsUnreachable: {
    healedBy: 'time',
    cause: 'No connection to the endpoint of AWS, or no answer in time',
    next: 'if it persists, check AWS_ENDPOINT_URL, AWS_REGION, HTTPS_PROXY and egress from the cluster',
  },
  AwsUnreadable: {
    healedBy: 'time',
    cause: 'The answer was not a complete answer of AWS',
    next: 'if it persists, check the server at AWS_ENDPOINT_URL, and proxies on the way',
  },
  ClockSkew: {
    healedBy: 'time',
    cause: "The clock of the node is off, so AWS refuses the date of the operator's signature",
    next: "wait, the call is retried with AWS's time; correct the clock of the node",
  },
  CredentialsUnavailable: {
    healedBy: 'time',
    cause: 'No AWS credentials could be obtained for less than five minutes',
    next: "wait; if it persists, check the operator's role (AWS_ROLE_ARN) or keys (AWS_ACCESS_KEY_ID), and the credential provider",
  },
  LoadBalancerNotFound: {
    healedBy: 'time',
    cause: 'The load balancer does not exist',
    next: 'check AWS_REGION, and whether it was deleted',
  },
  ListenerNotFound: {
    healedBy: 'time',
    cause: 'The listener does not exist, or was just created and is not visible yet',
    next: 'wait, albridge observes the load balancer again',
  },
  RuleNotFound: {
    healedBy: 'time',
    cause: 'The rule does not exist, or was just created and is not visible yet',
    next: 'wait, albridge observes the listener again',
  },
  TargetGroupNotFound: {
    healedBy: 'time',
    cause: 'The target group does not exist, or was just created and is not visible yet',
    next: 'wait, albridge creates what is missing',
  },
  PriorityInUse: {
    healedBy: 'time',
    cause: 'Another rule of the listener has this priority',
    next: 'wait, albridge reads the rules again and takes a free priority',
  },
  StillInUse: {
    healedBy: 'time',
    cause: 'A rule, a listener or a load balancer that was just deleted still counts as a user',
    next: 'wait; if it persists, free the resource that AWS names',
  },
  DependencyViolation: {
    healedBy: 'time',
    cause: 'Network interfaces of the deleted load balancer still use the security group',
    next: 'wait some minutes; if it persists, remove what else refers to the group',
  },

  DuplicatePermission: {
    healedBy: 'time',
    cause: 'The security group allows this already',
    next: 'wait, albridge reads the security group again',
  },
  PermissionNotFound: {
    healedBy: 'time',
    cause: 'The security group does not allow this',
    next: 'wait, albridge reads the security group again',
  },

  ValidationError: {
    healedBy: 'person',
    cause: 'AWS does not accept a value',
    next: 'correct the value that the message names',
  },
  InvalidScheme: {
    healedBy: 'person',
    cause: 'AWS does not accept the scheme here',
    next: 'choose a scheme that the subnets allow',
  },
  InvalidConfigurationRequest: {
    healedBy: 'person',
    cause: 'The requested settings are incompatible, or a log bucket denies access',
    next: 'correct the settings that AWS names',
  },
  DuplicateTagKeys: {
    healedBy: 'person',
    cause: 'A tag key was given more than once',
    next: 'remove the duplicate tag',
  },
  TooManyTags: {
    healedBy: 'person',
    cause: 'The resource would carry more than 50 tags, those of albridge included',
    next: 'remove tags',
  },
  SubnetNotFound: {
    healedBy: 'person',
    cause: 'A subnet does not exist in this account and region',
    next: 'correct the subnets, and check AWS_REGION',
  },
  InvalidSubnet: {
    healedBy: 'person',
    cause: 'A subnet cannot hold the load balancer: no free addresses, or the wrong zone or VPC',
    next: 'choose subnets of one VPC in two zones with eight free addresses each',
  },
  AvailabilityZoneNotSupported: {
    healedBy: 'person',
    cause: 'The zone of a subnet does not offer load balancers',
    next: 'choose a subnet in another zone',
  },
  InvalidSecurityGroup: {
    healedBy: 'person',
    cause: 'A security group does not exist or belongs to another VPC',
    next: 'correct the security groups',
  },
  InvalidPrefixList: {
    healedBy: 'person',
    cause: 'A prefix list does not exist in this account and region, or its id is malformed',
    next: 'correct prefixListIDs in spec.inbound, and check AWS_REGION',
  },
  TooManyLoadBalancers: {
    healedBy: 'person',
    cause: "The account's quota of load balancers in this region is used up",
    next: 'delete unused load balancers or have the quota raised in Service Quotas',
  },
  AccessDenied: {
    healedBy: 'person',
    cause: 'The role of the operator lacks a permission',
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
    next: 'remove what AWS names, then edit the object or wait for the next retry',
  },
  ResourceInUse: {
    healedBy: 'person',
    cause: 'Something else uses the resource',
    next: 'free the resource that AWS names',
  },
  OperationUnsupported: {
    healedBy: 'person',
    cause: 'The endpoint does not know the operation',
    next: 'check that AWS_ENDPOINT_URL names an endpoint that offers what albridge asks for: Elastic Load Balancing v2, EC2 and Certificate Manager',
  },
  DuplicateName: {
    healedBy: 'person',
    cause: 'A load balancer of this name exists with other settings',
    next: 'choose another name, or remove the other load balancer',
  },
  DeletionBlocked: {
    healedBy: 'person',
    cause: 'AWS refuses to delete: deletion protection is on, or something uses the resource',
    next: 'turn deletion protection off, or remove what uses the resource',
  },
  DuplicateListener: {
    healedBy: 'person',
    cause: 'A listener on this port exists with other settings',
    next: 'remove the other listener, or choose another port',
  },
  DuplicateTargetGroupName: {
    healedBy: 'person',
    cause: 'A target group of this name exists with other settings',
    next: 'remove the other target group',
  },
  DuplicateSecurityGroup: {
    healedBy: 'person',
    cause: 'A security group of this name exists in the VPC',
    next: 'delete the other security group, or give groups in spec.securityGroups',
  },
  TargetGroupAssociationLimit: {
    healedBy: 'person',
    cause: 'The target group belongs to another load balancer',
    next: 'free the target group from the other load balancer',
  },
  QuotaExceeded: {
    healedBy: 'person',
    cause: 'A quota of the account in this region is used up',
    next: 'remove what is not used, or have the quota raised in Service Quotas',
  },
  InvalidLoadBalancerAction: {
    healedBy: 'person',
    cause: 'The action does not fit its listener or its target groups',
    next: 'correct the action',
  },
  IncompatibleProtocols: {
    healedBy: 'person',
    cause: 'The protocols of the listener and the target group are incompatible',
    next: 'correct the protocol of the listener or the backend',
  },
  SSLPolicyNotFound: {
    healedBy: 'person',
    cause: 'The security policy of the listener does not exist in this region',
    next: 'correct the security policy',
  },
  CertificateNotFound: {
    healedBy: 'person',
    cause: 'A certificate does not exist in this account and region, or is not issued yet',
    next: 'correct the certificate, or wait until it is issued',
  },
  TrustStoreNotFound: {
    healedBy: 'person',
    cause: 'The trust store does not exist in this account and region',
    next: 'correct the trust store',
  },
  InvalidTarget: {
    healedBy: 'person',
    cause: 'A target does not exist, is not running, or is outside the VPC',
    next: 'correct the targets that AWS names',
  },
  AwsError: {
    healedBy: 'person',
    cause: 'AWS refused the call with a code that albridge does not know',
    next: "act on AWS's message; albridge retries every few minutes",
  },
} as const satisfies Readonly<Record<string, AwsReasonEntry>>;

export type AwsReason = keyof typeof awsReasons;

type Words = Pick<AwsReasonEntry, 'cause' | 'next'>;

/** Words of a kind for reasons of AWS. */
export type AwsReasonTexts = Partial<Readonly<Record<AwsReason, Words>>>;
