import type { ImmortalContainer } from '../../apis/immortal-container.ts';
import { isWrittenAs } from '../../core/children/owned-objects.ts';
import { shortenName } from '../../core/objects/digests.ts';
import { getKey, type Key, type KubeObject } from '../../core/objects/kube-object.ts';
import { containerLimits, type Pod, podLabels, podLimits } from '../../pods/pod.ts';
import { mergePodTemplate } from '../../pods/pod-template.ts';

const MAX_POD_NAME_LENGTH = 253;
const SUFFIX = '-immortalpod';
/** The article's. */
export const CONTAINER = 'acontainer';

/**
 * The article's pod: its name, its container and its label. restartPolicy is Always, the default: a
 * container that ends is restarted by the kubelet, a pod that is gone or has ended by albridge. A pod
 * of release 0.1.0, which set no limits, stays as it is: its successor gets them.
 */
export function desirePod(
  object: ImmortalContainer,
  observed: { get(key: Key): Pod | undefined },
): KubeObject {
  const container = { name: CONTAINER, image: object.spec.image };
  if (object.spec.podTemplate !== undefined) {
    const own = { labels: buildLabels(object), container };
    const { metadata, spec } = mergePodTemplate(own, object.spec.podTemplate);
    const pod = buildPod(object, spec);
    return { ...pod, metadata: { ...pod.metadata, ...metadata } };
  }
  const unlimited = buildPod(object, { containers: [container] });
  const containers = [{ ...container, ...containerLimits }];
  const limited = buildPod(object, { ...podLimits, containers });
  const running = observed.get(getKey(unlimited));
  // One that has lost its annotations has the fields of both, if it has limits.
  if (running === undefined || isWrittenAs(running, limited)) return limited;
  return isWrittenAs(running, unlimited) ? unlimited : limited;
}

function buildLabels({ metadata }: ImmortalContainer): Readonly<Record<string, string>> {
  return { controller: shortenName(metadata.name), ...podLabels };
}

function buildPod(object: ImmortalContainer, spec: object): KubeObject {
  const { name, namespace } = object.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: shortenName(name, MAX_POD_NAME_LENGTH - SUFFIX.length) + SUFFIX,
      namespace,
      labels: buildLabels(object),
    },
    spec,
  } as KubeObject;
}
