import type { MyIngress, MyIngressSpec } from '../../../../src/apis/my-ingress.ts';
import type { LoadBalancer } from '../../../../src/aws/elbv2/load-balancers.ts';

/** A MyIngress as it comes out of admission: with the defaults of its CRD. */
export function draftOf(
  name: string,
  spec: Partial<MyIngressSpec> = {},
  namespace = 'web',
): MyIngress {
  return {
    apiVersion: 'demo.rtfm.co.ua/v1',
    kind: 'MyIngress',
    metadata: {
      name,
      namespace,
      uid: '',
      resourceVersion: '',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: {
      subnets: ['subnet-a', 'subnet-b'],
      scheme: 'internet-facing',
      deletionPolicy: 'Delete',
      ...spec,
    },
    status: { observedGeneration: -1 },
  };
}

/** A balancer as AWS describes it. */
export function draftBalancer(changes: Partial<LoadBalancer> = {}): LoadBalancer {
  return {
    arn: 'arn:aws:elasticloadbalancing:us-east-1:000000000000:loadbalancer/app/legacy/0123456789abcdef',
    name: 'legacy',
    dns: 'legacy.elb',
    hostedZoneId: 'Z',
    vpcId: 'vpc',
    type: 'application',
    scheme: 'internet-facing',
    ipAddressType: 'ipv4',
    subnets: ['subnet-a', 'subnet-b'],
    securityGroups: ['sg-1'],
    state: { code: 'active' },
    ...changes,
  };
}
