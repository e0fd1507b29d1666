import { readdirSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { askRules } from '../unit/crds/cel-rules.ts';
import { type DefinitionName, readDefinition } from '../unit/crds/custom-resource-definition.ts';
import { misfits, type Schema, withDefaults } from './api-model/schema.ts';
import type { Json, ServedKind } from './api-model/stored-object.ts';

/** Every kind that has a CRD in crds/. */
export const DEFINED_KINDS: readonly ServedKind[] = readdirSync(
  new URL('../../crds/', import.meta.url),
)
  .filter((name) => !/\.(ts|yaml)$/.test(name))
  .map((name) => servedDefinition(name as DefinitionName));

export function definedKind(kind: string): ServedKind {
  const found = DEFINED_KINDS.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`crds/ defines no ${kind}`);
  return found;
}

/** A kind as its CRD in crds/ has it: defaults, schema and CEL rules. */
function servedDefinition(name: DefinitionName): ServedKind {
  const { group, names, versions } = readDefinition(name).spec;
  const rules = versions[0].schema.openAPIV3Schema;
  const schema = rules as Schema;
  const ask = (object: Json, old: Json | undefined): readonly string[] => {
    // A rule that held for a spec holds for the same spec again: a test of the rules says so.
    if (old !== undefined && isDeepStrictEqual(object['spec'], old['spec'])) return [];
    return askRules(rules, object, old).flatMap(({ id, holds }) => (holds ? [] : [id]));
  };
  return {
    group,
    version: versions[0].name,
    kind: names.kind,
    plural: names.plural,
    isNamespaced: true,
    isCustom: true,
    tracksFields: true,
    withDefaults: (object) => withDefaults(schema, object) as Json,
    faultsOf: (object, old) => {
      // What fitted before fits again.
      const isNews = (part: string): boolean => !isDeepStrictEqual(object[part], old?.[part]);
      const faults = ['spec', 'status']
        .filter((part) => old === undefined || isNews(part))
        .flatMap((part) => misfits(schema.properties?.[part] ?? {}, object[part], part));
      return faults.length > 0 ? faults : ask(object, old);
    },
  };
}
