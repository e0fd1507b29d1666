import type { Draft, RuleTable } from './rule-case.ts';

const image = 'nginx:1.25';

function withImage(text: string): Draft {
  return { spec: { image: text } };
}

function named(name: string): Draft {
  return { name, spec: { image } };
}

/** Judged in memory and by a real API server. */
export const webAppCases: RuleTable = {
  'root: spec is missing': {
    accepts: {
      'an object with a spec': { why: 'it says what is wanted', object: withImage(image) },
      'a stored object without one': {
        why: 'a status write must not be refused',
        old: {},
        object: {},
        isOlderThanRules: true,
      },
      'a stored object that gets one': {
        why: 'the repair',
        old: {},
        object: withImage(image),
        isOlderThanRules: true,
      },
    },
    rejects: {
      'a new object without a spec': {
        why: "the article's CRD let it in, and its operator looped on it",
        object: {},
      },
      'an object that loses its spec': {
        why: 'albridge would no longer know what to keep',
        old: withImage(image),
        object: {},
      },
    },
  },
  'root: name becomes that of a Service': {
    accepts: {
      'the name of the article': { why: 'it applies as written', object: named('demo-app') },
      'a single letter': { why: 'the least', object: named('a') },
      '63 characters': { why: 'the most', object: named('a'.repeat(63)) },
      'digits and hyphens behind a letter': { why: 'allowed', object: named('a-1-b2') },
      'an update of a stored object with another name': {
        why: 'a status write must not be refused',
        old: named('1.stored'),
        object: named('1.stored'),
        isOlderThanRules: true,
      },
    },
    rejects: {
      '64 characters': { why: 'one too many', object: named('a'.repeat(64)) },
      'a dot': { why: 'a Service name is one label', object: named('shop.example.com') },
      'a digit first': { why: 'a Service name begins with a letter', object: named('1shop') },
    },
  },
  'spec.image: holds a blank': {
    accepts: {
      'a name with a tag': { why: 'the usual', object: withImage(image) },
      'a name with registry, port and digest': {
        why: 'the longest form',
        object: withImage(`registry.example.com:5000/shop/web@sha256:${'a'.repeat(64)}`),
      },
    },
    rejects: {
      'a blank behind': { why: 'pasted with one', object: withImage('nginx ') },
      'a line break': { why: 'pasted with one', object: withImage('nginx\n') },
      'a blank alone': { why: 'an unfilled template', object: withImage(' ') },
    },
  },
};

/** Refused by the schema itself, before any rule. */
export const webAppFaults: Readonly<
  Record<string, { readonly why: string; readonly spec: object; readonly says: string }>
> = {
  'no image': { why: 'there is no default', spec: {}, says: 'spec.image: Required value' },
  'an empty image': {
    why: 'an unfilled template',
    spec: { image: '' },
    says: 'spec.image in body should be at least 1 chars long',
  },
  'a number of pods below zero': {
    why: 'nothing to run',
    spec: { image, replicas: -1 },
    says: 'spec.replicas in body should be greater than or equal to 0',
  },
  'half a pod': { why: 'pods are whole', spec: { image, replicas: 1.5 }, says: 'spec.replicas' },
  'more pods than a cluster holds': {
    why: 'a slip of the finger',
    spec: { image, replicas: 150_001 },
    says: 'spec.replicas in body should be less than or equal to 150000',
  },
  'port 0': {
    why: 'no port',
    spec: { image, port: 0 },
    says: 'spec.port in body should be greater than or equal to 1',
  },
  'port 65536': {
    why: 'one too many',
    spec: { image, port: 65_536 },
    says: 'spec.port in body should be less than or equal to 65535',
  },
  'a port in words': {
    why: 'a Service may have named ports, this field not',
    spec: { image, port: 'http' },
    says: 'spec.port in body must be of type integer',
  },
  'an unknown field': {
    why: 'a typing error must not be dropped silently',
    spec: { image, replica: 3 },
    says: 'unknown field "spec.replica"',
  },
};
