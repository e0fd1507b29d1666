// Lives here: what the docs say about each field of each kind, out of the CRDs: pages and JSON schemas.
// May import it: docs/mirror.ts, test/unit/docs.
// Start with: this file.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** The parts of a structural schema that the CRDs here use. */
export interface FieldSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly items?: FieldSchema;
  readonly additionalProperties?: FieldSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly pattern?: string;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string }[];
}

export interface Definition {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly schema: FieldSchema;
}

interface CustomResourceDefinition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly [
      { readonly name: string; readonly schema: { readonly openAPIV3Schema: FieldSchema } },
    ];
  };
}

/** One for each folder of crds, in their order. */
export function readDefinitions(): readonly Definition[] {
  const crds = join(import.meta.dirname, '../../crds');
  const folders = readdirSync(crds, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders
    .map(({ name }) => name)
    .toSorted()
    .map((name) => {
      const text = readFileSync(join(crds, name, 'crd.yaml'), 'utf8');
      const { spec } = parse(text) as CustomResourceDefinition;
      const [version] = spec.versions;
      const { kind } = spec.names;
      const schema = version.schema.openAPIV3Schema;
      return { group: spec.group, version: version.name, kind, schema };
    });
}
