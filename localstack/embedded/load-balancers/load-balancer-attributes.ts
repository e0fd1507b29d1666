import type { AwsWorld, ReadableWorld } from '../aws-world.ts';
import {
  type AwsFault,
  constraintFault,
  invalidConfiguration,
  validationError,
} from '../http/aws-fault.ts';
import { type Input, requiredText, structuresOf, textOf } from '../input-fields.ts';
import { APPLICATION_ATTRIBUTES, misfit, NETWORK_ONLY_ATTRIBUTES } from './attribute-rules.ts';
import { balancerOf } from './balancer-arns.ts';
import type { Scheme } from './load-balancer-enums.ts';

const DENY_IGW = 'ipv6.deny_all_igw_traffic';

/** The most attributes that one ModifyLoadBalancerAttributes takes. */
const MAX_ATTRIBUTES = 20;

export function defaultAttributes(scheme: Scheme): ReadonlyMap<string, string> {
  const attributes = new Map(
    Object.entries(APPLICATION_ATTRIBUTES).map(([key, attribute]) => [key, attribute.default]),
  );
  if (scheme === 'internal') attributes.set(DENY_IGW, 'true');
  return attributes;
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeLoadBalancerAttributes.html */
export function describeLoadBalancerAttributes(world: ReadableWorld, input: Input): unknown {
  return answer(balancerOf(world, input).attributes);
}

/**
 * All or nothing; attributes not named keep their values.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_ModifyLoadBalancerAttributes.html
 */
export function modifyLoadBalancerAttributes(world: AwsWorld, input: Input): unknown {
  const balancer = balancerOf(world, input);
  const changes = checkedAttributes(input);
  if (balancer.ipAddressType === 'ipv4' && changes.has(DENY_IGW)) {
    // https://github.com/aws/aws-cdk/issues/30247 has the words, which CloudFormation gives without the code.
    throw validationError(
      `Load balancer attribute key '${DENY_IGW}' is not supported on load balancers with IP address type 'ipv4'`,
    );
  }
  const attributes = new Map([...balancer.attributes, ...changes]);
  checkLogBuckets(attributes);
  world.balancers.put({ ...balancer, attributes }, world.clock.now());
  return answer(attributes);
}

function checkedAttributes(input: Input): ReadonlyMap<string, string> {
  const entries = structuresOf(input, 'Attributes') ?? [];
  if (entries.length === 0) throw validationError('At least one attribute must be specified');
  if (entries.length > MAX_ATTRIBUTES) {
    throw constraintFault(
      'attributes',
      `[${entries.length} attributes]`,
      `Member must have length less than or equal to ${MAX_ATTRIBUTES}`,
    );
  }
  const changes = new Map<string, string>();
  for (const entry of entries) {
    const key = requiredText(entry, 'Key');
    const value = textOf(entry, 'Value') ?? '';
    if (changes.has(key)) {
      throw validationError(`Load balancer attribute key '${key}' is specified more than once`);
    }
    checkAttribute(key, value);
    changes.set(key, value);
  }
  return changes;
}

function checkAttribute(key: string, value: string): void {
  const attribute = Object.hasOwn(APPLICATION_ATTRIBUTES, key)
    ? APPLICATION_ATTRIBUTES[key]
    : undefined;
  if (attribute === undefined) throw unknownKey(key);
  const problem = misfit(attribute.rule, value);
  if (problem === undefined) return;
  throw validationError(`Load balancer attribute '${key}' with value '${value}' ${problem}`);
}

function unknownKey(key: string): AwsFault {
  return validationError(
    NETWORK_ONLY_ATTRIBUTES.has(key)
      ? `Load balancer attribute key '${key}' is not supported on load balancers with type 'application'`
      : `Load balancer attribute key '${key}' is not recognized`,
  );
}

/** Logs need a bucket. Whether it exists and lets the balancer write is not modelled: differences.ts, log-bucket-policy. */
function checkLogBuckets(attributes: ReadonlyMap<string, string>): void {
  for (const logs of ['access_logs', 'connection_logs', 'health_check_logs']) {
    if (attributes.get(`${logs}.s3.enabled`) === 'true' && !attributes.get(`${logs}.s3.bucket`)) {
      throw invalidConfiguration(`${logs}.s3.bucket must be set when ${logs}.s3.enabled is true`);
    }
  }
}

function answer(attributes: ReadonlyMap<string, string>): unknown {
  return { Attributes: Array.from(attributes, ([key, value]) => ({ Key: key, Value: value })) };
}
