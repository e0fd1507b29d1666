import { AwsFault } from '../http/aws-fault.ts';
import { type Input, textOf } from '../input-fields.ts';

/** Error codes of EC2: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html */
export function missingParameter(name: string): AwsFault {
  return new AwsFault('MissingParameter', `The request must contain the parameter ${name}`);
}

export function invalidParameterValue(message: string): AwsFault {
  return new AwsFault('InvalidParameterValue', message);
}

export function notFound(code: string, kind: string, id: string): AwsFault {
  return new AwsFault(code, `The ${kind} ID '${id}' does not exist`);
}

export function dependencyViolation(kind: string, id: string): AwsFault {
  return new AwsFault(
    'DependencyViolation',
    `The ${kind} '${id}' has dependencies and cannot be deleted.`,
  );
}

export function requiredParameter(input: Input, field: string): string {
  const value = textOf(input, field);
  if (value === undefined || value === '') throw missingParameter(lowerCamel(field));
  return value;
}

function lowerCamel(field: string): string {
  return field.charAt(0).toLowerCase() + field.slice(1);
}
