// Lives here: what writes deploy/chart from the files that kustomize renders and from the settings.
// May import it: test/unit/deploy.
// Start with: this file.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { listTemplates, renderTemplates } from './templates.ts';
import { renderSchema, renderValues } from './values.ts';

/** `npm run gen`: everything in deploy/chart but settings.yaml, refusals.yaml, NOTES.txt and the files in values/. */

export const CHART = resolve(import.meta.dirname, '../chart');

/** The text of each generated file, by its path in the chart. */
export async function renderChart(): Promise<ReadonlyMap<string, string>> {
  const names = await settingNames();
  const templates = [...(await renderTemplates())].map(
    ([name, text]) => [join('templates', name), text] as const,
  );
  return new Map([
    ['Chart.yaml', renderDescription()],
    ['values.schema.json', renderSchema(names)],
    ['values.yaml', renderValues(names)],
    ...templates,
  ]);
}

/** Generated files that are there and should not be: their source has left. */
export async function listStale(): Promise<readonly string[]> {
  const rendered = await renderChart();
  const templates = await listTemplates(join(CHART, 'templates'));
  return templates.map((name) => join('templates', name)).filter((name) => !rendered.has(name));
}

function renderDescription(): string {
  const { version, description } = manifest;
  return `# Written by deploy/helm/main.ts; run \`npm run gen\` after a change of package.json.
apiVersion: v2
name: albridge
description: ${description.replace(/^Kubernetes operator that bridges/, 'Operator that bridges').replace(/:.*/, '')}
type: application
version: ${version}
appVersion: "${version}"
kubeVersion: ">=1.32.0-0"
`;
}

/** The keys of the ConfigMap that the Deployment reads. */
async function settingNames(): Promise<readonly string[]> {
  const path = resolve(import.meta.dirname, '../base/deployment.yaml');
  const text = await readFile(path, 'utf8');
  return [...text.matchAll(/name: albridge-settings, key: (\w+)/g)].map(([, name = '']) => name);
}

if (import.meta.main) {
  for (const name of await listStale()) await rm(join(CHART, name));
  for (const [name, text] of await renderChart()) {
    await mkdir(dirname(join(CHART, name)), { recursive: true });
    await writeFile(join(CHART, name), text);
  }
}
