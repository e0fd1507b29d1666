import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { SchemaNode } from './schema-walk.ts';

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly priority?: number;
}

export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly subresources: { readonly status: object };
  readonly selectableFields: readonly { readonly jsonPath: string }[];
  readonly additionalPrinterColumns: readonly PrinterColumn[];
  readonly schema: { readonly openAPIV3Schema: SchemaNode };
}

export interface CustomResourceDefinition {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: {
      readonly kind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames: readonly string[];
      readonly categories: readonly string[];
    };
    readonly versions: readonly [DefinitionVersion];
  };
}

export const myIngressDefinitionFile = new URL(
  '../../../crds/myingresses.demo.rtfm.co.ua.yaml',
  import.meta.url,
);

export function readMyIngressDefinition(): CustomResourceDefinition {
  return parse(readFileSync(myIngressDefinitionFile, 'utf8')) as CustomResourceDefinition;
}
