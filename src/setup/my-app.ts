import { type MyApp, myAppKind } from '../apis/my-app.ts';
import { createMyAppReconciler } from '../controllers/my-app/controller.ts';
import { Controller } from '../core/controller/controller.ts';
import { podKind } from '../kube/client/built-in-kinds.ts';
import { createObjectWriter } from '../kube/write/object-writer.ts';
import { type Pod, podLabels } from '../pods/pod.ts';
import { trimTemplateOwner } from '../pods/pod-template.ts';
import type { BuildController, SetupContext } from './context.ts';
import { watchLabelledChildren } from './labelled-children.ts';

const NAME = 'myapp';

export function setUpMyApp(context: SetupContext): BuildController {
  const { clock } = context.ports;
  const cache = context.watch<MyApp>(myAppKind, { transform: trimTemplateOwner });
  const pods = watchLabelledChildren<Pod>(context, {
    kind: podKind,
    owner: myAppKind,
    labels: podLabels,
  });
  return () =>
    new Controller<MyApp>({
      ...context.getControllerDefaults(),
      name: NAME,
      cache,
      writer: createObjectWriter<MyApp>(context.client, myAppKind, trimTemplateOwner),
      reconciler: createMyAppReconciler({ pods, clock }),
      children: [pods],
    });
}
