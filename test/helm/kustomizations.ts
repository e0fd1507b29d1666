import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { isolatedEnvironment } from '../control-plane/environment.ts';
import { runCommand } from '../control-plane/run-command.ts';
import { type Manifest, ROOT } from './helm.ts';

interface Kustomization {
  readonly components?: readonly string[];
}

/** What kustomize renders of an overlay, with these components below deploy in place of its own. */
export async function renderOverlay(
  kubectl: string,
  overlay: string,
  components: readonly string[] = [],
): Promise<readonly Manifest[]> {
  const path = resolve(ROOT, 'deploy', overlay, 'kustomization.yaml');
  const parsed = parse(await readFile(path, 'utf8')) as Kustomization & { resources: string[] };
  const directory = await mkdtemp(join(tmpdir(), 'albridge-kustomization-'));
  const locate = (entry: string): string => relative(directory, resolve(path, '..', entry));
  const ours = components.map((one) => relative(directory, resolve(ROOT, 'deploy', one)));
  const desired = {
    ...parsed,
    resources: parsed.resources.map(locate),
    components: components.length > 0 ? ours : (parsed.components ?? []).map(locate),
  };
  await writeFile(join(directory, 'kustomization.yaml'), stringify(desired));
  try {
    return await kustomize(kubectl, directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function kustomize(kubectl: string, directory: string): Promise<readonly Manifest[]> {
  const env = isolatedEnvironment(process.env, directory);
  const { code, stdout, stderr } = await runCommand(kubectl, ['kustomize', directory], { env });
  if (code !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
}
