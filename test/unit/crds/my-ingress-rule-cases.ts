/** What a user writes of a MyIngress, and for old objects what albridge wrote beside it. */
export interface Draft {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

export interface RuleCase {
  readonly why: string;
  readonly object: Draft;
  /** Present: `object` is an update of it. */
  readonly old?: Draft;
}

export interface RuleCases {
  /** Objects that the rule, and every other rule, lets through. */
  readonly accepts: Readonly<Record<string, RuleCase>>;
  /** Objects that this rule refuses, and no other. */
  readonly rejects: Readonly<Record<string, RuleCase>>;
}

const subnets = ['subnet-abc', 'subnet-def'];
const arn = 'arn:aws:elasticloadbalancing:eu-central-1:123456789012:loadbalancer/app/shop/50dc6c4';
const otherArn = `${arn}95`;
const held = { alb: { arn } };

function withSpec(fields: Readonly<Record<string, unknown>>): Draft {
  return { spec: { subnets, ...fields } };
}

function named(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `key${index}`);
}

function mapOf(keys: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(keys.map((key) => [key, 'x']));
}

/** Keyed by the beginning of `<path in the schema>: <message>`, which must name exactly one rule. */
export const ruleCases: Readonly<Record<string, RuleCases>> = {
  'root: spec is missing': {
    accepts: {
      'an object with a spec': { why: 'it says what is wanted', object: withSpec({}) },
      'a stored object without one': {
        why: 'a status write or the removal of a finalizer must not be refused',
        old: {},
        object: {},
      },
      'a stored object that gets one': { why: 'the repair', old: {}, object: withSpec({}) },
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
  'spec: scheme cannot be changed': {
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
  'spec.subnets: an Application Load Balancer needs': {
    accepts: {
      two: { why: 'the least', object: withSpec({}) },
      twenty: {
        why: 'the most',
        object: withSpec({ subnets: named(20).map((key) => `subnet-${key}`) }),
      },
    },
    rejects: {
      one: { why: 'one subnet is one zone', object: withSpec({ subnets: ['subnet-abc'] }) },
      none: { why: 'no subnet, no zone', object: withSpec({ subnets: [] }) },
    },
  },
  'spec.subnets: each subnet may be listed once': {
    accepts: { different: { why: 'each once', object: withSpec({}) } },
    rejects: {
      repeated: {
        why: 'AWS counts it once',
        object: withSpec({ subnets: [...subnets, 'subnet-abc'] }),
      },
    },
  },
  'spec.subnets[]: is not a subnet id': {
    accepts: {
      'ids of AWS': {
        why: 'the long form, and the short one of old accounts',
        object: withSpec({ subnets: ['subnet-0123456789abcdef0', 'subnet-1a2b3c4d'] }),
      },
      'ids of the article': { why: 'it applies as written', object: withSpec({}) },
    },
    rejects: {
      'a CIDR': {
        why: 'a common mistake',
        object: withSpec({ subnets: ['subnet-a', '10.0.0.0/24'] }),
      },
      'an empty text': {
        why: 'an unfilled template',
        object: withSpec({ subnets: ['subnet-a', ''] }),
      },
      'a line break behind the id': {
        why: 'an id pasted with its newline',
        object: withSpec({ subnets: ['subnet-a', 'subnet-b\n'] }),
      },
    },
  },
  'spec.name: must be 1 to 32 characters long': {
    accepts: {
      '32 characters': { why: 'the most', object: withSpec({ name: 'a'.repeat(32) }) },
      'one character': { why: 'the least', object: withSpec({ name: 'a' }) },
    },
    rejects: {
      '33 characters': { why: 'one too many', object: withSpec({ name: 'a'.repeat(33) }) },
      'an empty name': { why: 'an unfilled template', object: withSpec({ name: '' }) },
    },
  },
  'spec.name: may hold only letters': {
    accepts: {
      'letters, digits, hyphens': {
        why: 'all that AWS allows',
        object: withSpec({ name: 'Shop-2-b' }),
      },
    },
    rejects: {
      'an underscore': { why: 'AWS refuses it', object: withSpec({ name: 'shop_prod' }) },
      'a dot': { why: 'AWS refuses it', object: withSpec({ name: 'shop.prod' }) },
      'a letter beyond ASCII': { why: 'AWS refuses it', object: withSpec({ name: 'größe' }) },
    },
  },
  'spec.name: must not start or end with a hyphen': {
    accepts: { 'an inner hyphen': { why: 'AWS allows it', object: withSpec({ name: 'a-b' }) } },
    rejects: {
      'a first hyphen': { why: 'AWS refuses it', object: withSpec({ name: '-a' }) },
      'a last hyphen': { why: 'AWS refuses it', object: withSpec({ name: 'a-' }) },
    },
  },
  'spec.name: must not start with internal-': {
    accepts: {
      'internal alone': {
        why: 'only the prefix is reserved',
        object: withSpec({ name: 'internal' }),
      },
      'internal- inside': {
        why: 'only the prefix is reserved',
        object: withSpec({ name: 'an-internal-a' }),
      },
    },
    rejects: {
      'internal- first': { why: 'AWS refuses it', object: withSpec({ name: 'internal-shop' }) },
    },
  },
  'spec.securityGroups: each security group': {
    accepts: {
      different: { why: 'each once', object: withSpec({ securityGroups: ['sg-a', 'sg-b'] }) },
    },
    rejects: {
      repeated: { why: 'AWS refuses it', object: withSpec({ securityGroups: ['sg-a', 'sg-a'] }) },
    },
  },
  'spec.securityGroups[]: is not a security group id': {
    accepts: {
      'an id': {
        why: 'the form of AWS',
        object: withSpec({ securityGroups: ['sg-0123456789abcdef0'] }),
      },
    },
    rejects: {
      'a name': { why: 'a common mistake', object: withSpec({ securityGroups: ['default'] }) },
    },
  },
  'spec.attributes: lists more than 40': {
    accepts: { '40': { why: 'the most', object: withSpec({ attributes: mapOf(named(40)) }) } },
    rejects: { '41': { why: 'one too many', object: withSpec({ attributes: mapOf(named(41)) }) } },
  },
  'spec.attributes: an attribute key': {
    accepts: {
      'keys of AWS': {
        why: 'dots, digits and underscores',
        object: withSpec({
          attributes: { 'routing.http2.enabled': 'true', 'idle_timeout.timeout_seconds': '120' },
        }),
      },
      'an empty value': {
        why: 'AWS takes an empty log prefix',
        object: withSpec({ attributes: { 'access_logs.s3.prefix': '' } }),
      },
    },
    rejects: {
      'a hyphen': {
        why: 'no key of AWS has one',
        object: withSpec({ attributes: mapOf(['idle-timeout']) }),
      },
      'an empty key': { why: 'it names nothing', object: withSpec({ attributes: mapOf(['']) }) },
      '257 characters': {
        why: 'one too many',
        object: withSpec({ attributes: mapOf(['a'.repeat(257)]) }),
      },
    },
  },
  'spec.tags: at most 40 tags': {
    accepts: { '40': { why: 'the most', object: withSpec({ tags: mapOf(named(40)) }) } },
    rejects: { '41': { why: 'albridge needs room', object: withSpec({ tags: mapOf(named(41)) }) } },
  },
  'spec.tags: a tag key has 1 to 128': {
    accepts: {
      '128 characters': { why: 'the most', object: withSpec({ tags: mapOf(['a'.repeat(128)]) }) },
      'every kind of character': {
        why: 'letters of any language, an inner space and the signs',
        object: withSpec({ tags: mapOf(['größe der Welt_.:/=+-@7']) }),
      },
    },
    rejects: {
      'an empty key': { why: 'AWS refuses it', object: withSpec({ tags: mapOf(['']) }) },
      '129 characters': {
        why: 'one too many',
        object: withSpec({ tags: mapOf(['a'.repeat(129)]) }),
      },
      'a sign that AWS does not know': {
        why: 'AWS refuses it',
        object: withSpec({ tags: mapOf(['a#b']) }),
      },
      'a space at the end': {
        why: 'AWS asks for none, and it might come back trimmed',
        object: withSpec({ tags: mapOf(['team ']) }),
      },
    },
  },
  'spec.tags: tag keys that start with aws:': {
    accepts: {
      'aws inside': {
        why: 'only the prefix is reserved',
        object: withSpec({ tags: mapOf(['my-aws:a']) }),
      },
    },
    rejects: {
      'aws: first': { why: 'reserved by AWS', object: withSpec({ tags: mapOf(['aws:a']) }) },
      'in capitals': { why: 'reserved in any case', object: withSpec({ tags: mapOf(['AWS:a']) }) },
    },
  },
  'spec.tags: the tag ManagedBy': {
    accepts: {
      'tags of another case or domain': {
        why: 'tags tell capitals from small letters',
        object: withSpec({ tags: mapOf(['managedBy', 'example.albridge.io/a']) }),
      },
    },
    rejects: {
      'an ownership tag': {
        why: 'it decides whose the balancer is',
        object: withSpec({ tags: mapOf(['albridge.io/cluster']) }),
      },
      ManagedBy: { why: 'albridge writes it', object: withSpec({ tags: mapOf(['ManagedBy']) }) },
    },
  },
  'spec.tags{}: may hold only letters': {
    accepts: {
      'an empty value': { why: 'AWS allows it', object: withSpec({ tags: { team: '' } }) },
      'signs and spaces': {
        why: 'AWS allows them',
        object: withSpec({ tags: { team: 'a b_.:/=+-@ü9' } }),
      },
    },
    rejects: {
      'a sign that AWS does not know': {
        why: 'AWS refuses it',
        object: withSpec({ tags: { team: 'a,b' } }),
      },
      'a space first': { why: 'AWS asks for none', object: withSpec({ tags: { team: ' a' } }) },
    },
  },
  'spec.tags{}: must not start with aws:': {
    accepts: {
      'an aws word': {
        why: 'only the prefix is reserved',
        object: withSpec({ tags: { a: 'aws' } }),
      },
    },
    rejects: {
      'aws: first': { why: 'reserved by AWS', object: withSpec({ tags: { a: 'aws:b' } }) },
      'mixed case': { why: 'reserved in any case', object: withSpec({ tags: { a: 'Aws:b' } }) },
    },
  },
  'spec.adopt.arn: is not the ARN': {
    accepts: {
      'the commercial partition': { why: 'aws', object: withSpec({ adopt: { arn } }) },
      China: { why: 'aws-cn', object: withSpec({ adopt: { arn: arn.replace('aws', 'aws-cn') } }) },
      'the US government': {
        why: 'aws-us-gov',
        object: withSpec({ adopt: { arn: arn.replace('aws', 'aws-us-gov') } }),
      },
    },
    rejects: {
      'a network load balancer': {
        why: 'net instead of app',
        object: withSpec({ adopt: { arn: arn.replace('/app/', '/net/') } }),
      },
      'a listener': {
        why: 'a part of a balancer',
        object: withSpec({ adopt: { arn: `${arn}/a1` } }),
      },
      'a DNS name': {
        why: 'a common mistake',
        object: withSpec({ adopt: { arn: 'shop.example.com' } }),
      },
    },
  },
};

/** Edits in a row, each answered; immutability must not be bypassed by unset-then-set. */
export const ruleSequences: Readonly<
  Record<
    string,
    { readonly why: string; readonly steps: readonly [Draft, ...Draft[]]; readonly last: Draft }
  >
> = {
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
