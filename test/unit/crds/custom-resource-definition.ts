import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { SchemaNode, SchemaRule } from './schema-walk.ts';

interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly priority?: number;
}

/** https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#scale-subresource */
interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath: string;
}

interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly subresources: { readonly status: object; readonly scale?: ScalePaths };
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
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

/** `<plural>.<group>`, which names both the definition and its directory. */
export type DefinitionName = `${string}.${string}`;

function definitionFile(name: DefinitionName): URL {
  return new URL(`../../../crds/${name}/crd.yaml`, import.meta.url);
}

export function readDefinition(name: DefinitionName): CustomResourceDefinition {
  return parse(readFileSync(definitionFile(name), 'utf8')) as CustomResourceDefinition;
}

export const myIngressDefinitionFile: URL = definitionFile('myingresses.demo.rtfm.co.ua');

export function readMyIngressDefinition(): CustomResourceDefinition {
  return readDefinition('myingresses.demo.rtfm.co.ua');
}

/** Marks a rule that refuses a field of which the schema has all the rest, because nothing implements it yet. */
export function isRefusal({ message }: SchemaRule): boolean {
  return message.includes(' is not supported yet');
}

/** MyIngress without refusals: as it will be when all of it is implemented. */
export function readFutureMyIngressDefinition(): CustomResourceDefinition {
  const text = JSON.stringify(readMyIngressDefinition());
  return JSON.parse(text, (key, value: unknown) =>
    key === 'x-kubernetes-validations'
      ? (value as readonly SchemaRule[]).filter((rule) => !isRefusal(rule))
      : value,
  ) as CustomResourceDefinition;
}
