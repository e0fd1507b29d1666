import type { MyIngress, MyIngressSpec } from '../../../../src/apis/my-ingress.ts';

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
