import type { ReadableWorld } from '../aws-world.ts';
import { constraintFault, notModelled, validationError } from '../http/aws-fault.ts';
import { type Input, requiredText, textOf } from '../input-fields.ts';
import { checkedEnum, integerBetween } from '../traffic/checked-input.ts';
import { readHealthCheck } from './health-check.ts';
import type { TargetGroupSettings } from './target-group.ts';

const NAME_MAX_LENGTH = 32;

const PROTOCOLS = [
  ...['HTTP', 'HTTPS', 'TCP', 'TLS', 'UDP', 'TCP_UDP', 'GENEVE', 'QUIC', 'TCP_QUIC'],
] as const;
const TARGET_TYPES = ['instance', 'ip', 'lambda', 'alb'] as const;

/**
 * Settings of CreateTargetGroup; throws ValidationError or InvalidConfigurationRequest.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateTargetGroup.html
 * The words of refusals are AWS's as moto 5.2 has them; where moto has none, unverified.
 */
export function readSettings(world: ReadableWorld, input: Input): TargetGroupSettings {
  const name = requiredText(input, 'Name');
  checkName(name);
  if (input['TargetControlPort'] !== undefined) throw notModelled('TargetControlPort');
  const targetType = readTargetType(input);
  const protocol = readProtocol(input);
  const port = integerBetween(input, 'Port', [1, 65_535]);
  if (port === undefined) throw validationError('A port must be specified');
  const vpcId = readVpcId(world, input);
  const protocolVersion = readProtocolVersion(input);
  const ipAddressType = checkedEnum(input, 'IpAddressType', ['ipv4', 'ipv6']) ?? 'ipv4';
  if (ipAddressType === 'ipv6' && targetType !== 'ip') {
    throw validationError('The IP address type ipv6 is supported for target type ip only');
  }
  const healthCheck = readHealthCheck(input, { protocolVersion });
  return {
    ...{ name, targetType, protocol, protocolVersion, port, vpcId, ipAddressType, healthCheck },
  };
}

function checkName(name: string): void {
  const problem = nameProblem(name);
  if (problem !== undefined) throw validationError(`Target group name '${name}' ${problem}`);
  if (name.includes('--')) {
    const pattern =
      'Member must satisfy regular expression pattern: (?!.*--)(?!^-)(?!-$)^[A-Za-z0-9-]+$';
    throw constraintFault('targetGroup.targetGroupArn.targetGroupName', name, pattern);
  }
}

function nameProblem(name: string): string | undefined {
  if (name.length > NAME_MAX_LENGTH) return `cannot be longer than '${NAME_MAX_LENGTH}' characters`;
  if (!/^[A-Za-z0-9-]+$/.test(name)) {
    return 'can only contain characters that are alphanumeric characters or hyphens(-)';
  }
  return name.startsWith('-') || name.endsWith('-') ? "cannot begin or end with '-'" : undefined;
}

function readTargetType(input: Input): TargetGroupSettings['targetType'] {
  const type = checkedEnum(input, 'TargetType', TARGET_TYPES) ?? 'instance';
  if (type === 'lambda' || type === 'alb') throw notModelled(`target type '${type}'`);
  return type;
}

function readProtocol(input: Input): TargetGroupSettings['protocol'] {
  const protocol = checkedEnum(input, 'Protocol', PROTOCOLS);
  if (protocol === undefined) throw validationError('A protocol must be specified');
  if (protocol === 'HTTP' || protocol === 'HTTPS') return protocol;
  throw notModelled(`target group protocol '${protocol}'`);
}

/** A string without an enum in AWS's model. */
function readProtocolVersion(input: Input): TargetGroupSettings['protocolVersion'] {
  return checkedEnum(input, 'ProtocolVersion', ['HTTP1', 'HTTP2', 'GRPC']) ?? 'HTTP1';
}

function readVpcId(world: ReadableWorld, input: Input): string {
  const vpcId = textOf(input, 'VpcId');
  if (vpcId === undefined) throw validationError('A VPC ID must be specified');
  if (world.network.vpcs.has(vpcId)) return vpcId;
  throw validationError(`The VPC ID '${vpcId}' is not found`);
}
