import { resolve } from 'node:path';
import type { ClusterAccess } from '../control-plane/cluster-access.ts';
import { kubectlOrThrow } from './deploy-base.ts';

const GATES = resolve(import.meta.dirname, '../../deploy/components/readiness-gates');

/** Rights and policies of the component; the setting is the operator's environment. */
export async function installReadinessGates(
  cluster: Pick<ClusterAccess, 'kubectl'>,
): Promise<void> {
  const files = ['rights.yaml', 'policy.yaml', 'operator/policy.yaml'];
  const args = files.flatMap((file) => ['-f', resolve(GATES, file)]);
  await kubectlOrThrow(cluster, ['apply', '--server-side', ...args]);
}

/** For an operator in whose cluster the component is installed. */
export const WITH_READINESS_GATES = { ALBRIDGE_READINESS_GATES: 'on' } as const;
