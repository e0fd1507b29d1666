import type { KubeApi } from './kube-api.ts';
import { until } from './until.ts';

/**
 * Waits until a new namespace has its ServiceAccount `default`: pods that come before it are refused.
 * https://kubernetes.io/docs/concepts/security/service-accounts/#default-service-accounts
 */
export async function whenServiceAccount(api: KubeApi, namespace: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/default`;
  await until(`the ServiceAccount of ${namespace}`, async () => {
    return (await api.send({ method: 'GET', path })).code === 200;
  });
}
