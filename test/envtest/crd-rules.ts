import { describe, expect, inject, it } from 'vitest';
import { stringify } from 'yaml';
import { accessCluster } from '../control-plane/cluster-access.ts';
import { rulesOf } from '../unit/crds/cel-rules.ts';
import type { CustomResourceDefinition } from '../unit/crds/custom-resource-definition.ts';
import type { Draft, RuleSequences, RuleTable } from '../unit/crds/rule-case.ts';
import { type ApiAnswer, callApi, pathOf, succeeded } from './crd-api.ts';

/** Bad specs that need no rule, with the API server's own words. */
export type FaultTable = Readonly<
  Record<string, { readonly why: string; readonly spec: object; readonly says: string }>
>;

export interface RuledKind {
  readonly definition: CustomResourceDefinition;
  readonly rules: RuleTable;
  readonly faults: FaultTable;
  readonly sequences?: RuleSequences;
  /** Called in a test: the definition is installed and the namespace is there by then. */
  readonly namespace: () => string;
}

/** Declares tests that hold the tables of one kind against a real API server. */
export function describeRulesOnServer(kind: RuledKind): void {
  const { definition, rules, faults, sequences = {} } = kind;
  describe(`the rules of ${definition.spec.names.kind} in a real API server`, () => {
    const known = rulesOf(definition.spec.versions[0].schema.openAPIV3Schema);
    const { store, replace, submit } = submitterOf(kind);
    // Two fields may have the same rule.
    const sentencesIn = (message: string): ReadonlySet<string> =>
      new Set(known.map((rule) => rule.message).filter((text) => message.includes(text)));

    describe.each(Object.entries(rules))('%s', (beginning, { accepts, rejects }) => {
      const storable = Object.entries(accepts).filter(([, { isOlderThanRules }]) => {
        return isOlderThanRules !== true;
      });

      it.each(storable)('accept %s', async (_name, { object, old }) => {
        const { code, message } = await submit(object, old);
        expect({ message, code }).toEqual({ message: '', code: old === undefined ? 201 : 200 });
      });

      it.each(Object.entries(rejects))('reject %s', async (_name, { object, old }) => {
        const { code, message } = await submit(object, old);
        const rule = known.find(({ id }) => id.startsWith(beginning));
        const sentences = sentencesIn(message);
        expect({ code, sentences }).toEqual({ code: 422, sentences: new Set([rule?.message]) });
      });
    });

    it.each(Object.entries(sequences))('are not bypassed: %s', async (name, { steps, last }) => {
      const [first, ...next] = steps;
      const object = name.replaceAll(/\W+/g, '-');
      await store(object, first);
      for (const step of [...next, last]) expect((await replace(object, step)).code).toBe(422);
    });
  });

  describe(`bad manifests of ${definition.spec.names.kind} that need no rule`, () => {
    it.each(Object.entries(faults))('%s is refused by kubectl apply', async (_name, fault) => {
      const input = stringify(manifestOf(definition, 'bad', { spec: { ...fault.spec } }));
      const apply = ['apply', '-n', kind.namespace(), '-f', '-'];
      const answer = await accessCluster(inject('controlPlane')).kubectl(apply, { input });
      expect(answer.code).toBe(1);
      expect(answer.stderr, fault.why).toContain(fault.says);
    });
  });
}

interface Submitter {
  /** Stores an object with the status that albridge would have written. */
  readonly store: (name: string, draft: Draft) => Promise<void>;
  /** What is left out is removed, unlike in a merge. */
  readonly replace: (name: string, draft: Draft) => Promise<ApiAnswer>;
  /** Creates an object, or stores the old one and replaces it. */
  readonly submit: (object: Draft, old: Draft | undefined) => Promise<ApiAnswer>;
}

function submitterOf({ definition, namespace }: RuledKind): Submitter {
  const cluster = accessCluster(inject('controlPlane'));
  let count = 0;
  const create = (name: string, draft: Draft): Promise<ApiAnswer> =>
    callApi(cluster, {
      method: 'POST',
      path: pathOf(definition, namespace()),
      body: manifestOf(definition, name, draft),
    });
  const store = async (name: string, draft: Draft): Promise<void> => {
    succeeded(await create(name, draft));
    if (draft.status === undefined) return;
    const path = `${pathOf(definition, namespace(), name)}/status`;
    const body = { status: draft.status };
    succeeded(await callApi(cluster, { method: 'PATCH', path, patch: 'merge', body }));
  };
  const replace = async (name: string, draft: Draft): Promise<ApiAnswer> => {
    const path = pathOf(definition, namespace(), name);
    const { body } = await callApi(cluster, { method: 'GET', path });
    const next = { ...manifestOf(definition, name, draft), metadata: body.metadata };
    return callApi(cluster, { method: 'PUT', path, body: next });
  };
  const submit = async (object: Draft, old: Draft | undefined): Promise<ApiAnswer> => {
    const name = object.name ?? `case-${++count}`;
    if (old === undefined) return create(name, object);
    await store(name, old);
    return replace(name, object);
  };
  return { store, replace, submit };
}

function manifestOf(
  { spec: { group, names, versions } }: CustomResourceDefinition,
  name: string,
  { spec }: Draft,
): object {
  const apiVersion = `${group}/${versions[0].name}`;
  const metadata = { name };
  return { apiVersion, kind: names.kind, metadata, ...(spec === undefined ? {} : { spec }) };
}
