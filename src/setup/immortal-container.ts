import { type ImmortalContainer, immortalContainerKind } from '../apis/immortal-container.ts';
import { createImmortalContainerReconciler } from '../controllers/immortal-container/controller.ts';
import { Controller } from '../core/controller/controller.ts';
import { podKind } from '../kube/client/built-in-kinds.ts';
import { createObjectWriter } from '../kube/write/object-writer.ts';
import { type Pod, podLabels } from '../pods/pod.ts';
import { trimTemplateOwner } from '../pods/pod-template.ts';
import type { BuildController, SetupContext } from './context.ts';
import { watchLabelledChildren } from './labelled-children.ts';

const NAME = 'immortalcontainer';

export function setUpImmortalContainer(context: SetupContext): BuildController {
  const { clock } = context.ports;
  const cache = context.watch<ImmortalContainer>(immortalContainerKind, {
    transform: trimTemplateOwner,
  });
  const pods = watchLabelledChildren<Pod>(context, {
    kind: podKind,
    owner: immortalContainerKind,
    labels: podLabels,
  });
  return () =>
    new Controller<ImmortalContainer>({
      ...context.getControllerDefaults(),
      name: NAME,
      cache,
      writer: createObjectWriter<ImmortalContainer>(
        context.client,
        immortalContainerKind,
        trimTemplateOwner,
      ),
      reconciler: createImmortalContainerReconciler({ pods, clock }),
      children: [pods],
    });
}
