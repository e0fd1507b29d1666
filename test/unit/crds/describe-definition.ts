import { describe, expect, it } from 'vitest';
import { MOST_CONDITIONS } from '../../../src/core/objects/conditions.ts';
import type { ResourceKind } from '../../../src/core/objects/kube-object.ts';
import type { CustomResourceDefinition } from './custom-resource-definition.ts';
import { schemaFaults } from './schema-faults.ts';
import { nodesOf } from './schema-walk.ts';

export interface DefinitionFacts {
  readonly kind: ResourceKind;
  readonly shortName: string;
  /** Names in their order; those of the wide table end in ` (wide)`. */
  readonly columns: readonly string[];
}

/** Declares what holds for the definition of every kind. */
export function describeDefinition(
  definition: CustomResourceDefinition,
  facts: DefinitionFacts,
): void {
  const { group, names, scope, versions } = definition.spec;
  const [version] = versions;
  const schema = version.schema.openAPIV3Schema;

  describe(`the ${facts.kind.kind} CRD`, () => {
    it('is the resource that the operator asks for', () => {
      const { kind, plural } = names;
      expect({ group, version: version.name, kind, plural }).toEqual(facts.kind);
      expect(definition.metadata.name).toBe(`${plural}.${group}`);
      expect(scope).toBe('Namespaced');
      expect(versions).toHaveLength(1);
    });

    it('answers to its short name and in the category of all kinds', () => {
      expect(names.shortNames).toEqual([facts.shortName]);
      expect(names.categories).toEqual(['albridge']);
    });

    it('is structural, described and bounded in every field', () => {
      expect(schemaFaults(schema)).toEqual([]);
    });

    it('prints its columns in this order, all of them from fields that exist', () => {
      const columns = version.additionalPrinterColumns;
      const shown = columns.map(({ name, priority }) => (priority === 1 ? `${name} (wide)` : name));
      expect(shown).toEqual(facts.columns);
      const known = new Set([...nodesOf(schema).map(({ path }) => path), CREATED]);
      const paths = columns.map(({ jsonPath }) => schemaPathOf(jsonPath));
      expect(paths.filter((path) => !known.has(path))).toEqual([]);
    });

    it('bounds status.conditions where the operator cuts them', () => {
      const conditions = nodesOf(schema).find(({ path }) => path === 'status.conditions');
      expect(conditions?.node.maxItems).toBe(MOST_CONDITIONS);
    });

    it('reads as not reconciled yet before the operator has observed the object', () => {
      expect(schema.properties?.['status']?.default).toEqual({ observedGeneration: -1 });
    });
  });
}

const CREATED = 'metadata.creationTimestamp';

/** `.status.conditions[?(@.type=="Ready")].status` -> `status.conditions[].status`. */
function schemaPathOf(jsonPath: string): string {
  return jsonPath.replace(/^\./, '').replaceAll(/\[\?\(@\.type=="[A-Za-z]+"\)\]/g, '[]');
}
