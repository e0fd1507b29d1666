import type { ClusterAccess } from '../control-plane/cluster-access.ts';
import { KubeApi } from './kube-api.ts';
import { OPERATOR_KEY, shippedPolicy } from './shipped-policy.ts';
import { StandInControl } from './stand-in-control.ts';

/** From now on the operator has the AWS rights that are shipped, for this cluster id, and no others. */
export async function limitOperator(
  environment: Readonly<Record<string, string>>,
  clusterId: string,
): Promise<void> {
  const standIn = new StandInControl(environment['AWS_ENDPOINT_URL'] as string);
  await standIn.setPolicy(OPERATOR_KEY, shippedPolicy(clusterId));
}

/** The UID of kube-system. */
export async function readClusterId(cluster: ClusterAccess): Promise<string> {
  const api = new KubeApi(cluster);
  try {
    type Named = { readonly metadata: { readonly uid: string } };
    const path = '/api/v1/namespaces/kube-system';
    return (await api.ask<Named>({ method: 'GET', path })).metadata.uid;
  } finally {
    api.close();
  }
}
