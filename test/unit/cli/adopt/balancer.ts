import type { Balancer } from '../../../../src/cli/adopt/observe-balancer.ts';

export const ARN =
  'arn:aws:elasticloadbalancing:eu-central-1:111122223333:loadbalancer/app/shop/50dc6c495c0c9188';

/** A balancer as its owner made it: only what a case is about has to be given. */
export function balancerOf(
  changes: Partial<Omit<Balancer, 'loadBalancer'>> & {
    readonly loadBalancer?: Partial<Balancer['loadBalancer']>;
  } = {},
): Balancer {
  const { loadBalancer, ...rest } = changes;
  return {
    ...{ tags: {}, attributes: {}, listeners: [], targetGroups: [] },
    ...rest,
    loadBalancer: {
      ...{ arn: ARN, name: 'shop', dns: 'shop.example.com', hostedZoneId: 'Z1', vpcId: 'vpc-1' },
      ...{ type: 'application', scheme: 'internal', ipAddressType: 'ipv4' },
      ...{ subnets: ['subnet-b', 'subnet-a'], securityGroups: ['sg-1'], state: { code: 'active' } },
      ...loadBalancer,
    },
  };
}
