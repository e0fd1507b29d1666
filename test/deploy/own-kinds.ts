import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { ROOT } from './place.ts';

/** A kind of albridge, as its CRD names it. */
export interface OwnKind {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

interface Definition extends Manifest {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly name: string }[];
  };
}

/** All of them: whoever adds a CRD is asked for by the tests that go through this list. */
export async function ownKinds(): Promise<readonly OwnKind[]> {
  const manifests = (await manifestsOf('crds')).flat();
  return manifests.filter(isDefinition).map(({ spec: { group, names, versions } }) => ({
    kind: names.kind,
    plural: names.plural,
    group,
    version: versions[0]?.name ?? '',
  }));
}

/** What lies in examples/, a list of manifests for each file, in the order of the names. */
export function examples(root = ROOT): Promise<readonly (readonly Manifest[])[]> {
  return manifestsOf('examples', root);
}

/**
 * Those that need nothing but what is there: an adoption needs a balancer of somebody's, HTTPS a certificate,
 * also where it names none, and a Secret as a source the component deploy/components/secrets.
 */
export async function selfSufficientExamples(root = ROOT): Promise<readonly Manifest[]> {
  const files = await examples(root);
  return files
    .filter(
      (manifests) =>
        !/"(adopt|certificates)":|"protocol":"HTTPS"|"secret":"/.test(JSON.stringify(manifests)),
    )
    .flat();
}

/** The same manifests, into one namespace: `kubectl apply -f -` takes the text. */
export function inNamespace(manifests: readonly Manifest[], namespace: string): string {
  const items = manifests.map((manifest) => {
    return { ...manifest, metadata: { ...manifest.metadata, namespace } };
  });
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

function isDefinition(manifest: Manifest): manifest is Definition {
  return manifest.kind === 'CustomResourceDefinition';
}

async function manifestsOf(
  directory: string,
  root = ROOT,
): Promise<readonly (readonly Manifest[])[]> {
  const all = await readdir(resolve(root, directory), { recursive: true });
  const names = all.filter((name) => name.endsWith('.yaml'));
  const texts = names.sort().map((name) => readFile(resolve(root, directory, name), 'utf8'));
  return (await Promise.all(texts)).map((text) =>
    parseAllDocuments(text).map((document) => document.toJS() as Manifest),
  );
}
