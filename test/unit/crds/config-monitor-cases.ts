import type { Draft, RuleTable } from './rule-case.ts';

const podSelector = { app: 'frontend' };

function withSpec(fields: Readonly<Record<string, unknown>>): Draft {
  return { spec: { configMap: 'settings', podSelector, ...fields } };
}

function selecting(labels: Readonly<Record<string, string>>): Draft {
  return withSpec({ podSelector: labels });
}

const lower: Draft = { spec: { configmap: 'flaskapp-config', podSelector } };

/** Judged in memory and by a real API server. */
export const configMonitorCases: RuleTable = {
  'root: spec is missing': {
    accepts: {
      'the spec of the article': { why: 'it applies as written', object: lower },
      'a stored object without a spec': {
        why: 'a status write must not be refused',
        old: {},
        object: {},
        isOlderThanRules: true,
      },
    },
    rejects: {
      'a new object without a spec': { why: 'there is nothing to watch', object: {} },
      'an object that loses its spec': { why: 'the same', old: withSpec({}), object: {} },
    },
  },
  'spec: the name of the ConfigMap is missing': {
    accepts: {
      'the spelling of the article': { why: 'its sample', object: lower },
      "the spelling of the article's CRD": { why: 'the canonical one', object: withSpec({}) },
      'another spelling of the same': { why: 'a repair', old: lower, object: withSpec({}) },
      'a stored object without either': {
        why: 'the CRD of the article required none',
        old: { spec: { podSelector } },
        object: { spec: { podSelector } },
        isOlderThanRules: true,
      },
    },
    rejects: {
      neither: { why: 'the article crashed for everybody', object: { spec: { podSelector } } },
      'an object that loses it': {
        why: 'albridge would no longer know what to watch',
        old: withSpec({}),
        object: { spec: { podSelector } },
      },
    },
  },
  'spec: configMap and configmap are two spellings': {
    accepts: {
      'both, and equal': { why: 'nothing to choose', object: withSpec({ configmap: 'settings' }) },
    },
    rejects: {
      'both, and different': {
        why: 'nobody can say which one is meant',
        object: withSpec({ configmap: 'others' }),
      },
    },
  },
  'spec: podSelector is missing or empty': {
    accepts: {
      'one label': { why: 'the usual', object: withSpec({}) },
      'a stored object without': {
        why: 'the CRD of the article required none',
        old: { spec: { configMap: 'settings' } },
        object: { spec: { configMap: 'settings' } },
        isOlderThanRules: true,
      },
      'a stored object with an empty one': {
        why: 'a status write must not be refused',
        old: selecting({}),
        object: selecting({}),
        isOlderThanRules: true,
      },
    },
    rejects: {
      none: { why: 'no pod is named', object: { spec: { configMap: 'settings' } } },
      'an empty one': { why: 'it must never mean every pod', object: selecting({}) },
      'one that becomes empty': { why: 'the same', old: withSpec({}), object: selecting({}) },
    },
  },
  'spec.configMap: is no name': {
    accepts: {
      'a name with dots': { why: 'kube-root-ca.crt', object: withSpec({ configMap: 'a.b-c.9' }) },
    },
    rejects: {
      'a namespace before it': {
        why: 'ConfigMaps of other namespaces are none of its business',
        object: withSpec({ configMap: 'web/settings' }),
      },
      'an empty name': { why: 'an unfilled template', object: withSpec({ configMap: '' }) },
      'capital letters': { why: 'no object has them', object: withSpec({ configMap: 'Settings' }) },
      'a name too long': { why: 'the same', object: withSpec({ configMap: 'x'.repeat(254) }) },
    },
  },
  'spec.configmap: names a ConfigMap': {
    accepts: { 'the name of the article': { why: 'its sample', object: lower } },
    rejects: {
      'a blank': {
        why: 'pasted with one',
        object: { spec: { configmap: 'settings ', podSelector } },
      },
    },
  },
  'spec.podSelector{}: is no value': {
    accepts: {
      'an empty value': { why: 'a label may have none', object: selecting({ app: '' }) },
      'a value of 63 characters': { why: 'the limit', object: selecting({ app: 'x'.repeat(63) }) },
    },
    rejects: {
      'a blank inside': { why: 'no label has one', object: selecting({ app: 'front end' }) },
      'a value of 64 characters': { why: 'too long', object: selecting({ app: 'x'.repeat(64) }) },
      'a list of values': { why: 'as kubectl -l has it', object: selecting({ app: 'a,b' }) },
    },
  },
  'spec.podSelector: names more than 32 labels': {
    accepts: { 'thirty-two': { why: 'the limit', object: selecting(labels(32)) } },
    rejects: { 'thirty-three': { why: 'one more', object: selecting(labels(33)) } },
  },
  'spec.podSelector: holds a key': {
    accepts: {
      'a key with a prefix': {
        why: 'recommended labels have one',
        object: selecting({ 'app.kubernetes.io/name': 'shop' }),
      },
    },
    rejects: {
      'a blank': { why: 'no label has one', object: selecting({ 'my app': 'x' }) },
      'two slashes': { why: 'the same', object: selecting({ 'a/b/c': 'x' }) },
      'a comparison': { why: 'as kubectl -l has it', object: selecting({ 'app=frontend': '' }) },
    },
  },
};

function labels(count: number): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'x']));
}

/** Refused by the schema itself, before any rule. */
export const configMonitorFaults: Readonly<
  Record<string, { readonly why: string; readonly spec: object; readonly says: string }>
> = {
  'a label that is a number': {
    why: 'YAML without quotes',
    spec: { configMap: 'settings', podSelector: { version: 2 } },
    says: 'spec.podSelector.version in body must be of type string',
  },
  matchLabels: {
    why: 'the selector is a flat map',
    spec: { configMap: 'settings', podSelector: { matchLabels: { app: 'x' } } },
    says: 'unknown field "spec.podSelector.matchLabels.app"',
  },
  'a strategy that nobody knows': {
    why: 'a slip',
    spec: { configMap: 'settings', podSelector, strategy: 'Restart' },
    says: 'supported values: "Evict", "Delete", "Rollout"',
  },
  'no pod unavailable': {
    why: 'then nothing would ever be restarted',
    spec: { configMap: 'settings', podSelector, maxUnavailable: 0 },
    says: 'spec.maxUnavailable in body should be greater than or equal to 1',
  },
  'zero percent': {
    why: 'the same',
    spec: { configMap: 'settings', podSelector, maxUnavailable: '0%' },
    says: 'spec.maxUnavailable in body should match',
  },
  'more than all': {
    why: 'a slip',
    spec: { configMap: 'settings', podSelector, maxUnavailable: '101%' },
    says: 'spec.maxUnavailable in body should match',
  },
  'a quiet period of an hour': {
    why: 'thirty seconds after the first edit pods are restarted anyway',
    spec: { configMap: 'settings', podSelector, debounceSeconds: 3600 },
    says: 'spec.debounceSeconds in body should be less than or equal to 30',
  },
  'an unknown field': {
    why: 'a typing error must not be dropped silently',
    spec: { configMap: 'settings', podSelector, suspended: true },
    says: 'unknown field "spec.suspended"',
  },
};
