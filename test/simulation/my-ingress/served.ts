import { isDeepStrictEqual } from 'node:util';
import { myIngressKind } from '../../../src/apis/my-ingress.ts';
import { askRules } from '../../unit/crds/cel-rules.ts';
import { readMyIngressDefinition } from '../../unit/crds/custom-resource-definition.ts';
import { misfits, type Schema, withDefaults } from '../api-model/schema.ts';
import type { Json, ServedKind } from '../api-model/stored-object.ts';

/** MyIngress as its CRD has it: defaults, schema and CEL rules are those of crds/. */
export function servedMyIngress(): ServedKind {
  const rules = readMyIngressDefinition().spec.versions[0].schema.openAPIV3Schema;
  const schema = rules as Schema;
  const ask = (object: Json, old: Json | undefined): readonly string[] => {
    // A rule that held for a spec holds for the same spec again: a test of the rules says so.
    if (old !== undefined && isDeepStrictEqual(object['spec'], old['spec'])) return [];
    return askRules(rules, object, old).flatMap(({ id, holds }) => (holds ? [] : [id]));
  };
  return {
    ...myIngressKind,
    isNamespaced: true,
    isCustom: true,
    tracksFields: true,
    withDefaults: (object) => withDefaults(schema, object) as Json,
    faultsOf: (object, old) => {
      const faults = ['spec', 'status'].flatMap((part) =>
        misfits(schema.properties?.[part] ?? {}, object[part], part),
      );
      return faults.length > 0 ? faults : ask(object, old);
    },
  };
}
