import { type MyApp, myAppKind } from '../apis/my-app.ts';
import { type Pod, podKind, podLabels } from '../apis/pod.ts';
import { myAppReconciler } from '../controllers/my-app/controller.ts';
import { Children } from '../core/children.ts';
import { Controller } from '../core/controller.ts';
import { createChildWriter } from '../kube/child-writer.ts';
import { createObjectWriter } from '../kube/object-writer.ts';
import type { Runtime } from '../runtime.ts';
import type { Unit } from './unit.ts';

const NAME = 'myapp';
/** The API server is near and fast: failures start at a tenth of a second and end at a minute. */
const BACKOFF = { firstMs: 100, maxMs: 60_000 } as const;
const LABEL_SELECTOR = Object.entries(podLabels)
  .map(([key, value]) => `${key}=${value}`)
  .join(',');

export const myAppUnit: Unit = { name: NAME, wire };

function wire(runtime: Runtime): ReturnType<Unit['wire']> {
  const { clock } = runtime.ports;
  const cache = runtime.watch<MyApp>(myAppKind);
  // A pod that has lost the label looks deleted: the pass finds it by its name and puts it back.
  const pods = new Children<Pod>({
    cache: runtime.watch<Pod>(podKind, { labelSelector: LABEL_SELECTOR }),
    writer: createChildWriter(runtime.client, [podKind]),
    owner: myAppKind,
    clock,
  });
  return () =>
    new Controller<MyApp>({
      ...runtime.controllerDefaults(),
      name: NAME,
      cache,
      writer: createObjectWriter<MyApp>(runtime.client, myAppKind),
      reconciler: myAppReconciler({ pods, clock }),
      children: [pods],
      backoff: BACKOFF,
    });
}
