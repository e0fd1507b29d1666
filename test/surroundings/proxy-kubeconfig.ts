import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SlowProxy } from '../fakes/slow-proxy.ts';
import type { Surroundings } from './surroundings.ts';

/** The operator's own kubeconfig, but for its way to the API server; gives its path. */
export async function writeProxyKubeconfig(
  { controlPlane, operatorEnvironment }: Surroundings,
  { url }: SlowProxy,
): Promise<string> {
  const path = join(controlPlane.directory, 'proxy.kubeconfig');
  const direct = await readFile(operatorEnvironment['KUBECONFIG'] as string, 'utf8');
  await writeFile(path, direct.replaceAll(controlPlane.url, url));
  return path;
}
