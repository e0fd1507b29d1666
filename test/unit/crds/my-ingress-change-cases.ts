import { arn, otherArn, type RuleSequences, type RuleTable, withSpec } from './rule-case.ts';

const held = { alb: { arn } };

/** Rules that look at more than one field, or at what was there before. */
export const changeCases: RuleTable = {
  'root: spec is missing': {
    accepts: {
      'an object with a spec': { why: 'it says what is wanted', object: withSpec({}) },
      'an object with an empty spec': {
        why: 'the subnets are found by their tags',
        object: { spec: {} },
      },
      'an object that names subnets later': {
        why: 'they take the place of those that were found',
        old: { spec: {} },
        object: withSpec({}),
      },
      'an object that names its subnets no more': {
        why: 'the balancer keeps them',
        old: withSpec({}),
        object: { spec: {} },
      },
      'a stored object without one': {
        why: 'a status write or the removal of a finalizer must not be refused',
        old: {},
        object: {},
        isOlderThanRules: true,
      },
      'a stored object that gets one': {
        why: 'the repair',
        old: {},
        object: withSpec({}),
        isOlderThanRules: true,
      },
    },
    rejects: {
      'a new object without a spec': { why: 'there is nothing to create', object: {} },
      'an object that loses its spec': {
        why: 'albridge would no longer know what to keep',
        old: withSpec({}),
        object: {},
      },
    },
  },
  'root: adopt can be added only while': {
    accepts: {
      'a new object that adopts': {
        why: 'it holds nothing yet',
        object: withSpec({ adopt: { arn } }),
      },
      'an object that holds nothing': {
        why: 'it has been looked at, and waits for a balancer',
        old: { ...withSpec({}), status: { observedGeneration: 1 } },
        object: withSpec({ adopt: { arn } }),
      },
      'an object that adopted what it holds': {
        why: 'nothing changes: every later status write looks like this',
        old: { ...withSpec({ adopt: { arn } }), status: held },
        object: withSpec({ adopt: { arn } }),
      },
    },
    rejects: {
      'an object that holds a balancer': {
        why: 'the balancer it holds would be forgotten',
        old: { ...withSpec({}), status: held },
        object: withSpec({ adopt: { arn: otherArn } }),
      },
    },
  },
  'spec.scheme: scheme cannot be changed': {
    accepts: {
      'the default written out': {
        why: 'left out means internet-facing',
        old: withSpec({}),
        object: withSpec({ scheme: 'internet-facing' }),
      },
      'another edit': {
        why: 'scheme stays',
        old: withSpec({ scheme: 'internal' }),
        object: withSpec({ scheme: 'internal', tags: { team: 'web' } }),
      },
    },
    rejects: {
      'the other scheme': {
        why: 'AWS has no operation for it',
        old: withSpec({ scheme: 'internet-facing' }),
        object: withSpec({ scheme: 'internal' }),
      },
      'internal left out': {
        why: 'the default would change it silently',
        old: withSpec({ scheme: 'internal' }),
        object: withSpec({}),
      },
    },
  },
  'spec: name cannot be added': {
    accepts: {
      'the same name': {
        why: 'nothing changes',
        old: withSpec({ name: 'shop' }),
        object: withSpec({ name: 'shop', deletionPolicy: 'Retain' }),
      },
      'no name as before': { why: 'nothing changes', old: withSpec({}), object: withSpec({}) },
    },
    rejects: {
      'a name added': {
        why: 'the balancer already has its default name',
        old: withSpec({}),
        object: withSpec({ name: 'shop' }),
      },
      'a name changed': {
        why: 'AWS cannot rename',
        old: withSpec({ name: 'shop' }),
        object: withSpec({ name: 'store' }),
      },
      'a name removed': {
        why: 'the first half of unset-then-set',
        old: withSpec({ name: 'shop' }),
        object: withSpec({}),
      },
    },
  },
  'spec: securityGroups cannot be left out': {
    accepts: {
      'groups added': {
        why: 'the default group is replaced',
        old: withSpec({}),
        object: withSpec({ securityGroups: ['sg-a'] }),
      },
      'groups changed': {
        why: 'AWS replaces the set in place',
        old: withSpec({ securityGroups: ['sg-a'] }),
        object: withSpec({ securityGroups: ['sg-b', 'sg-c'] }),
      },
    },
    rejects: {
      'groups removed': {
        why: 'AWS has no call that goes back to the default',
        old: withSpec({ securityGroups: ['sg-a'] }),
        object: withSpec({}),
      },
    },
  },
  'spec: adopt cannot be changed': {
    accepts: {
      'the same ARN': {
        why: 'nothing changes',
        old: withSpec({ adopt: { arn } }),
        object: withSpec({ adopt: { arn }, tags: { team: 'web' } }),
      },
    },
    rejects: {
      'another ARN': {
        why: 'the adopted balancer would be forgotten',
        old: withSpec({ adopt: { arn } }),
        object: withSpec({ adopt: { arn: otherArn } }),
      },
      'adopt removed': {
        why: 'the first half of unset-then-set',
        old: withSpec({ adopt: { arn } }),
        object: withSpec({}),
      },
    },
  },
  'spec: name is not the name in adopt.arn': {
    accepts: {
      'the name of the ARN': {
        why: 'they agree',
        object: withSpec({ name: 'shop', adopt: { arn } }),
      },
      'no name': { why: 'the ARN says it', object: withSpec({ adopt: { arn } }) },
    },
    rejects: {
      'another name': {
        why: 'AWS cannot rename',
        object: withSpec({ name: 'store', adopt: { arn } }),
      },
      'the beginning of the name': {
        why: 'a part of a name is another name',
        object: withSpec({ name: 'sho', adopt: { arn } }),
      },
    },
  },
};

export const ruleSequences: RuleSequences = {
  'name: remove, then add another': {
    why: 'the removal is refused, so the name of before still stands and the next one is a change',
    steps: [withSpec({ name: 'shop' }), withSpec({})],
    last: withSpec({ name: 'store' }),
  },
  'adopt: remove, then add another': {
    why: 'the removal is refused, so the ARN of before still stands',
    steps: [withSpec({ adopt: { arn } }), withSpec({})],
    last: withSpec({ adopt: { arn: otherArn } }),
  },
  'scheme: leave out, then set the other': {
    why: 'left out means the default, which is a change for an internal balancer',
    steps: [withSpec({ scheme: 'internal' }), withSpec({})],
    last: withSpec({ scheme: 'internet-facing' }),
  },
};
