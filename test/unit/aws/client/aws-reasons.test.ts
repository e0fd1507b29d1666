import { describe, expect, it } from 'vitest';
import { coreReasons } from '../../../../src/apis/core-reasons.ts';
import { myIngressReasons } from '../../../../src/apis/my-ingress-reasons.ts';
import { awsReasons } from '../../../../src/aws/client/aws-reasons.ts';
import { reasonsOfMyIngress } from '../../../../src/cli/objects/kinds.ts';
import { CoreReason } from '../../../../src/core/reconcile/operator-error.ts';
import { kubeReasons } from '../../../../src/kube/client/kube-reasons.ts';

const reasons = Object.entries({ ...awsReasons, ...myIngressReasons });

describe('the reasons of MyIngress and AWS', () => {
  for (const [reason, { cause, next }] of [...Object.entries(awsReasons), ...reasons]) {
    it(`say of ${reason} what happened and what to do next`, () => {
      expect(reason).toMatch(/^[A-Z][A-Za-z]{0,127}$/);
      expect(cause).toMatch(/^[A-Z].*[^.]$/);
      expect(next).toMatch(/^[a-z].*[^.]$/);
    });
  }

  it('include every reason that the core raises', () => {
    const known = { ...reasonsOfMyIngress, ...coreReasons, ...kubeReasons };
    for (const reason of Object.values(CoreReason)) expect(known).toHaveProperty(reason);
  });

  it('give every failure one that heals it', () => {
    const harmless = reasons.filter(([, { healedBy }]) => healedBy === 'nobody');
    expect(harmless.map(([reason]) => reason)).toEqual([
      'Available',
      'Paused',
      'Planned',
      'ObserveMode',
    ]);
  });

  it('agree on what heals a failure of AWS that MyIngress has its own words for', () => {
    const both = Object.entries(myIngressReasons).filter(([reason]) => reason in awsReasons);
    expect(both.length).toBeGreaterThan(8);
    for (const [reason, { healedBy }] of both) {
      expect(healedBy, reason).toBe(awsReasons[reason as keyof typeof awsReasons].healedBy);
    }
  });
});
