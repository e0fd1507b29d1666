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

  it('may begin with a byte order mark', () => {
    expect(parseYamlDocuments('\uFEFFa: 1\n')).toEqual([{ a: 1 }]);
  });

  it('have the booleans of kubectl, and its other types', () => {
    expect(
      parseYamlDocuments('[yes, off, On, NO, true, "on", 2026-01-01, 1e3, 12:30, 0x10, ~]'),
    ).toEqual([[true, false, true, false, true, 'on', '2026-01-01', 1000, '12:30', 16, null]]);
  });

  it('have the integers of kubectl', () => {
    expect(parseYamlDocuments('[0644, 0o14, 09, 1_000, 0b11, -0x1f, +1, 190:20:30]')).toEqual([
      [0o644, 12, 9, 1000, 3, -31, 1, '190:20:30'],
    ]);
  });

  it('have merge keys', () => {
    expect(parseYamlDocuments('a: &a { x: 1, y1: 2 }\nb: { <<: *a, x: 3 }\n')).toEqual([
      { a: { x: 1, y1: 2 }, b: { x: 3, y1: 2 } },
    ]);
  });

  it('are refused with the line of the text', () => {
    expect(() => parseYamlDocuments('a: 1\n---\nb: 1\n c: 2\n')).toThrow(/ in line 4$/);
    expect(() => parseYamlDocuments('a: 1\n---\nb: { { c: 1 }: 2 }\n')).toThrow(
      / in the document from line 2 on$/,
    );
  });
});
