import type { Draft, RuleTable } from './rule-case.ts';

const podSelector = { app: 'frontend' };

function withSpec(fields: Readonly<Record<string, unknown>>): Draft {
  return { spec: { configMap: 'settings', podSelector, ...fields } };
}

function selecting(labels: Readonly<Record<string, string>>): Draft {
  return withSpec({ podSelector: labels });
}

const db = { kind: 'Secret', name: 'db' };

function listing(fields: Readonly<Record<string, unknown>>): Draft {
  return withSpec({ sources: [{ ...db, ...fields }] });
}

const exists = { key: 'app', operator: 'Exists' };

function expressing(fields: Readonly<Record<string, unknown>>): Draft {
  return withSpec({ matchExpressions: [{ ...exists, ...fields }] });
}

function among(values: readonly string[]): Readonly<Record<string, unknown>> {
  return { operator: 'In', values };
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
  'spec: what to watch is missing': {
    accepts: {
      'the spelling of the article': { why: 'its sample', object: lower },
      "the spelling of the article's CRD": { why: 'the canonical one', object: withSpec({}) },
      'another spelling of the same': { why: 'a repair', old: lower, object: withSpec({}) },
      'a Secret alone': {
        why: 'it is a source too',
        object: { spec: { secret: 'db', podSelector } },
      },
      'sources alone': { why: 'they are enough', object: { spec: { sources: [db] } } },
      'a stored object without either': {
        why: 'the CRD of the article required none',
        old: { spec: { podSelector } },
        object: { spec: { podSelector } },
        isOlderThanRules: true,
      },
    },
    rejects: {
      neither: { why: 'the article crashed for everybody', object: { spec: { podSelector } } },
      'no sources': { why: 'the list is empty', object: { spec: { podSelector, sources: [] } } },
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
  'spec: sources names what': {
    accepts: {
      'a Secret of the same name': {
        why: 'it is another object',
        object: withSpec({ sources: [{ kind: 'Secret', name: 'settings' }] }),
      },
      'a ConfigMap with the name of the Secret': {
        why: 'the same',
        object: { spec: { secret: 'db', sources: [{ kind: 'ConfigMap', name: 'db' }] } },
      },
    },
    rejects: {
      'the ConfigMap again': {
        why: 'all of its keys count, or some?',
        object: withSpec({ sources: [{ kind: 'ConfigMap', name: 'settings', keys: ['a'] }] }),
      },
      'the ConfigMap in the spelling of the article': {
        why: 'the same',
        object: { spec: { configmap: 'a', sources: [{ kind: 'ConfigMap', name: 'a' }] } },
      },
      'the Secret again': { why: 'the same', object: { spec: { secret: 'db', sources: [db] } } },
    },
  },
  'spec: podSelector is empty': {
    accepts: {
      'one label': { why: 'the usual', object: withSpec({}) },
      none: { why: 'the pods that use the source', object: { spec: { configMap: 'settings' } } },
      'a stored object with an empty one': {
        why: 'a status write must not be refused',
        old: selecting({}),
        object: selecting({}),
        isOlderThanRules: true,
      },
    },
    rejects: {
      'an empty one': { why: 'it must never mean every pod', object: selecting({}) },
      'one that becomes empty': { why: 'the same', old: withSpec({}), object: selecting({}) },
      'one that is empty in a stored object without': {
        why: 'the same',
        old: { spec: { configMap: 'settings' } },
        object: selecting({}),
      },
    },
  },
  'spec.secret: names a Secret': {
    accepts: { 'a name': { why: 'the usual', object: withSpec({ secret: 'db' }) } },
    rejects: {
      'a namespace before it': {
        why: 'Secrets of other namespaces are none of its business',
        object: withSpec({ secret: 'web/db' }),
      },
    },
  },
  'spec.sources[].name: is not a valid name': {
    accepts: { 'a name with dots': { why: 'kube-root-ca.crt', object: listing({ name: 'a.b' }) } },
    rejects: { 'capital letters': { why: 'no object has them', object: listing({ name: 'Db' }) } },
  },
  'spec.sources[].keys[]: is not a valid data key': {
    accepts: {
      'the name of a file': { why: 'usual', object: listing({ keys: ['tls.crt', '_A'] }) },
    },
    rejects: {
      'a path': { why: 'data has none', object: listing({ keys: ['etc/a'] }) },
    },
  },
  'spec.matchExpressions[].key: is not a valid label key': {
    accepts: {
      'a key with a prefix': { why: 'recommended', object: expressing({ key: 'a.io/b' }) },
    },
    rejects: { 'a blank': { why: 'no label has one', object: expressing({ key: 'a b' }) } },
  },
  'spec.matchExpressions[].values[]: is not a valid label value': {
    accepts: {
      'an empty value': { why: 'a label may have none', object: expressing(among(['', 'a'])) },
    },
    rejects: { 'a blank': { why: 'no label has one', object: expressing(among(['a b'])) } },
  },
  'spec.matchExpressions[]: In and NotIn': {
    accepts: {
      Exists: { why: 'the key alone', object: expressing({}) },
      DoesNotExist: { why: 'the same', object: expressing({ operator: 'DoesNotExist' }) },
      In: { why: 'one of two', object: expressing(among(['a', 'b'])) },
      'Exists without labels': {
        why: 'expressions alone are allowed',
        object: { spec: { configMap: 'settings', matchExpressions: [exists] } },
      },
      'Exists with an empty list': { why: 'the same', object: expressing({ values: [] }) },
    },
    rejects: {
      'In without values': { why: 'none would match', object: expressing({ operator: 'In' }) },
      'NotIn with an empty list': {
        why: 'it says nothing',
        object: expressing({ operator: 'NotIn', values: [] }),
      },
      'Exists with values': { why: 'a slip', object: expressing({ values: ['a'] }) },
    },
  },
  'spec.configMap: is not a valid ConfigMap name': {
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
  'spec.podSelector{}: is not a valid label value': {
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
  'an unknown strategy': {
    why: 'a slip',
    spec: { configMap: 'settings', podSelector, strategy: 'Restart' },
    says: 'supported values: "Auto", "Evict", "Delete", "Rollout"',
  },
  'a source that is named twice': {
    why: 'its keys would be doubtful',
    spec: { sources: [db, { ...db, keys: ['a'] }] },
    says: 'Duplicate value',
  },
  'a source of another kind': {
    why: 'no pod mounts it',
    spec: { sources: [{ kind: 'Deployment', name: 'db' }] },
    says: 'supported values: "ConfigMap", "Secret"',
  },
  'no keys': {
    why: 'then nothing would count',
    spec: { sources: [{ ...db, keys: [] }] },
    says: 'spec.sources[0].keys in body should have at least 1 items',
  },
  'seventeen sources': {
    why: 'one more than an object can have',
    spec: { sources: Array.from({ length: 17 }, (_, index) => ({ ...db, name: `db-${index}` })) },
    says: 'spec.sources',
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
