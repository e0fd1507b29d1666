import { resolve } from 'node:path';
import type { ClusterAccess } from '../control-plane/cluster-access.ts';
import { kubectlOrThrow } from './deploy-base.ts';

const SECRETS = resolve(import.meta.dirname, '../../deploy/components/secrets');

/** Rights and policy of the component; the setting is the operator's environment. */
export async function installSecrets(cluster: Pick<ClusterAccess, 'kubectl'>): Promise<void> {
  const args = ['rights.yaml', 'operator/policy.yaml'].flatMap((file) => {
    return ['-f', resolve(SECRETS, file)];
  });
  await kubectlOrThrow(cluster, ['apply', '--server-side', ...args]);
}

/** For an operator in whose cluster the component is installed, with the key in the namespace of its rights. */
export const WITH_SECRETS = { ALBRIDGE_SECRETS: 'on', POD_NAMESPACE: 'albridge-system' } as const;
