import { validationError } from '../http/aws-fault.ts';

const NAME_MAX_LENGTH = 32;

/**
 * Name rules of CreateLoadBalancer; throws ValidationError.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html
 */
export function checkName(name: string): void {
  if (name === '') throw validationError('Load balancer name cannot be empty');
  if (name.length > NAME_MAX_LENGTH) {
    throw validationError(
      `The load balancer name '${name}' cannot be longer than '${NAME_MAX_LENGTH}' characters`,
    );
  }
  if (!/^[A-Za-z0-9-]+$/.test(name)) {
    throw validationError(
      `The load balancer name '${name}' can only contain characters that are alphanumeric or '-'`,
    );
  }
  if (name.startsWith('-') || name.endsWith('-')) {
    throw validationError(`The load balancer name '${name}' cannot begin or end with '-'`);
  }
  if (name.startsWith('internal-')) {
    throw validationError(`The load balancer name '${name}' cannot begin with 'internal-'`);
  }
}
