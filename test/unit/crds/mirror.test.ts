import { describe, expect, it } from 'vitest';
import { desiredMirrors, mirrorOf, staleMirrors } from '../../../crds/mirror.ts';

describe('the mirror of a CRD', () => {
  it('is up to date', () => {
    expect(staleMirrors(desiredMirrors()).map(({ path }) => path)).toEqual([]);
  });

  it('is out of date when the file says something else, or is not there', () => {
    const [mirror] = desiredMirrors();
    if (mirror === undefined) throw new Error('there is no CRD');
    const edited = { ...mirror, source: `${mirror.source}\n` };
    const unwritten = { ...mirror, path: 'src/apis/types/no-such-kind.ts' };
    expect(staleMirrors([mirror, edited, unwritten])).toEqual([edited, unwritten]);
  });

  it('names file and types after the kind', () => {
    const { path, source } = mirrorOf('webapps.yaml', definitionOf('{ type: string }'));
    expect(path).toBe('src/apis/types/web-app.ts');
    expect(source).toContain("export type WebAppSpec = { readonly a?: 'b' };\n");
    expect(source).toContain('export type WebAppStatus = string;\n');
  });

  it('refuses a CRD with a field of which it knows no type', () => {
    expect(() => mirrorOf('webapps.yaml', definitionOf('{ type: text }'))).toThrow(
      'crds/webapps.yaml: status: this form of schema has no TypeScript type',
    );
  });

  it('refuses a CRD of two versions, of which it could mirror only one', () => {
    const text = 'spec: { names: { kind: A }, versions: [{}, {}] }';
    expect(() => mirrorOf('as.yaml', text)).toThrow(
      'crds/as.yaml: one version can be mirrored, found 2',
    );
  });
});

function definitionOf(status: string): string {
  const spec = '{ type: object, properties: { a: { enum: [b] } } }';
  const schema = `{ openAPIV3Schema: { properties: { spec: ${spec}, status: ${status} } } }`;
  return `spec: { names: { kind: WebApp }, versions: [{ schema: ${schema} }] }`;
}
