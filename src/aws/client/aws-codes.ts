import type { AwsReason } from './aws-reasons.ts';

/**
 * AWS's error codes, without the suffix `Exception` that the SDK adds to some of them, by the
 * reason they become. Sources: the errors of each operation in the ELBv2 model,
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/CommonErrors.html,
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html, and the
 * lists that the SDK itself goes by (@smithy/core, service-error-classification); for what comes of
 * the connection, Node's codes and https://undici.nodejs.org/#/docs/api/Errors
 */
const codesByReason = {
  ValidationError: [
    'Validation',
    'ValidationError',
    'InvalidParameter',
    'InvalidParameterValue',
    'InvalidParameterCombination',
    'InvalidQueryParameter',
    'MalformedQueryString',
    'MissingParameter',
  ],
  InvalidScheme: ['InvalidScheme'],
  InvalidConfigurationRequest: ['InvalidConfigurationRequest'],
  DuplicateTagKeys: ['DuplicateTagKeys'],
  TooManyTags: ['TooManyTags', 'TagLimitExceeded'],
  SubnetNotFound: ['SubnetNotFound', 'InvalidSubnetID.NotFound'],
  InvalidSubnet: ['InvalidSubnet'],
  AvailabilityZoneNotSupported: ['AvailabilityZoneNotSupported'],
  InvalidSecurityGroup: [
    'InvalidSecurityGroup',
    'InvalidSecurityGroupID.NotFound',
    'InvalidGroup.NotFound',
    // https://github.com/awsdocs/aws-doc-sdk-examples/blob/main/javascriptv3/example_code/ec2/actions/authorize-security-group-ingress.js
    'InvalidGroupId.Malformed',
    'InvalidSecurityGroupId.Malformed',
  ],
  // https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/ec2/errors.go has both forms of NotFound.
  InvalidPrefixList: [
    'InvalidPrefixListID.NotFound',
    'InvalidPrefixListId.NotFound',
    'InvalidPrefixListId.Malformed',
  ],
  TooManyLoadBalancers: ['TooManyLoadBalancers'],
  DuplicateName: ['DuplicateLoadBalancerName'],
  LoadBalancerNotFound: ['LoadBalancerNotFound'],
  OperationNotPermitted: ['OperationNotPermitted'],
  ResourceInUse: ['ResourceInUse'],
  PriorRequestNotComplete: ['PriorRequestNotComplete'],
  CapacityReservationPending: ['CapacityReservationPending'],
  ListenerNotFound: ['ListenerNotFound'],
  RuleNotFound: ['RuleNotFound'],
  TargetGroupNotFound: ['TargetGroupNotFound'],
  PriorityInUse: ['PriorityInUse'],
  DependencyViolation: ['DependencyViolation'],
  DuplicateListener: ['DuplicateListener'],
  DuplicateTargetGroupName: ['DuplicateTargetGroupName'],
  DuplicatePermission: ['InvalidPermission.Duplicate'],
  PermissionNotFound: ['InvalidPermission.NotFound'],
  DuplicateSecurityGroup: ['InvalidGroup.Duplicate'],
  TargetGroupAssociationLimit: ['TargetGroupAssociationLimit'],
  QuotaExceeded: [
    'RulesPerSecurityGroupLimitExceeded',
    'SecurityGroupLimitExceeded',
    'TooManyActions',
    'TooManyCertificates',
    'TooManyListeners',
    'TooManyRegistrationsForTargetId',
    'TooManyRules',
    'TooManyTargetGroups',
    'TooManyTargets',
    'TooManyUniqueTargetGroupsPerLoadBalancer',
  ],
  InvalidLoadBalancerAction: ['InvalidLoadBalancerAction'],
  IncompatibleProtocols: ['IncompatibleProtocols', 'UnsupportedProtocol'],
  SSLPolicyNotFound: ['SSLPolicyNotFound'],
  CertificateNotFound: ['CertificateNotFound'],
  TrustStoreNotFound: ['TrustStoreNotFound'],
  InvalidTarget: ['InvalidTarget'],
  AccessDenied: ['AccessDenied', 'UnauthorizedOperation', 'UnauthorizedAccess', 'NotAuthorized'],
  CredentialsRefused: [
    'AuthFailure',
    'ExpiredToken',
    'IncompleteSignature',
    'InvalidAccessKeyId',
    'InvalidClientTokenId',
    'InvalidSignature',
    'MissingAuthenticationToken',
    'OptInRequired',
    'RequestExpired',
    'RequestTimeTooSkewed',
    'SignatureDoesNotMatch',
    'UnrecognizedClient',
  ],
  CredentialsUnavailable: [
    'CredentialsProviderError',
    'ProviderError',
    'TokenProviderError',
    // Of a directory in place of a token file; nothing else that a call reads can be one.
    'EISDIR',
    // https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html: both are worth a retry.
    'IDPCommunicationError',
    'InvalidIdentityToken',
  ],
  Throttled: [
    'BandwidthLimitExceeded',
    'EC2Throttled',
    'RequestLimitExceeded',
    'RequestThrottled',
    'SlowDown',
    'Throttled',
    'Throttling',
    'TooManyRequests',
  ],
  AwsUnavailable: [
    'HealthUnavailable',
    'TrustStoreNotReady',
    'InsufficientCapacity',
    'InternalError',
    'InternalFailure',
    'InternalServerError',
    'InternalService',
    'ServiceUnavailable',
    'Unavailable',
  ],
  AwsUnreachable: [
    'RequestTimeout',
    'TimeoutError',
    'DeadlineExceeded',
    'ECONNABORTED',
    'ECONNREFUSED',
    'ECONNRESET',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENOTFOUND',
    'EPIPE',
    'EPROTO',
    'ETIMEDOUT',
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    // Of a proxy that refuses the way to AWS.
    'UND_ERR_ABORTED',
    'UND_ERR_BODY_TIMEOUT',
    'UND_ERR_CONNECT_TIMEOUT',
    'UND_ERR_HEADERS_TIMEOUT',
    'UND_ERR_PRX_CONN',
    'UND_ERR_PRX_TLS',
    'UND_ERR_SOCKET',
  ],
  AwsUnreadable: [
    'HTTPParserError',
    'UND_ERR_HEADERS_OVERFLOW',
    'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  ],
  OperationUnsupported: ['InvalidAction', 'MissingAction', 'NotImplemented', 'UnknownOperation'],
} as const satisfies Partial<Record<AwsReason, readonly string[]>>;

export const reasonByCode: ReadonlyMap<string, AwsReason> = new Map(
  Object.entries(codesByReason).flatMap(([reason, codes]) =>
    codes.map((code) => [code, reason as AwsReason] as const),
  ),
);

/** The same failure is `Throttling` from one front end and `ThrottlingException` from another. */
export function trimCode(code: string): string {
  return code.endsWith('Exception') ? code.slice(0, -'Exception'.length) : code;
}
