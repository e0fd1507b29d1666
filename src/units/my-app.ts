import { type MyApp, myAppKind } from '../apis/my-app.ts';
import { type Pod, podKind, podLabels } from '../apis/pod.ts';
import { myAppReconciler } from '../controllers/my-app/controller.ts';
import { Controller } from '../core/controller.ts';
import { createObjectWriter } from '../kube/object-writer.ts';
import type { Runtime } from '../runtime.ts';
import { labelledChildren } from './labelled-children.ts';
import type { Unit } from './unit.ts';

const NAME = 'myapp';

export const myAppUnit: Unit = { name: NAME, wire };

function wire(runtime: Runtime): ReturnType<Unit['wire']> {
  const { clock } = runtime.ports;
  const cache = runtime.watch<MyApp>(myAppKind);
  const pods = labelledChildren<Pod>(runtime, {
    kind: podKind,
    owner: myAppKind,
    labels: podLabels,
  });
  return () =>
    new Controller<MyApp>({
      ...runtime.controllerDefaults(),
      name: NAME,
      cache,
      writer: createObjectWriter<MyApp>(runtime.client, myAppKind),
      reconciler: myAppReconciler({ pods, clock }),
      children: [pods],
    });
}
