import type { ImmortalContainer } from '../../apis/immortal-container.ts';
import { podLabels } from '../../apis/pod.ts';
import type { KubeObject } from '../../core/kube-object.ts';
import { shortened } from '../../core/short-name.ts';

const MAX_POD_NAME_LENGTH = 253;
const SUFFIX = '-immortalpod';

/**
 * The article's pod: its name, its container and its label. restartPolicy is Always, the default: a
 * container that ends is restarted by the kubelet, a pod that is gone or has ended by albridge.
 */
export function desiredPod({ metadata, spec }: ImmortalContainer): KubeObject {
  const { name, namespace } = metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: shortened(name, MAX_POD_NAME_LENGTH - SUFFIX.length) + SUFFIX,
      namespace,
      labels: { controller: shortened(name), ...podLabels },
    },
    spec: { containers: [{ name: 'acontainer', image: spec.image }] },
  } as KubeObject;
}
