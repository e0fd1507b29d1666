import { dumpYaml as dump, loadAllYaml } from '@kubernetes/client-node';

/** Control characters are escaped. */
export function dumpYaml(data: unknown): string {
  return dump(data);
}

/** Each document of YAML or JSON text; an empty one is null. Throws where it is not valid. */
export function parseYamlDocuments(text: string): readonly unknown[] {
  return loadAllYaml(text) as readonly unknown[];
}
