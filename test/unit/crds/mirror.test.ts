import { describe, expect, it } from 'vitest';
import { desiredMirrors, mirrorOf, staleMirrors } from '../../../crds/mirror.ts';
import { myIngressSchema } from '../../../src/apis/my-ingress-schema.ts';
import { readMyIngressDefinition } from './custom-resource-definition.ts';

describe('the mirror of a CRD', () => {
  it('is up to date', () => {
    expect(staleMirrors(desiredMirrors()).map(({ path }) => path)).toEqual([]);
  });

  it('holds the whole schema', () => {
    const { openAPIV3Schema } = readMyIngressDefinition().spec.versions[0].schema;
    expect(myIngressSchema).toEqual(openAPIV3Schema);
  });

  it('is out of date when the file says something else, or is not there', () => {
    const [mirror] = desiredMirrors();
    if (mirror === undefined) throw new Error('there is no CRD');
    const edited = { ...mirror, source: `${mirror.source}\n` };
    const unwritten = { ...mirror, path: 'src/apis/no-such-kind-schema.ts' };
    expect(staleMirrors([mirror, edited, unwritten])).toEqual([edited, unwritten]);
  });

  it('names file and constant after the kind', () => {
    const text = `spec: { names: { kind: WebApp }, versions: [{ schema: { openAPIV3Schema: { type: object } } }] }`;
    const { path, source } = mirrorOf('webapps.yaml', text);
    expect(path).toBe('src/apis/web-app-schema.ts');
    expect(source).toContain("export const webAppSchema = {\n  type: 'object',\n} as const;\n");
  });

  it('refuses a CRD of two versions, of which it could mirror only one', () => {
    const text = 'spec: { names: { kind: A }, versions: [{}, {}] }';
    expect(() => mirrorOf('as.yaml', text)).toThrow(
      'crds/as.yaml: one version can be mirrored, found 2',
    );
  });
});
