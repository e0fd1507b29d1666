import type { ImmortalContainer } from '../../apis/immortal-container.ts';
import { containerLimits, type Pod, podLabels, podLimits } from '../../apis/pod.ts';
import { type Key, type KubeObject, keyOf } from '../../core/kube-object.ts';
import { isWrittenAs } from '../../core/owned-objects.ts';
import { shortened } from '../../core/short-name.ts';

const MAX_POD_NAME_LENGTH = 253;
const SUFFIX = '-immortalpod';
/** The article's. */
export const CONTAINER = 'acontainer';

/**
 * The article's pod: its name, its container and its label. restartPolicy is Always, the default: a
 * container that ends is restarted by the kubelet, a pod that is gone or has ended by albridge. A pod
 * of release 0.1.0, which set no limits, stays as it is: its successor gets them.
 */
export function desiredPod(
  object: ImmortalContainer,
  observed: { get(key: Key): Pod | undefined },
): KubeObject {
  const container = { name: CONTAINER, image: object.spec.image };
  const unlimited = podOf(object, { containers: [container] });
  const running = observed.get(keyOf(unlimited));
  if (running !== undefined && isWrittenAs(running, unlimited)) return unlimited;
  return podOf(object, { ...podLimits, containers: [{ ...container, ...containerLimits }] });
}

function podOf({ metadata: { name, namespace } }: ImmortalContainer, spec: object): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: shortened(name, MAX_POD_NAME_LENGTH - SUFFIX.length) + SUFFIX,
      namespace,
      labels: { controller: shortened(name), ...podLabels },
    },
    spec,
  } as KubeObject;
}
