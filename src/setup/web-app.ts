import { type WebApp, webAppKind, webAppManagedBy } from '../apis/web-app.ts';
import {
  type Autoscaler,
  Autoscalers,
  trimAutoscaler,
} from '../controllers/web-app/autoscalers.ts';
import { listHeld } from '../controllers/web-app/choices.ts';
import { createWebAppReconciler } from '../controllers/web-app/controller.ts';
import type { Deployment, Service } from '../controllers/web-app/deployment.ts';
import type { Exposing } from '../controllers/web-app/expose.ts';
import type { BalancedServices } from '../controllers/web-app/gate.ts';
import { Controller } from '../core/controller/controller.ts';
import { getKey, type KubeObject } from '../core/objects/kube-object.ts';
import type { ObjectCache } from '../core/ports/cache.ts';
import { type KeySource, LOW_PRIORITY } from '../core/queue/key-queue.ts';
import { autoscalerKind, deploymentKind, serviceKind } from '../kube/client/built-in-kinds.ts';
import { createObjectWriter } from '../kube/write/object-writer.ts';
import { FIELD_MANAGER } from '../kube/write/server-side-apply.ts';
import { trimTemplateOwner } from '../pods/pod-template.ts';
import type { BuildController, SetupContext } from './context.ts';
import type { Exposures } from './exposures.ts';
import type { GatedServices } from './gated-services.ts';
import { trimChild, watchLabelledChildren } from './labelled-children.ts';

const NAME = 'webapp';

const OWNED = {
  owner: webAppKind,
  labels: { 'app.kubernetes.io/managed-by': webAppManagedBy },
} as const;

export function setUpWebApp(context: SetupContext): BuildController {
  const cache = context.watch<WebApp>(webAppKind, { transform: trimTemplateOwner });
  const deployments = watchLabelledChildren<Deployment>(context, {
    ...OWNED,
    kind: deploymentKind,
    transform: trimDeployment,
  });
  const services = watchLabelledChildren<Service>(context, { ...OWNED, kind: serviceKind });
  const scalers = context.watch<Autoscaler>(autoscalerKind, { transform: trimAutoscaler });
  const autoscalers = new Autoscalers(scalers, context.ports.clock);
  const { exposures, gatedServices } = context;
  const exposing: Exposing = exposures ?? { read: () => ({ kind: 'unserved' }) };
  const balanced: BalancedServices = gatedServices ?? { has: () => false };
  return () =>
    new Controller<WebApp>({
      ...context.getControllerDefaults(),
      name: NAME,
      cache,
      writer: createObjectWriter<WebApp>(context.client, webAppKind, trimTemplateOwner),
      reconciler: createWebAppReconciler({
        deployments,
        services,
        autoscalers,
        balanced,
        exposing,
      }),
      children: [deployments, services],
      sources: [
        autoscalers.source,
        ...followGates(cache, gatedServices),
        ...followExposures(exposures),
      ],
    });
}

/** Of `metadata.managedFields`, which is long, only what decides is held. */
export function trimDeployment(object: KubeObject): Deployment {
  return { ...trimChild(object), held: listHeld(object, FIELD_MANAGER) };
}

function followExposures(exposures: Exposures | undefined): readonly KeySource[] {
  if (exposures === undefined) return [];
  return [
    (enqueue) =>
      exposures.follow(({ kind, namespace, name }) => {
        if (kind === webAppKind.kind) enqueue(`${namespace}/${name}`);
      }),
  ];
}

/** A WebApp has the key of its Service. A gate may have stayed on that nobody needs any more, so all are asked. */
function followGates(
  cache: ObjectCache<WebApp>,
  gatedServices: GatedServices | undefined,
): readonly KeySource[] {
  if (gatedServices === undefined) return [];
  return [
    (enqueue) =>
      gatedServices.follow({
        onKnown: () => {
          for (const app of cache.list()) enqueue(getKey(app), { priority: LOW_PRIORITY });
        },
        onChange: (service) => enqueue(service),
      }),
  ];
}
