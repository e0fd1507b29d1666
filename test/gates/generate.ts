import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { isCalledPlainly } from '../../deploy/no-arguments.ts';

/** `npm run gen`: writes everything that is written from something else; `npm run check` compares. */
const GENERATORS = [
  'crds/mirror.ts',
  'crds/kind-fields.ts',
  'docs/mirror.ts',
  'deploy/kind-lists.ts',
  'deploy/iam.ts',
  'deploy/policies.ts',
  'deploy/guardrails.ts',
  'deploy/user-roles.ts',
  'deploy/alerts.ts',
  'deploy/dashboard.ts',
  'deploy/operator-rights.ts',
  'deploy/render.ts',
  'deploy/helm/main.ts',
] as const;

const root = resolve(import.meta.dirname, '../..');
const isWanted = isCalledPlainly('gen', 'writes everything that is written from something else');
for (const generator of isWanted ? GENERATORS : []) {
  const { status } = spawnSync(process.execPath, [generator], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
