import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { renderGuardrails } from '../../../deploy/guardrails.ts';
import { renderPolicies } from '../../../deploy/policies.ts';
import { listClosedNamespaces } from '../../../src/controllers/config-monitor/annotated-config-map.ts';
import { REFUSED } from '../../deploy/stolen-writes.ts';

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
    readonly validations?: readonly { readonly message: string; readonly expression: string }[];
    readonly validationActions?: readonly string[];
    readonly matchConstraints?: {
      readonly resourceRules: readonly (Rule & { readonly operations: readonly string[] })[];
    };
  };
}

/** What limits a kind: what is written for its users, and for the operator. */
const POLICY_FILES = ['policy.yaml', 'operator-policy.yaml', 'operator/policy.yaml'];

async function manifestsIn(
  kind: string,
  files: readonly string[] = POLICY_FILES,
): Promise<readonly Manifest[]> {
  const directory = resolve(DEPLOY, 'components', kind);
  const all = await readdir(directory, { recursive: true });
  const there = all.filter((file) => files.includes(file));
  const texts = there.map((file) => readFile(resolve(directory, file), 'utf8'));
  const documents = (await Promise.all(texts)).flatMap((text) => parseAllDocuments(text));
  return documents.map((document) => document.toJS() as Manifest);
}

/** A status is checked again before anything is touched; finalizers are asked for by name and never written. */
const NOT_LIMITED = /\/(?:status|finalizers)$/;
const OPERATIONS: Readonly<Record<string, string>> = {
  create: 'CREATE',
  patch: 'UPDATE',
  update: 'UPDATE',
  delete: 'DELETE',
};

/** `UPDATE apps/deployments` */
function writesOf(rule: Rule, operations: readonly (string | undefined)[]): readonly string[] {
  return rule.apiGroups
    .flatMap((group) => rule.resources.map((resource) => [group, resource]))
    .filter(([, resource]) => !NOT_LIMITED.test(resource ?? ''))
    .flatMap(([group, resource]) =>
      operations.filter(Boolean).map((operation) => `${operation} ${group}/${resource}`),
    );
}

describe('the policies of a component', () => {
  it('are what npm run gen writes', async () => {
    for (const [path, text] of Object.entries(renderPolicies())) {
      expect(await readFile(resolve(DEPLOY, path), 'utf8'), path).toBe(text);
    }
    const guardrails = resolve(DEPLOY, 'components/guardrails/policy.yaml');
    expect(await readFile(guardrails, 'utf8')).toBe(renderGuardrails());
  });

  it.each(KINDS)('%s limit each write that it is granted', async (kind) => {
    const policies = await manifestsIn(kind);
    const limited = policies
      .flatMap(({ spec }) => spec?.matchConstraints?.resourceRules ?? [])
      .flatMap((rule) => writesOf(rule, rule.operations));
    const roles = await manifestsIn(kind, ['rights.yaml']);
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
    const policies = await manifestsIn(kind);
    const bindings = policies.filter((one) => one.kind === 'ValidatingAdmissionPolicyBinding');
    const judges = policies.filter((one) => one.kind === 'ValidatingAdmissionPolicy');
    expect(judges.map(({ spec }) => spec?.failurePolicy)).toEqual(judges.map(() => 'Fail'));
    expect(bindings.map(({ spec }) => spec?.policyName)).toEqual(
      judges.map(({ metadata }) => metadata.name),
    );
    expect(bindings.map(({ spec }) => spec?.validationActions)).toEqual(judges.map(() => ['Deny']));
  });

  it('close the same namespaces as the operator does, wherever they are named', async () => {
    const lists = (await Promise.all(KINDS.map((kind) => manifestsIn(kind))))
      .flat()
      .flatMap(({ spec }) => spec?.validations ?? [])
      .flatMap(({ expression }) => [...expression.matchAll(/request\.namespace in (\[[^\]]*\])/g)])
      .map(([, list = '']) => list.replaceAll("'", '"'));
    const closed = JSON.stringify([...listClosedNamespaces({ namespaces: [] })]);
    expect(lists.length).toBeGreaterThan(8);
    expect(new Set(lists.map((list) => JSON.stringify(JSON.parse(list))))).toEqual(
      new Set([closed]),
    );
  });

  it.each(Object.entries(REFUSED))('never %s: one rule alone says so', (_name, write) => {
    const { refusal } = write();
    const rules = Object.values(renderPolicies())
      .flatMap((text) => parseAllDocuments(text).map((one) => one.toJS() as Manifest))
      .flatMap(({ spec }) => spec?.validations ?? []);
    // The same rule holds for what users write.
    const messages = new Set(rules.map(({ message }) => message.replace(/^.*is refused: /, '')));
    const isOfRbac = refusal.source.startsWith('cannot');
    expect([...messages].filter((one) => refusal.test(one))).toHaveLength(isOfRbac ? 0 : 1);
  });
});
