import type { SecurityGroups } from '../../../aws/ec2/security-groups.ts';
import type { Listeners, ResourceTags, Rules, TargetGroups } from '../../../aws/elbv2/traffic.ts';

/** Clients of everything beside the balancer, paid for by one pass. */
export interface TrafficClients {
  readonly targetGroups: TargetGroups;
  readonly listeners: Listeners;
  readonly rules: Rules;
  readonly tags: ResourceTags;
  readonly securityGroups: SecurityGroups;
}
