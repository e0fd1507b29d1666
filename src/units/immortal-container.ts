import { type ImmortalContainer, immortalContainerKind } from '../apis/immortal-container.ts';
import { type Pod, podKind, podLabels } from '../apis/pod.ts';
import { immortalContainerReconciler } from '../controllers/immortal-container/controller.ts';
import { Controller } from '../core/controller.ts';
import { createObjectWriter } from '../kube/object-writer.ts';
import type { Runtime } from '../runtime.ts';
import { labelledChildren } from './labelled-children.ts';
import type { Unit } from './unit.ts';

const NAME = 'immortalcontainer';

export const immortalContainerUnit: Unit = { name: NAME, wire };

function wire(runtime: Runtime): ReturnType<Unit['wire']> {
  const { clock } = runtime.ports;
  const cache = runtime.watch<ImmortalContainer>(immortalContainerKind);
  const pods = labelledChildren<Pod>(runtime, {
    kind: podKind,
    owner: immortalContainerKind,
    labels: podLabels,
  });
  return () =>
    new Controller<ImmortalContainer>({
      ...runtime.controllerDefaults(),
      name: NAME,
      cache,
      writer: createObjectWriter<ImmortalContainer>(runtime.client, immortalContainerKind),
      reconciler: immortalContainerReconciler({ pods, clock }),
      children: [pods],
    });
}
