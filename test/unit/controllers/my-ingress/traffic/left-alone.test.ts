import { describe, expect, it } from 'vitest';
import type { LoadBalancer } from '../../../../../src/aws/elbv2/load-balancers.ts';
import type { ObjectScope } from '../../../../../src/controllers/my-ingress/scope.ts';
import { planListenerRelease } from '../../../../../src/controllers/my-ingress/traffic/left-alone.ts';

const IDENTITY = { cluster: 'cluster-1', namespace: 'web', name: 'shop', uid: 'uid-1' };
const OURS = {
  ...{ 'albridge.io/cluster': 'cluster-1', 'albridge.io/namespace': 'web' },
  ...{ 'albridge.io/name': 'shop', 'albridge.io/resource': 'listener/80' },
};

/** The scope of an object with a listener, which notes the balancers whose listeners are read. */
function noteReads(read: string[]): ObjectScope {
  const listeners = {
    list: (arn: string) => {
      read.push(arn);
      return [{ arn: `${arn}/listener`, port: 80, protocol: 'HTTP', defaultActions: [] }];
    },
  };
  const clients = { listeners, rules: { list: () => [] }, tags: { read: () => OURS } };
  return {
    ...{ identity: IDENTITY, object: {} },
    memory: { traffic: {} },
    pass: { signal: new AbortController().signal },
    traffic: () => clients,
  } as unknown as ObjectScope;
}

function ofType(type: string): LoadBalancer {
  return { arn: `arn:${type}`, name: 'shop', type } as unknown as LoadBalancer;
}

describe('a load balancer that a deletion leaves alone', () => {
  it.each(['network', 'gateway'])('is not read any further if it is a %s one', async (type) => {
    const read: string[] = [];
    const steps = await planListenerRelease(noteReads(read), [ofType(type), ofType('application')]);
    expect(read).toEqual(['arn:application']);
    expect(steps.map(({ id, operation }) => `${operation} ${id}`)).toEqual([
      'RemoveTags listener/80',
    ]);
  });
});
