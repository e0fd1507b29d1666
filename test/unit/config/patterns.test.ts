import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import {
  type Parser,
  parseListenAddress,
  parseNamespaces,
  parseSecurityGroups,
} from '../../../src/config/values.ts';

/** The form of a setting, by which the chart refuses it before anything is applied. */

interface Case {
  readonly parser: Parser<unknown>;
  readonly accepted: readonly string[];
  readonly refused: readonly string[];
}

const cases: Readonly<Record<string, Case>> = {
  'names of namespaces': {
    parser: parseNamespaces,
    accepted: ['web', ' web , shop,,web-1,', `a${'b'.repeat(61)}c`],
    refused: ['', ',', 'Bad_NS', 'web shop', '-web', 'web-', 'web,-', 'a'.repeat(64)],
  },
  'ids of security groups': {
    parser: parseSecurityGroups,
    accepted: ['sg-1', 'sg-0123456789abcdef0, sg-abc,sg-abc'],
    refused: ['', 'foo', 'sg-', 'sg-1 sg-2', 'sg-1,foo'],
  },
  addresses: {
    parser: parseListenAddress,
    accepted: ['off', '0', ':8080', '127.0.0.1:0', '[::1]:8080', 'localhost:1'],
    refused: ['', 'foo', 'on', '127.0.0.1', '::1:8080', '[::1]', ':http', 'a b:1'],
  },
};

describe('a pattern accepts what its parser accepts, and refuses another form', () => {
  it.each(Object.entries(cases))('%s', (_, { parser, accepted, refused }) => {
    // Helm reads them as RE2.
    const pattern = RE2JS.compile(parser.pattern ?? '');
    for (const text of accepted) {
      expect(parser(text), text).toBeDefined();
      expect(pattern.matches(text), text).toBe(true);
    }
    for (const text of refused) {
      expect(parser(text), text).toBeUndefined();
      expect(pattern.matches(text), text).toBe(false);
    }
  });
});
