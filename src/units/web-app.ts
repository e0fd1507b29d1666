import { type WebApp, webAppKind, webAppManagedBy } from '../apis/web-app.ts';
import { Autoscalers, leanAutoscaler } from '../controllers/web-app/autoscalers.ts';
import { webAppReconciler } from '../controllers/web-app/controller.ts';
import type { Autoscaler, Deployment, Service } from '../controllers/web-app/workload.ts';
import { Children } from '../core/children.ts';
import { Controller } from '../core/controller.ts';
import type { KubeObject, ResourceKind } from '../core/kube-object.ts';
import { createChildWriter } from '../kube/child-writer.ts';
import { createObjectWriter } from '../kube/object-writer.ts';
import type { Runtime } from '../runtime.ts';
import type { Unit } from './unit.ts';

const NAME = 'webapp';
/** The API server is near and fast: failures start at a tenth of a second and end at a minute. */
const BACKOFF = { firstMs: 100, maxMs: 60_000 } as const;

const DEPLOYMENT: ResourceKind = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
};
const SERVICE: ResourceKind = { group: '', version: 'v1', kind: 'Service', plural: 'services' };
const AUTOSCALER: ResourceKind = {
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
};

export const webAppUnit: Unit = { name: NAME, wire };

function wire(runtime: Runtime): ReturnType<Unit['wire']> {
  const cache = runtime.watch<WebApp>(webAppKind);
  const deployments = childrenOf<Deployment>(runtime, DEPLOYMENT);
  const services = childrenOf<Service>(runtime, SERVICE);
  const scalers = runtime.watch<Autoscaler>(AUTOSCALER, { transform: leanAutoscaler });
  const autoscalers = new Autoscalers(scalers);
  return () =>
    new Controller<WebApp>({
      ...runtime.controllerDefaults(),
      name: NAME,
      cache,
      writer: createObjectWriter<WebApp>(runtime.client, webAppKind),
      reconciler: webAppReconciler({ deployments, services, autoscalers }),
      children: [deployments, services],
      sources: [autoscalers.source],
      backoff: BACKOFF,
    });
}

/**
 * Only what carries our label is watched. A child that has lost it looks deleted: the pass finds it
 * by its name and puts the label back.
 */
function childrenOf<T extends KubeObject>(runtime: Runtime, kind: ResourceKind): Children<T> {
  const labelSelector = `app.kubernetes.io/managed-by=${webAppManagedBy}`;
  return new Children<T>({
    cache: runtime.watch<T>(kind, { labelSelector }),
    writer: createChildWriter(runtime.client, [kind]),
    owner: webAppKind,
    clock: runtime.ports.clock,
  });
}
