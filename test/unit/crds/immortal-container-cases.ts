import type { Draft, RuleTable } from './rule-case.ts';

const image = 'nginx:latest';

function withImage(text: string): Draft {
  return { spec: { image: text } };
}

/** Judged in memory and by a real API server. */
export const immortalContainerCases: RuleTable = {
  'root: spec is missing': {
    accepts: {
      'the spec of the article': { why: 'it says what is wanted', object: withImage(image) },
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
      'a new object without a spec': { why: "the article's CRD let it in", object: {} },
      'an object that loses its spec': {
        why: 'albridge would no longer know what to keep alive',
        old: withImage(image),
        object: {},
      },
    },
  },
  'spec.image: holds a blank': {
    accepts: {
      'a name with a tag': { why: 'the usual', object: withImage(image) },
      'another image': {
        why: 'it may be edited',
        old: withImage(image),
        object: withImage('redis:8'),
      },
    },
    rejects: {
      'a blank behind': { why: 'pasted with one', object: withImage('nginx ') },
      'a line break': { why: 'pasted with one', object: withImage('nginx\n') },
    },
  },
};

/** Refused by the schema itself, before any rule. */
export const immortalContainerFaults: Readonly<
  Record<string, { readonly why: string; readonly spec: object; readonly says: string }>
> = {
  'no image': { why: 'there is no default', spec: {}, says: 'spec.image: Required value' },
  'an empty image': {
    why: 'an unfilled template',
    spec: { image: '' },
    says: 'spec.image in body should be at least 1 chars long',
  },
  'an image that is no text': {
    why: 'a tag of digits alone, without quotes',
    spec: { image: 8 },
    says: 'spec.image in body must be of type string',
  },
  'an image of more than 1024 characters': {
    why: 'no registry takes it',
    spec: { image: 'x'.repeat(1025) },
    says: 'spec.image: Too long',
  },
  'an unknown field': {
    why: 'a typing error must not be dropped silently',
    spec: { image, images: 'x' },
    says: 'unknown field "spec.images"',
  },
};
