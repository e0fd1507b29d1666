import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { renderPolicies } from '../../../deploy/policies.ts';

const DEPLOY = resolve(import.meta.dirname, '../../../deploy');
const KINDS = (await readdir(resolve(DEPLOY, 'components'), { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  /** Of a role. */
  readonly rules?: readonly (Rule & { readonly verbs: readonly string[] })[];
  readonly spec?: {
    readonly failurePolicy?: string;
    readonly policyName?: string;
    readonly validationActions?: readonly string[];
    readonly matchConstraints?: {
      readonly resourceRules: readonly (Rule & { readonly operations: readonly string[] })[];
    };
  };
}

async function manifestsIn(kind: string, file: string): Promise<readonly Manifest[]> {
  const text = await readFile(resolve(DEPLOY, 'components', kind, file), 'utf8');
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

/** Of Kubernetes' own resources; `configmaps/finalizers` is asked for by name and never written. */
const BUILT_IN = ['', 'apps'];
const NEVER_SENT = 'configmaps/finalizers';
const OPERATIONS: Readonly<Record<string, string>> = {
  create: 'CREATE',
  patch: 'UPDATE',
  update: 'UPDATE',
  delete: 'DELETE',
};

/** `UPDATE apps/deployments` */
function writesOf(rule: Rule, operations: readonly (string | undefined)[]): readonly string[] {
  return rule.apiGroups
    .filter((group) => BUILT_IN.includes(group))
    .flatMap((group) => rule.resources.map((resource) => [group, resource]))
    .filter(([, resource]) => resource !== NEVER_SENT)
    .flatMap(([group, resource]) =>
      operations.filter(Boolean).map((operation) => `${operation} ${group}/${resource}`),
    );
}

describe('the policies of a component', () => {
  it('are what npm run gen writes', async () => {
    for (const [path, text] of Object.entries(renderPolicies())) {
      expect(await readFile(resolve(DEPLOY, path), 'utf8'), path).toBe(text);
    }
  });

  it.each(KINDS)('%s limit each write that it is granted', async (kind) => {
    const policies = await manifestsIn(kind, 'policy.yaml');
    const limited = policies
      .flatMap(({ spec }) => spec?.matchConstraints?.resourceRules ?? [])
      .flatMap((rule) => writesOf(rule, rule.operations));
    const roles = await manifestsIn(kind, 'rights.yaml');
    const granted = roles
      .flatMap(({ rules = [] }) => rules)
      .flatMap((rule) =>
        writesOf(
          rule,
          rule.verbs.map((verb) => OPERATIONS[verb]),
        ),
      );
    expect(limited).toEqual(expect.arrayContaining([...granted]));
  });

  it.each(KINDS)('%s refuse where they cannot be judged, and are bound', async (kind) => {
    const policies = await manifestsIn(kind, 'policy.yaml');
    const bindings = policies.filter((one) => one.kind === 'ValidatingAdmissionPolicyBinding');
    const judges = policies.filter((one) => one.kind === 'ValidatingAdmissionPolicy');
    expect(judges.map(({ spec }) => spec?.failurePolicy)).toEqual(judges.map(() => 'Fail'));
    expect(bindings.map(({ spec }) => spec?.policyName)).toEqual(
      judges.map(({ metadata }) => metadata.name),
    );
    expect(bindings.map(({ spec }) => spec?.validationActions)).toEqual(judges.map(() => ['Deny']));
  });
});
