import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { MyIngress, MyIngressStatus } from '../../../../src/apis/my-ingress.ts';
import { type MyIngressReason, myIngressReasons } from '../../../../src/apis/my-ingress-reasons.ts';
import type { LoadBalancer } from '../../../../src/aws/elbv2/load-balancers.ts';
import { createFailure } from '../../../../src/controllers/my-ingress/failure.ts';
import {
  desireLoadBalancer,
  desireName,
} from '../../../../src/controllers/my-ingress/load-balancer/desired.ts';
import { chooseReadDepth } from '../../../../src/controllers/my-ingress/load-balancer/read-depth.ts';
import {
  concludeState,
  describeHeld,
  describeLost,
  hasLost,
  readApplied,
  readRecordedArn,
} from '../../../../src/controllers/my-ingress/status.ts';
import { draftBalancer, draftOf } from './drafts.ts';

const identity = { cluster: 'cluster-1', namespace: 'web', name: 'shop', uid: 'u1' };
const balancer = draftBalancer({ scheme: 'internal', subnets: [], securityGroups: [] });
const { arn: ARN } = balancer;

describe('the desired balancer', () => {
  it('follows the spec', () => {
    const spec = {
      name: 'shop-prod',
      scheme: 'internal',
      securityGroups: ['sg-1'],
      ipAddressType: 'dualstack',
      attributes: { a: '1' },
      tags: { team: 'web' },
    } as const;
    expect(desireLoadBalancer(draftOf('shop', spec), identity)).toMatchObject({
      ...spec,
      subnets: ['subnet-a', 'subnet-b'],
      userTags: { team: 'web' },
      tags: { team: 'web', 'albridge.io/managed-by': 'albridge', 'albridge.io/uid': 'u1' },
    });
  });

  it('never lets a tag of the user stand for one of ours', () => {
    const spec = { tags: { 'albridge.io/cluster': 'theirs', 'albridge.io/managed-by': 'me' } };
    const { tags } = desireLoadBalancer(draftOf('shop', spec), identity);
    expect(tags).toMatchObject({
      'albridge.io/cluster': 'cluster-1',
      'albridge.io/managed-by': 'albridge',
    });
  });

  const names: Readonly<Record<string, { spec: unknown; gives: string; why: string }>> = {
    'no spec': { spec: undefined, gives: 'shop-alb-f8da8b78', why: 'deletion needs no spec' },
    'spec.name': { spec: { name: 'shop-prod' }, gives: 'shop-prod', why: 'the spec goes first' },
    'spec.adopt': { spec: { adopt: { arn: ARN } }, gives: 'legacy', why: 'its name is in the ARN' },
    'spec.name and spec.adopt': {
      spec: { name: 'shop-prod', adopt: { arn: ARN } },
      gives: 'shop-prod',
      why: 'the spec goes first',
    },
    'an ARN that is none': {
      spec: { adopt: { arn: 'x' } },
      gives: 'shop-alb-f8da8b78',
      why: 'it has no name',
    },
    'other types': {
      spec: { name: 7, adopt: [] },
      gives: 'shop-alb-f8da8b78',
      why: 'an older CRD may have let them in',
    },
  };
  for (const [name, { spec, gives, why }] of Object.entries(names)) {
    it(`is called ${gives} for ${name}, because: ${why}`, () => {
      expect(desireName(spec as never, identity)).toBe(gives);
    });
  }
});

describe('what a state means', () => {
  const states: Readonly<
    Record<string, { code: string; reason?: string; gives: object; why: string }>
  > = {
    active: {
      code: 'active',
      gives: { kind: 'settled', reason: 'Available' },
      why: 'Ready is this and nothing else',
    },
    provisioning: {
      code: 'provisioning',
      gives: { kind: 'waiting', reason: 'Provisioning' },
      why: 'time heals it',
    },
    'a state that AWS adds': {
      code: 'warming',
      gives: { kind: 'waiting' },
      why: 'it is not active',
    },
  };
  for (const [name, { code, gives, why }] of Object.entries(states)) {
    it(`${name}: ${JSON.stringify(gives)}, because: ${why}`, () => {
      expect(concludeState({ ...balancer, state: { code } }, 0)).toMatchObject(gives);
    });
  }

  it('failed and active_impaired are failures with the words of AWS', () => {
    const state = (code: string): LoadBalancer => ({
      ...balancer,
      state: { code, reason: 'no room' },
    });
    expect(() => concludeState(state('failed'), 0)).toThrow(
      /could not set up load balancer legacy: no room; /,
    );
    expect(() => concludeState(state('active_impaired'), 0)).toThrow(/is impaired: no room; /);
  });

  it('requeues after 1, 2, 4, 8, 15, 15 ... seconds', () => {
    const waits: number[] = [];
    for (let atMs = 0; waits.length < 7; ) {
      const outcome = concludeState({ ...balancer, state: { code: 'provisioning' } }, atMs);
      if (outcome.kind !== 'waiting') throw new Error('not waiting');
      waits.push(outcome.requeueAfterMs / 1000);
      atMs += outcome.requeueAfterMs;
    }
    expect(waits).toEqual([1, 2, 4, 8, 15, 15, 15]);
  });
});

describe('the depth of a read', () => {
  const ready = { type: 'Ready', status: 'True', reason: 'Available' } as const;
  const provisioning = { type: 'Reconciling', status: 'True', reason: 'Provisioning' } as const;
  const stalled = { type: 'Stalled', status: 'True', reason: 'NameConflict' } as const;

  interface Case {
    readonly leading?: {
      readonly type: string;
      readonly status: 'True' | 'False';
      readonly reason: string;
    };
    readonly status?: Partial<MyIngressStatus>;
    readonly generation?: number;
    readonly requested?: string;
    readonly gives: string;
    readonly why: string;
  }

  const held = { alb: { arn: ARN, state: 'active' } };
  const cases: Readonly<Record<string, Case>> = {
    'a new object': { gives: 'live', why: 'nothing is known' },
    'a Ready object': {
      leading: ready,
      status: held,
      gives: 'snapshot',
      why: 'the drift scan confirms it',
    },
    'a Ready object without an ARN': {
      leading: ready,
      gives: 'live',
      why: 'there is nothing to recall',
    },
    'a Ready object that lost its balancer': {
      leading: ready,
      status: { alb: { arn: ARN, state: 'deleted' } },
      gives: 'live',
      why: 'its ARN no longer counts',
    },
    'a Ready object that was edited': {
      leading: ready,
      status: held,
      generation: 2,
      gives: 'live',
      why: 'a write is likely',
    },
    'a Ready object with a request': {
      leading: ready,
      status: held,
      requested: 'b',
      gives: 'live',
      why: 'somebody asks',
    },
    'a Ready object with a request that was handled': {
      leading: ready,
      status: { ...held, lastHandledReconcileAt: 'b' },
      requested: 'b',
      gives: 'snapshot',
      why: 'it was handled',
    },
    'an object that provisions': {
      leading: provisioning,
      status: held,
      gives: 'state',
      why: 'only the state is open',
    },
    'an object that provisions and was edited': {
      leading: provisioning,
      status: held,
      generation: 2,
      gives: 'live',
      why: 'more than the state is open',
    },
    'an object that waits for something else': {
      leading: { ...provisioning, reason: 'BudgetExhausted' },
      status: held,
      gives: 'live',
      why: 'its drift is not mended yet',
    },
    'an object that is parked': {
      leading: stalled,
      status: held,
      gives: 'live',
      why: 'what heals it lies in AWS',
    },
  };
  for (const [
    name,
    { leading, status = {}, generation = 1, requested, gives, why },
  ] of Object.entries(cases)) {
    it(`at ${name} is ${gives}, because: ${why}`, () => {
      const draft = draftOf('shop');
      const annotations =
        requested === undefined ? {} : { 'albridge.io/reconcile-requested-at': requested };
      const conditions = leading === undefined ? [] : [conditionOf(leading)];
      const object: MyIngress = {
        ...draft,
        metadata: { ...draft.metadata, generation, annotations },
        status: { observedGeneration: 1, ...status, conditions },
      };
      expect(chooseReadDepth(object)).toBe(gives);
    });
  }

  function conditionOf(
    leading: NonNullable<Case['leading']>,
  ): NonNullable<MyIngressStatus['conditions']>[number] {
    return {
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      observedGeneration: 1,
      ...leading,
    };
  }
});

describe('the record', () => {
  const holding = (
    alb: MyIngressStatus['alb'],
    more: Partial<MyIngress['spec']> = {},
  ): MyIngress => ({
    ...draftOf('shop', more),
    status: {
      observedGeneration: 1,
      applied: { tags: ['a'], attributes: { x: '0' } },
      ...(alb && { alb }),
    },
  });

  it('names the balancer that is held', () => {
    expect(readRecordedArn(draftOf('shop'))).toBeUndefined();
    expect(readRecordedArn({ ...draftOf('shop'), status: undefined } as never)).toBeUndefined();
    expect(readRecordedArn(holding(describeHeld(balancer)))).toBe(ARN);
    expect(hasLost(holding(describeHeld(balancer)), 'legacy')).toBe(false);
  });

  it('of a lost balancer names none, and shows no address', () => {
    const object = holding(describeLost(describeHeld(balancer)));
    expect(readRecordedArn(object)).toBeUndefined();
    expect(hasLost(object, 'legacy')).toBe(true);
    expect(hasLost(object, 'other')).toBe(false);
    expect(object.status.alb).toEqual({ arn: ARN, name: 'legacy', state: 'deleted' });
  });

  it('counts as applied what is on record for this balancer or a lost create of this object', () => {
    const recorded = { tags: ['a'], attributes: { x: '0' } };
    const uidTag = { 'albridge.io/uid': holding(undefined).metadata.uid };
    const seen = (tags: Readonly<Record<string, string>>) => ({
      loadBalancer: balancer,
      tags: { team: 'web', ...tags },
    });
    const another = { ...describeHeld(balancer), arn: `${ARN}0` };
    expect(readApplied(holding(describeHeld(balancer)), seen({}))).toEqual(recorded);
    expect(readApplied(holding(undefined), seen(uidTag))).toEqual(recorded);
    expect(readApplied(holding(undefined), seen({}))).toEqual({});
    expect(readApplied(holding(undefined), seen({ 'albridge.io/uid': 'u0' }))).toEqual({});
    expect(readApplied(holding(another), seen(uidTag))).toEqual({});
  });
});

describe('a failure', () => {
  for (const [reason, { healedBy, next }] of Object.entries(myIngressReasons)) {
    it(`of reason ${reason} ends in its next action`, () => {
      const error = createFailure(reason as MyIngressReason, 'this was seen');
      expect(error.message).toBe(`this was seen; ${next}`);
      expect(error.healedBy).toBe(healedBy === 'time' ? 'time' : 'person');
    });
  }

  it('and a wait never have a reason that the table lacks', () => {
    const folder = new URL('../../../../src/controllers/my-ingress/', import.meta.url);
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(new URL(file, folder), 'utf8'));
    const used = sources.flatMap((source) =>
      [...source.matchAll(/\b(?:createFailure|waiting|settled|unconfirmed)\(\s*'(\w+)'/g)].map(
        ([, reason]) => reason,
      ),
    );
    expect(new Set(used).size).toBeGreaterThanOrEqual(8);
    expect(used.filter((reason) => !Object.hasOwn(myIngressReasons, reason ?? ''))).toEqual([]);
  });
});
