import type { Draft, RuleTable } from './rule-case.ts';

const image = 'nginx:latest';
const long = 'x'.repeat(4096);
/** As much as command, and args, may have, and one text more. */
const most = [...Array(4).fill(long), ...Array(59).fill('x'.repeat(256))];
const tooLong = [...most, 'x'.repeat(257)];

function withSpec(fields: Readonly<Record<string, unknown>>): Draft {
  return { spec: { image, ...fields } };
}

function longTextCases(field: 'command' | 'args'): RuleTable[string] {
  return {
    accepts: {
      'as much as there may be': { why: 'the bound itself', object: withSpec({ [field]: most }) },
      'an older object with more, which is scaled': {
        why: 'what is stored stays usable',
        old: withSpec({ [field]: tooLong }),
        object: withSpec({ [field]: tooLong, replicas: 2 }),
        isOlderThanRules: true,
      },
    },
    rejects: {
      'one long text more': { why: 'each pod has them', object: withSpec({ [field]: tooLong }) },
      'an edit to more': {
        why: 'an object is no way around the bound',
        old: withSpec({ [field]: most }),
        object: withSpec({ [field]: tooLong }),
      },
    },
  };
}

/** Judged in memory and by a real API server. */
export const myAppCases: RuleTable = {
  "root: Field 'spec.image' must be provided.": {
    accepts: {
      'the spec of the article': {
        why: 'it applies as written',
        object: withSpec({ banner: 'This pod was created by MyApp operator 🚀' }),
      },
      'a stored object without an image': {
        why: 'a status write must not be refused',
        old: { spec: { banner: 'hi' } },
        object: { spec: { banner: 'hi' } },
        isOlderThanRules: true,
      },
      'a stored object without a spec': {
        why: 'a status write must not be refused',
        old: {},
        object: {},
        isOlderThanRules: true,
      },
      'a stored object that gets an image': {
        why: 'the repair',
        old: { spec: { banner: 'hi' } },
        object: withSpec({ banner: 'hi' }),
        isOlderThanRules: true,
      },
    },
    rejects: {
      'a spec without an image': { why: "the article's own case", object: { spec: {} } },
      'a new object without a spec': { why: 'the same', object: {} },
      'an empty image': { why: 'an unfilled template', object: { spec: { image: '' } } },
      'an object that loses its image': {
        why: 'albridge would no longer know what to run',
        old: withSpec({}),
        object: { spec: { banner: 'hi' } },
      },
      'an object that loses its spec': { why: 'the same', old: withSpec({}), object: {} },
    },
  },
  'spec.image: holds a blank': {
    accepts: { 'a name with a tag': { why: 'the usual', object: withSpec({}) } },
    rejects: {
      'a blank behind': { why: 'pasted with one', object: withSpec({ image: 'nginx ' }) },
      'a blank alone': { why: 'an unfilled template', object: withSpec({ image: ' ' }) },
    },
  },
  'spec.banner: holds a NUL': {
    accepts: {
      'any other text': {
        why: 'quotes, dollars, backslashes and line breaks are text',
        object: withSpec({ banner: '"\'`$(rm) $$ \\0 \\x00\n\t🚀' }),
      },
      'an empty text': { why: 'as good as none', object: withSpec({ banner: '' }) },
    },
    rejects: {
      'a NUL': { why: 'no environment holds one', object: withSpec({ banner: 'a\u0000b' }) },
    },
  },
  'spec.command: more than 4': longTextCases('command'),
  'spec.args: more than 4': longTextCases('args'),
};

/** Refused by the schema itself, before any rule. */
export const myAppFaults: Readonly<
  Record<string, { readonly why: string; readonly spec: object; readonly says: string }>
> = {
  'no image': {
    why: "the article's sentence",
    spec: {},
    says: "Field 'spec.image' must be provided.",
  },
  'a number of pods below zero': {
    why: 'nothing to run',
    spec: { image, replicas: -1 },
    says: 'spec.replicas in body should be greater than or equal to 0',
  },
  'more than 1000 pods': {
    why: 'a slip of the finger',
    spec: { image, replicas: 1001 },
    says: 'spec.replicas in body should be less than or equal to 1000',
  },
  'a banner that is no text': {
    why: 'a number without quotes',
    spec: { image, banner: 42 },
    says: 'spec.banner in body must be of type string',
  },
  'a long banner': {
    why: 'the environment of a process is bounded',
    spec: { image, banner: 'x'.repeat(4097) },
    says: 'spec.banner: Too long',
  },
  'a command as one text': {
    why: 'a shell is not what reads it',
    spec: { image, command: 'sleep infinity' },
    says: 'spec.command in body must be of type array',
  },
  'an unknown field': {
    why: 'a typing error must not be dropped silently',
    spec: { image, replica: 3 },
    says: 'unknown field "spec.replica"',
  },
};
