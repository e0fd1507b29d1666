import { type ImmortalContainer, immortalContainerKind } from '../apis/immortal-container.ts';
import { type Pod, podKind, podLabels } from '../apis/pod.ts';
import { immortalContainerReconciler } from '../controllers/immortal-container/controller.ts';
import { Children } from '../core/children.ts';
import { Controller } from '../core/controller.ts';
import { createChildWriter } from '../kube/child-writer.ts';
import { createObjectWriter } from '../kube/object-writer.ts';
import type { Runtime } from '../runtime.ts';
import type { Unit } from './unit.ts';

const NAME = 'immortalcontainer';
/** The API server is near and fast: failures start at a tenth of a second and end at a minute. */
const BACKOFF = { firstMs: 100, maxMs: 60_000 } as const;
const LABEL_SELECTOR = Object.entries(podLabels)
  .map(([key, value]) => `${key}=${value}`)
  .join(',');

export const immortalContainerUnit: Unit = { name: NAME, wire };

function wire(runtime: Runtime): ReturnType<Unit['wire']> {
  const { clock } = runtime.ports;
  const cache = runtime.watch<ImmortalContainer>(immortalContainerKind);
  // A pod that has lost the label looks deleted: the pass finds it by its name and puts it back.
  const pods = new Children<Pod>({
    cache: runtime.watch<Pod>(podKind, { labelSelector: LABEL_SELECTOR }),
    writer: createChildWriter(runtime.client, [podKind]),
    owner: immortalContainerKind,
    clock,
  });
  return () =>
    new Controller<ImmortalContainer>({
      ...runtime.controllerDefaults(),
      name: NAME,
      cache,
      writer: createObjectWriter<ImmortalContainer>(runtime.client, immortalContainerKind),
      reconciler: immortalContainerReconciler({ pods, clock }),
      children: [pods],
      backoff: BACKOFF,
    });
}
