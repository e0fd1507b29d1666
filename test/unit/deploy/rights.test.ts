import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

const DEPLOY = new URL('../../../deploy/', import.meta.url);

interface Role {
  readonly kind?: string;
  readonly rules?: readonly {
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

/** `verb resource` for each right of the Roles and ClusterRoles in these folders. */
function listGranted(...folders: readonly string[]): readonly string[] {
  const files = folders.flatMap((folder) =>
    readdirSync(new URL(folder, DEPLOY))
      .filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')
      .map((file) => new URL(`${folder}${file}`, DEPLOY)),
  );
  const documents = files.flatMap((file) =>
    parseAllDocuments(readFileSync(file, 'utf8')).map((one) => one.toJS() as Role),
  );
  const rules = documents.flatMap(({ kind, rules = [] }) =>
    kind === 'Role' || kind === 'ClusterRole' ? rules : [],
  );
  return rules.flatMap(({ resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
  );
}

describe('an operator with MyIngress alone', () => {
  const granted = listGranted('base/', 'components/myingress/');

  it('holds no right on pods, ConfigMaps, Secrets or workloads', () => {
    const resources = new Set(granted.map((right) => right.replace(/^\S+ /, '')));
    expect([...resources].toSorted()).toEqual([
      ...['endpointslices', 'events', 'leases', 'myingresses', 'myingresses/status'],
      ...['namespaces', 'nodes', 'services'],
    ]);
  });

  it('only reads Services, their endpoints, nodes and namespaces', () => {
    const read = granted.filter((right) => /services|endpointslices|nodes|namespaces/.test(right));
    expect(read.filter((right) => !/^(get|list|watch) /.test(right))).toEqual([]);
    expect(read.length).toBeGreaterThan(5);
  });
});
