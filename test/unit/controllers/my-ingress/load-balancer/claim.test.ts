import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { myIngressReasons } from '../../../../../src/apis/my-ingress-reasons.ts';
import type { LoadBalancer, Tags } from '../../../../../src/aws/elbv2/load-balancers.ts';
import { desireOwnershipTags } from '../../../../../src/controllers/my-ingress/identity.ts';
import { explainConflict } from '../../../../../src/controllers/my-ingress/load-balancer/correction.ts';
import { desireLoadBalancer } from '../../../../../src/controllers/my-ingress/load-balancer/desired.ts';
import { judgeClaim } from '../../../../../src/controllers/my-ingress/load-balancer/observe.ts';
import { OperatorError } from '../../../../../src/core/reconcile/operator-error.ts';
import { draftBalancer, draftOf } from '../drafts.ts';

const identity = { cluster: 'c1', namespace: 'web', name: 'shop', uid: 'u1' };
const ours = desireOwnershipTags(identity);
const { 'albridge.io/uid': _uid, ...withoutUid } = ours;
const consent = { 'albridge.io/cluster': 'c1', 'albridge.io/adopt': 'web/shop' };

const legacy = draftBalancer();
const { arn: ARN } = legacy;

function claimOf(spec: Partial<MyIngressSpec>): Parameters<typeof judgeClaim>[0] {
  const object = draftOf('shop', spec);
  return { identity, object, desired: desireLoadBalancer(object, identity) };
}

interface Case {
  readonly spec?: Partial<MyIngressSpec>;
  readonly balancer?: Partial<LoadBalancer>;
  readonly tags: Tags;
  /** A kind of judgement, or the reason of the error. */
  readonly gives: string;
  readonly why: string;
}

const adopt = { arn: ARN };
const cases: Readonly<Record<string, Case>> = {
  'our balancer': { tags: ours, gives: 'ours', why: 'its tags say so' },
  'a balancer with our tags but without a UID': {
    tags: withoutUid,
    gives: 'foreign',
    why: 'albridge creates none without it',
  },
  'a balancer with our tags, the consent and no UID': {
    spec: { adopt: { arn: ARN } },
    tags: { ...withoutUid, 'albridge.io/adopt': 'web/shop' },
    gives: 'adoptable',
    why: 'both sides agree',
  },
  'a balancer without tags': { tags: {}, gives: 'foreign', why: 'nothing says that it is ours' },
  'a balancer with consent to an object that wants it': {
    spec: { adopt },
    tags: consent,
    gives: 'adoptable',
    why: 'both sides agree',
  },
  'a balancer with consent to an object that does not want it': {
    tags: consent,
    gives: 'foreign',
    why: 'adoption is asked for in the spec',
  },
  'a balancer with consent and another ARN': {
    spec: { adopt },
    balancer: { arn: `${ARN.slice(0, -1)}0` },
    tags: consent,
    gives: 'foreign',
    why: 'the spec names one balancer',
  },
  'an adopted balancer': {
    spec: { adopt },
    tags: { ...consent, ...ours },
    gives: 'ours',
    why: 'it has our tags',
  },
  'our balancer of another scheme': {
    spec: { scheme: 'internal' },
    tags: ours,
    gives: 'SpecMismatch',
    why: 'AWS cannot change it',
  },
  'a foreign balancer of another scheme': {
    spec: { scheme: 'internal' },
    tags: {},
    gives: 'foreign',
    why: 'whose it is comes first',
  },
  'a balancer to adopt of another scheme': {
    spec: { adopt, scheme: 'internal' },
    tags: consent,
    gives: 'SpecMismatch',
    why: 'AWS cannot change it',
  },
  'a balancer to adopt of another name': {
    spec: { adopt, name: 'shop' },
    tags: consent,
    gives: 'SpecMismatch',
    why: 'AWS cannot change it',
  },
  'a balancer to adopt of another type': {
    spec: { adopt },
    balancer: { type: 'network' },
    tags: consent,
    gives: 'SpecMismatch',
    why: 'a MyIngress is an application load balancer',
  },
  'our balancer of another name than spec.name': {
    spec: { name: 'shop' },
    tags: ours,
    gives: 'SpecMismatch',
    why: 'AWS cannot change it',
  },
  'our balancer of any name where the spec gives none': {
    tags: ours,
    gives: 'ours',
    why: 'the tags prove it, the default name only finds it',
  },
};

function judged({ spec = {}, balancer, tags }: Case): string {
  try {
    return judgeClaim(claimOf(spec), { ...legacy, ...balancer }, tags).kind;
  } catch (error) {
    if (error instanceof OperatorError) return error.reason;
    throw error;
  }
}

describe('the judgement on', () => {
  for (const [name, one] of Object.entries(cases)) {
    it(`${name} is ${one.gives}, because: ${one.why}`, () => {
      expect(judged(one)).toBe(one.gives);
    });
  }
});

describe('the message of', () => {
  it('a mismatch names every difference', () => {
    const claim = claimOf({ adopt, scheme: 'internal', name: 'shop' });
    expect(() => judgeClaim(claim, { ...legacy, type: 'network' }, consent)).toThrow(
      /type network.*scheme is internet-facing, spec.scheme is internal.*name is legacy, the spec names shop/,
    );
  });

  it('a conflict names the balancer and the next action; its holder is for the log', () => {
    const error = explainConflict(claimOf({}), legacy, { ...ours, 'albridge.io/name': 'cart' });
    expect(error).toMatchObject({ reason: 'NameConflict', healedBy: 'person' });
    expect(error.message).toContain('load balancer legacy is held by another object');
    expect(error.details).toEqual({ arn: ARN, holder: 'MyIngress web/cart of cluster c1' });
    expect(error.message.endsWith(myIngressReasons.NameConflict.next)).toBe(true);
  });

  it('a conflict over a balancer that only lacks the UID says so', () => {
    const error = explainConflict(claimOf({}), legacy, withoutUid);
    expect(error.message).toContain(
      `legacy (${ARN}) has the ownership tags of this object but no tag albridge.io/uid`,
    );
  });

  it('a refused adoption names the tag that is missing', () => {
    const error = explainConflict(claimOf({ adopt }), legacy, {});
    expect(error).toMatchObject({ reason: 'AdoptionRefused', healedBy: 'person' });
    expect(error.message).toContain('albridge.io/adopt=web/shop');
  });
});
