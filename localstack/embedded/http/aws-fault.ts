/**
 * An error answer of AWS: what a client sees as `<Code>` and `<Message>`.
 *
 * `code` is the wire code (`LoadBalancerNotFound`); the SDK for JavaScript appends `Exception` for
 * codes that the service's model declares.
 */
export class AwsFault extends Error {
  readonly code: string;
  /** HTTP status of the answer. */
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.name = 'AwsFault';
    this.code = code;
    this.status = status;
  }
}

/** The request is well formed but breaks a constraint of the service. */
export function validationError(message: string): AwsFault {
  return new AwsFault('ValidationError', message);
}

/** The words AWS uses when one field breaks a constraint of the API model. */
export function constraintFault(field: string, value: string, constraint: string): AwsFault {
  return validationError(
    `1 validation error detected: Value '${value}' at '${field}' failed to satisfy constraint: ${constraint}`,
  );
}

/** A settings combination that the service refuses. */
export function invalidConfiguration(message: string): AwsFault {
  return new AwsFault('InvalidConfigurationRequest', message);
}

/** Part of AWS that this model leaves out; refused rather than silently ignored. */
export function notModelled(what: string): AwsFault {
  return invalidConfiguration(`${what} is not modelled by albridge's embedded stand-in`);
}

export function loadBalancerNotFound(message = 'One or more load balancers not found'): AwsFault {
  return new AwsFault('LoadBalancerNotFound', message);
}

/** Unknown operation, as every AWS query API answers it. */
export function invalidAction(operation: string, version: string): AwsFault {
  return new AwsFault(
    'InvalidAction',
    `Could not find operation ${operation} for version ${version}`,
  );
}

/**
 * A refusal by the token buckets. AWS documents `ThrottlingException`; older answers of the same
 * service say `Throttling`, which clients meet as well (script it as a fault to test for it).
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/elb-api-throttling.html
 */
export function rateExceeded(service: string): AwsFault {
  // https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html; the status 503 is that of
  // https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
  return service === 'ec2'
    ? new AwsFault('RequestLimitExceeded', 'Request limit exceeded.', 503)
    : new AwsFault('ThrottlingException', 'Rate exceeded');
}
