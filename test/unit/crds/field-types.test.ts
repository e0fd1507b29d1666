import { describe, expect, it } from 'vitest';
import { renderType, type Schema } from '../../../crds/field-types.ts';

const FORMS: Readonly<Record<string, readonly [Schema, string]>> = {
  'a text': [{ type: 'string' }, 'string'],
  'a number': [{ type: 'integer' }, 'number'],
  'a truth value': [{ type: 'boolean' }, 'boolean'],
  'a number or a text': [{ 'x-kubernetes-int-or-string': true }, 'number | string'],
  'some texts': [{ type: 'string', enum: ['http', 'https'] }, '"http" | "https"'],
  'some numbers': [{ type: 'integer', enum: [301, 302] }, '301 | 302'],
  'a list': [{ type: 'array', items: { type: 'string' } }, 'readonly (string)[]'],
  'a map': [
    { type: 'object', additionalProperties: { type: 'integer' } },
    '{ readonly [key: string]: number }',
  ],
  'an object, with what is required or has a default': [
    {
      type: 'object',
      required: ['a'],
      properties: {
        a: { type: 'string' },
        b: { type: 'integer', default: 0 },
        c: { type: 'object', properties: { d: { type: 'boolean' } } },
      },
    },
    '{ readonly "a": string; readonly "b": number; readonly "c"?: { readonly "d"?: boolean; }; }',
  ],
  'a list of objects that may have more fields': [
    {
      type: 'array',
      items: {
        type: 'object',
        properties: { a: { type: 'string' } },
        'x-kubernetes-preserve-unknown-fields': true,
      },
    },
    'readonly ({ readonly "a"?: string; } & { readonly [key: string]: unknown })[]',
  ],
  'what is always refused': [
    {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      'x-kubernetes-validations': [{ rule: 'false' }],
    },
    'never',
  ],
};

const UNKNOWN: Readonly<Record<string, readonly [Schema, string]>> = {
  'of an unknown type': [{ type: 'text' }, 'spec.a'],
  'of any object': [{ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, 'spec.a'],
  'of a list of nobody knows what': [{ type: 'array' }, 'spec.a'],
  'inside a list': [{ type: 'array', items: {} }, 'spec.a[]'],
  'inside a map': [{ type: 'object', additionalProperties: {} }, 'spec.a{}'],
  'inside an object': [{ type: 'object', properties: { b: {} } }, 'spec.a.b'],
};

describe('the type of a field', () => {
  it.each(Object.entries(FORMS))('is that of %s', (_name, [schema, type]) => {
    expect(renderType(schema, 'spec')).toBe(type);
  });

  it.each(Object.entries(UNKNOWN))('is refused with its path: %s', (_name, [schema, path]) => {
    expect(() => renderType(schema, 'spec.a')).toThrow(
      `${path}: this form of schema has no TypeScript type`,
    );
  });
});
