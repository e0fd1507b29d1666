import { type WebApp, webAppKind, webAppManagedBy } from '../apis/web-app.ts';
import { Autoscalers, leanAutoscaler } from '../controllers/web-app/autoscalers.ts';
import { webAppReconciler } from '../controllers/web-app/controller.ts';
import type { Autoscaler, Deployment, Service } from '../controllers/web-app/workload.ts';
import { Controller } from '../core/controller.ts';
import type { ResourceKind } from '../core/kube-object.ts';
import { createObjectWriter } from '../kube/object-writer.ts';
import type { Runtime } from '../runtime.ts';
import { labelledChildren } from './labelled-children.ts';
import type { Unit } from './unit.ts';

const NAME = 'webapp';

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

const OWNED = {
  owner: webAppKind,
  labels: { 'app.kubernetes.io/managed-by': webAppManagedBy },
} as const;

export const webAppUnit: Unit = { name: NAME, wire };

function wire(runtime: Runtime): ReturnType<Unit['wire']> {
  const cache = runtime.watch<WebApp>(webAppKind);
  const deployments = labelledChildren<Deployment>(runtime, { ...OWNED, kind: DEPLOYMENT });
  const services = labelledChildren<Service>(runtime, { ...OWNED, kind: SERVICE });
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
    });
}
