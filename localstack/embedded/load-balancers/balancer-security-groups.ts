import { defaultSecurityGroup, type Network } from '../ec2/network.ts';
import { AwsFault, invalidConfiguration, validationError } from '../http/aws-fault.ts';

/**
 * The groups a balancer gets: those asked for, else the default group of its VPC. Throws
 * ValidationError, InvalidSecurityGroup or InvalidConfigurationRequest.
 */
export function resolveSecurityGroups(
  network: Network,
  vpcId: string,
  wanted: readonly string[],
): readonly string[] {
  if (wanted.length > 0) return checkedGroups(network, vpcId, wanted);
  const fallback = defaultSecurityGroup(network, vpcId);
  return fallback === undefined ? [] : [fallback.id];
}

/** Each group once, all existing and of this VPC. */
export function checkedGroups(
  network: Network,
  vpcId: string,
  ids: readonly string[],
): readonly string[] {
  for (const id of ids) checkGroup(network, vpcId, id);
  return [...new Set(ids)];
}

function checkGroup(network: Network, vpcId: string, id: string): void {
  if (!id.startsWith('sg-')) throw validationError(`Security group '${id}' is not valid`);
  const group = network.securityGroups.get(id);
  if (group === undefined) {
    throw new AwsFault('InvalidSecurityGroup', `The security group '${id}' does not exist`);
  }
  if (group.vpcId !== vpcId) {
    throw invalidConfiguration(`Security group '${id}' does not belong to VPC '${vpcId}'`);
  }
}
