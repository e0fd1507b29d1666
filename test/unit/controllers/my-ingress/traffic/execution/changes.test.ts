import { expect, it } from 'vitest';
import type { ObservedListener } from '../../../../../../src/controllers/my-ingress/graph/graph.ts';
import type { StandingGraph } from '../../../../../../src/controllers/my-ingress/graph/projection.ts';
import {
  applyChanges,
  listChanges,
} from '../../../../../../src/controllers/my-ingress/traffic/execution/changes.ts';

const ARN = 'arn:aws:elasticloadbalancing:us-east-1:000000000000:listener/app/a/1/2';

/** A balancer with one listener. */
function graph(protocol: 'HTTP' | 'HTTPS', certificates: readonly string[] = []): StandingGraph {
  const policy = protocol === 'HTTPS' ? { sslPolicy: 'policy' } : {};
  const settings = { arn: ARN, loadBalancerArn: 'balancer', port: 80, protocol, certificates };
  const listener = { ...settings, ...policy, defaultActions: [] };
  return {
    loadBalancer: { arn: 'balancer', securityGroups: [], vpcId: 'vpc' },
    securityGroups: [],
    targetGroups: [],
    listeners: [{ listener, certificates, attributes: { idle: '1' }, tags: {}, rules: [] }],
  };
}

const [PLAIN, ONE, TWO] = [graph('HTTP'), graph('HTTPS', ['one']), graph('HTTPS', ['two'])];

it('a read from before one or several writes is brought to after the last one', () => {
  const writes = [...listChanges(PLAIN, ONE), ...listChanges(ONE, TWO)];
  for (const read of [PLAIN, ONE, TWO]) expect(applyChanges(read, writes)).toEqual(TWO);
  const undone = [...listChanges(PLAIN, ONE), ...listChanges(ONE, PLAIN)];
  for (const read of [PLAIN, ONE]) expect(applyChanges(read, undone)).toEqual(PLAIN);
});

it('a setting of others stays, and certificates that were not read are known only where they changed', () => {
  const others = graph('HTTPS', ['others']);
  expect(applyChanges(others, listChanges(ONE, TWO))).toEqual(others);
  const unread = ({ listeners, ...rest }: StandingGraph): StandingGraph => {
    const omit = ({ listener, attributes, tags, rules }: ObservedListener): ObservedListener => {
      return { listener, ...(attributes && { attributes }), tags, rules };
    };
    return { ...rest, listeners: listeners.map(omit) };
  };
  expect(applyChanges(unread(others), listChanges(ONE, TWO))).toEqual(unread(others));
  expect(applyChanges(unread(PLAIN), listChanges(unread(PLAIN), ONE))).toEqual(ONE);
});

it('what did not change is no change', () => {
  expect(listChanges(PLAIN, PLAIN)).toEqual([]);
  expect(
    listChanges(PLAIN, ONE)
      .map(({ field }) => field)
      .toSorted(),
  ).toEqual([...['certificates', 'certificates', 'protocol', 'sslPolicy']]);
});
