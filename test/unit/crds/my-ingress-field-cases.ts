import { arn, mapOf, named, type RuleTable, subnets, withSpec } from './rule-case.ts';

/** Rules that look at one field. */
export const fieldCases: RuleTable = {
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
  'spec.tags: tag keys that start with albridge.io/': {
    accepts: {
      ManagedBy: {
        why: 'it belongs to whoever manages the balancer, Terraform for example',
        object: withSpec({ tags: mapOf(['ManagedBy']) }),
      },
      'other domains': {
        why: 'only these domains say whose a balancer is',
        object: withSpec({
          tags: mapOf([
            'example.albridge.io/a',
            'app.kubernetes.io/name',
            'notk8s.aws/a',
            'k8s.aws',
          ]),
        }),
      },
    },
    rejects: Object.fromEntries(
      Object.entries({
        'albridge.io/cluster': 'it decides whose the balancer is',
        'Albridge.io/cluster': 'IAM conditions ignore case in tag keys',
        'kubernetes.io/cluster/prod': "cloud-provider-aws takes it for the cluster's mark",
        'KUBERNETES.IO/service-name': 'the same in capitals',
        '\u212Aubernetes.io/cluster/prod': 'the Kelvin sign is a K in another case',
        'k8s.aws/cluster': 'the domain itself',
        'elbv2.k8s.aws/cluster': 'AWS Load Balancer Controller deletes what it finds under it',
        'Ingress.K8S.aws/stack': 'the same in mixed case',
      }).map(([key, why]) => [key, { why, object: withSpec({ tags: mapOf([key]) }) }]),
    ),
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
