import type { KubeObject, ResourceKind } from '../core/kube-object.ts';
import { labelSelector } from '../core/label-selector.ts';
import type { LivePods } from '../core/live-pods.ts';
import type { KubeClient } from './kube-client.ts';
import { translated } from './kube-error.ts';
import { listAll } from './reflector-list.ts';

/**
 * Lists pods of the given kind, which is the core's Pod, whatever form its callers hold it in. A list
 * without a resourceVersion shows the newest state:
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list
 */
export function createLivePods(client: KubeClient, podKind: ResourceKind): LivePods {
  return {
    uidsOf: (namespace, labels, signal) =>
      translated(`list pods of ${namespace}`, async () => {
        const uids = new Set<string>();
        await listAll({
          client,
          collection: { kind: podKind, namespace, labelSelector: labelSelector(labels) },
          signal,
          onItem: (item) => uids.add((item as KubeObject).metadata.uid ?? ''),
          onRestart: () => uids.clear(),
        });
        return uids;
      }),
  };
}
