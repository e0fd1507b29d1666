import {
  casesOf,
  type Draft,
  http,
  https,
  plainRule,
  type RuleTable,
  withRule,
  withTraffic,
} from './rule-case.ts';

const rule = { name: 'a', paths: ['/a'], forward: [{ backend: 'web' }] };
const header = (fields: object): Draft =>
  withRule({ headers: [{ name: 'X-Team', values: ['a'], ...fields }] });
const listened = (listeners: readonly object[], ports?: readonly number[]): Draft =>
  withTraffic({
    listeners,
    rules: [plainRule, { ...rule, ...(ports === undefined ? {} : { listeners: ports }) }],
  });

const host = { regex: '^(.+)[.]old[.]com$', replace: '$1.new.com' };
const url = { regex: '^/api/(.*)$', replace: '/$1' };
const answer = { forward: undefined, fixedResponse: { statusCode: 200 } };
const rewriting = (fields: object): Draft => withRule({ rewrite: { url: { ...url, ...fields } } });
const everyCondition = {
  ...{ hosts: ['a.b'], paths: ['/a'], methods: ['GET'], sourceCIDRs: ['10.0.0.0/8'] },
  ...{ queryStrings: [{ value: 'a' }], headers: [{ name: 'a', values: ['b'] }] },
};
const pathsOf = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `/${index}`);
const hostsOf = (count: number): readonly string[] =>
  pathsOf(count).map((path) => `a.${path.slice(1)}.com`);

/** Rules that look at one rule of the spec. */
export const ruleCases: RuleTable = {
  'spec.rules: two rules have the same name': {
    accepts: {
      different: {
        why: 'each once',
        object: withTraffic({ rules: [rule, { ...rule, name: 'b' }] }),
      },
    },
    rejects: {
      repeated: {
        why: 'a rule in AWS is found by it',
        object: withTraffic({ rules: [rule, { ...rule, paths: ['/b'] }] }),
      },
    },
  },
  'spec.rules[].name: must be lower-case': {
    accepts: casesOf({ api: 'the usual', ['a'.repeat(63)]: 'the most' }, (name) =>
      withRule({ name }),
    ),
    rejects: casesOf(
      { API: 'capitals', 'a b': 'a space', 'api-': 'a hyphen last', '': 'empty' },
      (name) => withRule({ name }),
    ),
  },
  'spec.rules[]: a rule needs a condition': {
    accepts: {
      'one of them': {
        why: 'AWS needs one',
        object: withRule({ paths: undefined, hosts: ['example.com'] }),
      },
      ...Object.fromEntries(
        Object.entries({
          methods: ['GET'],
          headers: [{ name: 'X-Team', values: ['a'] }],
          queryStrings: [{ key: 'a', value: 'b' }],
          sourceCIDRs: ['10.0.0.0/8'],
        }).map(([field, values]) => [
          `${field} alone`,
          { why: 'AWS needs one', object: withRule({ paths: undefined, [field]: values }) },
        ]),
      ),
    },
    rejects: {
      none: { why: 'it would be the default action', object: withRule({ paths: undefined }) },
    },
  },
  'spec.rules[]: has more than five conditions': {
    accepts: {
      'five of them': {
        why: 'one value each',
        object: withRule({ ...everyCondition, sourceCIDRs: undefined }),
      },
    },
    rejects: {
      'six of them': { why: 'AWS takes five values', object: withRule(everyCondition) },
      'six headers and paths': {
        why: 'each header is a condition',
        object: withRule({ headers: [1, 2, 3, 4, 5].map((n) => ({ name: `a${n}`, regex: 'b' })) }),
      },
    },
  },
  'spec.rules[]: its conditions have more than 100': {
    accepts: {
      '20 paths': { why: 'four rules of AWS', object: withRule({ paths: pathsOf(20) }) },
      '20 paths of 5 hosts': {
        why: '100 of them',
        object: withRule({ paths: pathsOf(20), hosts: hostsOf(5) }),
      },
    },
    rejects: {
      '20 paths of 6 hosts': {
        why: 'too many rules of AWS',
        object: withRule({ paths: pathsOf(20), hosts: hostsOf(6) }),
      },
      'values of several headers': {
        why: 'they multiply',
        object: withRule({
          paths: pathsOf(5),
          headers: [1, 2].map((n) => ({ name: `a${n}`, values: ['1', '2', '3', '4', '5'] })),
        }),
      },
      'methods, pairs and ranges': {
        why: 'they multiply',
        object: withRule({
          ...{ paths: pathsOf(5), methods: ['GET', 'POST', 'PUT'] },
          queryStrings: [{ value: 'a' }, { value: 'b' }, { value: 'c' }],
          sourceCIDRs: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
        }),
      },
    },
  },
  'spec.rules[].listeners: each listener': {
    accepts: { two: { why: 'each once', object: listened([http, https], [80, 443]) } },
    rejects: {
      repeated: { why: 'it says the same twice', object: listened([http, https], [80, 80, 443]) },
    },
  },
  'spec.rules[].hosts[]: is not a host': {
    accepts: casesOf(
      {
        'api.example.com': 'a host',
        '*.Example.com': 'a wildcard and a capital',
        'a?.example.com': 'one character',
      },
      (host) => withRule({ hosts: [host] }),
    ),
    rejects: casesOf(
      {
        localhost: 'no dot',
        '*': 'every host',
        'example.com:8080': 'a port',
        'https://example.com': 'an address',
        'example.c0m': 'a digit behind the last dot',
        'example.*': 'a wildcard behind the last dot',
        '': 'empty',
      },
      (host) => withRule({ hosts: [host] }),
    ),
  },
  'spec.rules[].paths[]: is not a path': {
    accepts: casesOf(
      {
        '/': 'the root',
        '/v1/*': 'what is below',
        '*.png': 'a wildcard first',
        [`/a_-.$/~"'@:+&?`]: 'every character',
      },
      (path) => withRule({ paths: [path] }),
    ),
    rejects: casesOf(
      {
        'v1/*': 'no slash: it never matches',
        '/a b': 'a space',
        '/a%20b': 'a percent sign',
        '/größe': 'not ASCII',
        '': 'empty',
      },
      (path) => withRule({ paths: [path] }),
    ),
  },
  'spec.rules[].methods[]: is not a method': {
    accepts: casesOf({ GET: 'the usual', 'VERSION-CONTROL': 'a hyphen' }, (method) =>
      withRule({ methods: [method] }),
    ),
    rejects: casesOf(
      { get: 'small letters never match', '*': 'no wildcards', '': 'empty' },
      (method) => withRule({ methods: [method] }),
    ),
  },
  'spec.rules[].headers[].name: is not the name': {
    accepts: casesOf({ 'X-Team': 'the usual', ['a'.repeat(40)]: 'the most' }, (name) =>
      header({ name }),
    ),
    rejects: casesOf(
      { 'X-*': 'a wildcard', 'X-Team:': 'a colon', 'X Team': 'a space', '': 'empty' },
      (name) => header({ name }),
    ),
  },
  'spec.rules[].headers[].name: AWS does not match': {
    accepts: casesOf({ 'X-Host': 'another header' }, (name) => header({ name })),
    rejects: casesOf({ Host: 'it has its own condition', host: 'in any case' }, (name) =>
      header({ name }),
    ),
  },
  'spec.rules[].headers[].values[]: must be visible': {
    accepts: casesOf({ 'Mozilla/5.0 (*': 'with spaces and a wildcard' }, (value) =>
      header({ values: [value] }),
    ),
    rejects: casesOf({ größe: 'not ASCII', 'a\tb': 'a tab', '': 'empty' }, (value) =>
      header({ values: [value] }),
    ),
  },
  'spec.rules[].headers[].regex: must be visible': {
    accepts: casesOf(
      {
        '^(?i:team-[0-9]+)$': 'a group with a flag',
        '(?P<a>b)': 'a named group',
        '\\d+\\.\\d': 'a class and an escape',
      },
      (regex) => header({ values: undefined, regex }),
    ),
    rejects: casesOf(
      {
        '(?=a)': 'looks ahead',
        '(?<!a)b': 'looks behind',
        '(?>a)': 'an atomic group',
        '(a)\\1': 'a back reference',
        '(?P<a>b)\\k<a>': 'a back reference by name',
        'a(?R)?b': 'recursion',
        '\\p{L}+': 'a Unicode class',
        größe: 'not ASCII',
        '': 'empty',
      },
      (regex) => header({ values: undefined, regex }),
    ),
  },
  'spec.rules[].headers[]: give exactly one of values': {
    accepts: { regex: { why: 'one', object: header({ values: undefined, regex: 'a' }) } },
    rejects: {
      both: { why: 'AWS takes one', object: header({ regex: 'a' }) },
      none: { why: 'nothing is asked of the header', object: header({ values: undefined }) },
    },
  },
  'spec.rules[]: rewrite changes what a backend': {
    accepts: { 'with forward': { why: 'AWS rewrites for targets', object: rewriting({}) } },
    rejects: {
      'with a fixed response': {
        why: 'nobody gets what is rewritten',
        object: withRule({ ...answer, rewrite: { url } }),
      },
    },
  },
  'spec.rules[].rewrite: rewrites nothing': {
    accepts: {
      host: { why: 'one', object: withRule({ rewrite: { host } }) },
      both: { why: 'AWS takes one of each', object: withRule({ rewrite: { host, url } }) },
    },
    rejects: { neither: { why: 'it says nothing', object: withRule({ rewrite: {} }) } },
  },
  'spec.rules[].rewrite.host.regex: must be visible': {
    accepts: casesOf({ '^(.+)[.]example[.]com$': 'a group' }, (regex) =>
      withRule({ rewrite: { host: { ...host, regex } } }),
    ),
    rejects: casesOf({ '(?=a)': 'looks ahead', größe: 'not ASCII', '': 'empty' }, (regex) =>
      withRule({ rewrite: { host: { ...host, regex } } }),
    ),
  },
  'spec.rules[].rewrite.url.regex: must be visible': {
    accepts: casesOf({ '^/v[0-9]+/': 'a class' }, (regex) => rewriting({ regex })),
    rejects: casesOf({ '(a)\\1': 'a back reference', '': 'empty' }, (regex) =>
      rewriting({ regex }),
    ),
  },
  'spec.rules[].rewrite.host.replace: must be letters': {
    accepts: casesOf({ 'internal.$1.example.com': 'a group' }, (replace) =>
      withRule({ rewrite: { host: { ...host, replace } } }),
    ),
    rejects: casesOf(
      { 'a/b': 'a path', $x: 'no group', 'a b': 'a space', '': 'empty' },
      (replace) => withRule({ rewrite: { host: { ...host, replace } } }),
    ),
  },
  'spec.rules[].rewrite.url.replace: must be visible': {
    accepts: casesOf({ '/product.php?id=$1': 'a query' }, (replace) => rewriting({ replace })),
    rejects: casesOf({ '/a b': 'a space', '/#top': 'a fragment', '': 'empty' }, (replace) =>
      rewriting({ replace }),
    ),
  },
  'spec.rules[].queryStrings[].key: must be visible': {
    accepts: {
      'no key': {
        why: 'every key',
        object: withRule({ queryStrings: [{ key: 'a', value: '1' }, { value: 'b' }] }),
      },
    },
    rejects: casesOf({ größe: 'not ASCII', '': 'empty' }, (key) =>
      withRule({ queryStrings: [{ key, value: 'a' }] }),
    ),
  },
  'spec.rules[].queryStrings[].value: must be visible': {
    accepts: casesOf({ 'a\\*b': 'a wildcard taken as it is' }, (value) =>
      withRule({ queryStrings: [{ value }] }),
    ),
    rejects: casesOf({ größe: 'not ASCII', '': 'empty' }, (value) =>
      withRule({ queryStrings: [{ value }] }),
    ),
  },
  'spec.rules[].sourceCIDRs[]: is not a range': {
    accepts: casesOf({ '10.0.0.0/8': 'IPv4', '2001:db8::/32': 'IPv6' }, (cidr) =>
      withRule({ sourceCIDRs: [cidr] }),
    ),
    rejects: casesOf({ '10.0.0.1': 'no prefix', '255.255.255.255/32': 'AWS refuses it' }, (cidr) =>
      withRule({ sourceCIDRs: [cidr] }),
    ),
  },
};
