/**
 * Error codes that any operation may answer beside the ones its model declares.
 *
 * - https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/CommonErrors.html
 * - `Throttling`, `RequestLimitExceeded`: the other throttling codes the AWS SDKs retry on,
 *   https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
 * - `SignatureDoesNotMatch`, `MissingAuthenticationToken`, `MissingAction`, `MalformedQueryString`:
 *   refusals in front of the operation,
 *   https://docs.aws.amazon.com/IAM/latest/UserGuide/signature-v4-troubleshooting.html and
 *   https://docs.aws.amazon.com/elasticbeanstalk/latest/api/CommonErrors.html
 */
export const COMMON_ERROR_CODES: ReadonlySet<string> = new Set([
  'AccessDeniedException',
  'IncompleteSignature',
  'InternalFailure',
  'InvalidAction',
  'InvalidClientTokenId',
  'MalformedQueryString',
  'MissingAction',
  'MissingAuthenticationToken',
  'NotAuthorized',
  'OptInRequired',
  'RequestExpired',
  'RequestLimitExceeded',
  'ServiceUnavailable',
  'SignatureDoesNotMatch',
  'Throttling',
  'ThrottlingException',
  'ValidationError',
]);

/**
 * The same of ACM, by their names in its protocol. ValidationException, by its model of some operations alone:
 * https://github.com/hashicorp/terraform-provider-aws/issues/19400 and
 * https://github.com/terraform-aws-modules/terraform-aws-acm/issues/93 have it of others.
 */
export const COMMON_ACM_ERROR_CODES: ReadonlySet<string> = new Set([
  'AccessDeniedException',
  'ThrottlingException',
  'ValidationException',
]);
