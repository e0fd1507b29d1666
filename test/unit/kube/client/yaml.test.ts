import { describe, expect, it } from 'vitest';
import { parseYamlDocuments } from '../../../../src/kube/client/yaml.ts';

describe('documents of YAML', () => {
  it('are read as they are written, also those of kinds that client-node has models of', () => {
    const text = '# a comment\nkind: Service\napiVersion: v1\nmetadata: { naem: web }\n';
    expect(parseYamlDocuments(text)).toEqual([
      { kind: 'Service', apiVersion: 'v1', metadata: { naem: 'web' } },
    ]);
  });

  it('are separated by markers, of which some begin with content', () => {
    const text = 'a: |\n  one\n\n  two\n--- # next\n--- { b: 1 }\n...\n---\n"c":\r\n - 2\r\n';
    expect(parseYamlDocuments(text)).toEqual([
      { a: 'one\n\ntwo\n' },
      null,
      { b: 1 },
      null,
      { c: [2] },
    ]);
  });

  it('may be JSON', () => {
    expect(parseYamlDocuments('{\n"a": [1,\n2]\n}')).toEqual([{ a: [1, 2] }]);
  });

  it('are refused with the line of the text', () => {
    expect(() => parseYamlDocuments('a: 1\n---\nb: 1\n c: 2\n')).toThrow(/ in line 4$/);
  });
});
