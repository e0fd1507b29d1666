import { describe, expect, it } from 'vitest';
import { coreReasons } from '../../../src/apis/event-reasons.ts';
import { myIngressReasons } from '../../../src/apis/my-ingress-reasons.ts';
import { reasonByCode } from '../../../src/aws/aws-codes.ts';
import { CoreReason } from '../../../src/core/operator-error.ts';
import { kubeReasons } from '../../../src/kube/kube-reasons.ts';

const reasons = Object.entries(myIngressReasons);

describe('myIngressReasons', () => {
  for (const [reason, { cause, next }] of reasons) {
    it(`says of ${reason} what happened and what to do next`, () => {
      expect(reason).toMatch(/^[A-Z][A-Za-z]{0,127}$/);
      expect(cause).toMatch(/^[A-Z].*[^.]$/);
      expect(next).toMatch(/^[a-z].*[^.]$/);
    });
  }

  it('knows every reason that the core raises', () => {
    const known = { ...myIngressReasons, ...coreReasons, ...kubeReasons };
    for (const reason of Object.values(CoreReason)) expect(known).toHaveProperty(reason);
  });

  it('says of no failure that nobody has to heal it', () => {
    const harmless = reasons.filter(([, { healedBy }]) => healedBy === 'nobody');
    expect(harmless.map(([reason]) => reason)).toEqual(['Available', 'Paused']);
    for (const reason of ['Available', 'Paused']) {
      expect([...reasonByCode.values()]).not.toContain(reason);
    }
  });
});
