import {
  casesOf,
  type Draft,
  http,
  type RuleTable,
  web,
  withSpec,
  withTraffic,
} from './rule-case.ts';

const sources = (inbound: object): Draft => withTraffic({ inbound });

const allowed = (allowedNamespaces: object): Draft => withSpec({ allowedNamespaces });
const selector = { matchLabels: { team: 'shop' } };

/** Rules that look at who may connect and who may attach, and at what no rule catches. */
export const inboundCases: RuleTable = {
  'spec.allowedNamespaces: selector goes with from Selector': {
    accepts: {
      'all namespaces': { why: 'without a selector', object: allowed({ from: 'All' }) },
      'a selector': { why: 'with from', object: allowed({ from: 'Selector', selector }) },
    },
    rejects: {
      'from Selector alone': { why: 'it selects nothing', object: allowed({ from: 'Selector' }) },
      'a selector that is not asked': {
        why: 'whoever wrote it believes that it restricts',
        object: allowed({ from: 'All', selector }),
      },
    },
  },
  'spec: rules, defaultAction and inbound need': {
    accepts: {
      'listeners without backends': {
        why: 'they answer 404',
        object: withSpec({ listeners: [http], inbound: { cidrs: ['0.0.0.0/0'] } }),
      },
      'backends without listeners': {
        why: 'HTTP on port 80',
        object: sources({ cidrs: ['0.0.0.0/0'] }),
      },
      neither: { why: 'a balancer alone', object: withSpec({}) },
    },
    rejects: {
      'inbound alone': {
        why: 'nothing listens',
        object: withSpec({ inbound: { cidrs: ['0.0.0.0/0'] } }),
      },
    },
  },
  'spec: inbound describes the security group': {
    accepts: {
      'inbound alone': { why: 'of the managed group', object: sources({ cidrs: ['0.0.0.0/0'] }) },
      'groups alone': {
        why: 'they have rules of their own',
        object: withTraffic({ securityGroups: ['sg-a'] }),
      },
    },
    rejects: {
      both: {
        why: 'there is no managed group',
        object: withTraffic({ securityGroups: ['sg-a'], inbound: { cidrs: ['0.0.0.0/0'] } }),
      },
    },
  },
  'spec.inbound: names no source': {
    accepts: {
      'one kind of source': { why: 'enough', object: sources({ prefixListIDs: ['pl-a'] }) },
    },
    rejects: { none: { why: 'nobody could connect', object: sources({}) } },
  },
  'spec.inbound.cidrs[]: is not a range': {
    accepts: {
      'both families': {
        why: 'a dualstack balancer has both',
        object: sources({ cidrs: ['203.0.113.0/24', '2001:db8::/32', '::/0'] }),
      },
      'one address': { why: 'a range of one', object: sources({ cidrs: ['10.1.2.3/32'] }) },
    },
    rejects: casesOf(
      {
        '10.1.2.3': 'no prefix',
        '10.0.0.0/33': 'an IPv4 address has 32 bits',
        'pl-0123456789abcdef0': 'a prefix list has a field of its own',
      },
      (cidr) => sources({ cidrs: [cidr] }),
    ),
  },
  'spec.inbound.prefixListIDs[]: is not the id': {
    accepts: casesOf({ 'pl-0123456789abcdef0': 'the form of AWS' }, (id) =>
      sources({ prefixListIDs: [id] }),
    ),
    rejects: casesOf({ 'com.amazonaws.global.cloudfront.origin-facing': 'a name' }, (id) =>
      sources({ prefixListIDs: [id] }),
    ),
  },
  'spec.inbound.securityGroupIDs[]: is not a security group id': {
    accepts: casesOf({ 'sg-0123456789abcdef0': 'the form of AWS' }, (id) =>
      sources({ securityGroupIDs: [id] }),
    ),
    rejects: casesOf({ default: 'a name' }, (id) => sources({ securityGroupIDs: [id] })),
  },
  'spec: defaultAction is required': {
    accepts: {
      'one backend without': { why: 'it gets what is left', object: withTraffic({}) },
      'two backends with': {
        why: 'it says which',
        object: withTraffic({
          backends: [web, { ...web, name: 'api' }],
          defaultAction: { forward: [{ backend: 'web' }] },
        }),
      },
      'no backend': { why: 'the listener answers 404', object: withSpec({ listeners: [http] }) },
    },
    rejects: {
      'two backends without': {
        why: 'a second backend would take traffic away',
        object: withTraffic({ backends: [web, { ...web, name: 'api' }] }),
      },
    },
  },
};
