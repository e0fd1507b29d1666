import { dumpYaml as dump } from '@kubernetes/client-node';

/** Control characters are escaped. */
export function dumpYaml(data: unknown): string {
  return dump(data);
}
