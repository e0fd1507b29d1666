import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { stringify } from 'yaml';
import { readDefinitions } from './fields/definitions.ts';

/**
 * The settings of Argo CD with deploy/argocd/health.lua for each kind; its keys cannot name several kinds.
 * https://argo-cd.readthedocs.io/en/stable/operator-manual/health/#way-1-define-a-custom-health-check-in-argocd-cm-configmap
 */
export function argoCdSettings(): string {
  const lua = readFileSync(resolve(import.meta.dirname, '../deploy/argocd/health.lua'), 'utf8');
  const checks = readDefinitions().map(({ group, kind }) => [
    `resource.customizations.health.${group}_${kind}`,
    lua,
  ]);
  const labels = { 'app.kubernetes.io/name': 'argocd-cm', 'app.kubernetes.io/part-of': 'argocd' };
  const settings = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-cm', namespace: 'argocd', labels },
    data: Object.fromEntries(checks),
  };
  return `# Written by docs/mirror.ts from health.lua; run \`npm run gen\` after a change there.\n${stringify(settings, { lineWidth: 0, aliasDuplicateObjects: false })}`;
}
