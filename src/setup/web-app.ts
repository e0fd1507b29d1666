import { type WebApp, webAppKind, webAppManagedBy } from '../apis/web-app.ts';
import {
  type Autoscaler,
  Autoscalers,
  trimAutoscaler,
} from '../controllers/web-app/autoscalers.ts';
import { createWebAppReconciler } from '../controllers/web-app/controller.ts';
import type { Deployment, Service } from '../controllers/web-app/deployment.ts';
import { Controller } from '../core/controller/controller.ts';
import type { ResourceKind } from '../core/objects/kube-object.ts';
import { createObjectWriter } from '../kube/write/object-writer.ts';
import type { BuildController, SetupContext } from './context.ts';
import { watchLabelledChildren } from './labelled-children.ts';

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

export function setUpWebApp(context: SetupContext): BuildController {
  const cache = context.watch<WebApp>(webAppKind);
  const deployments = watchLabelledChildren<Deployment>(context, { ...OWNED, kind: DEPLOYMENT });
  const services = watchLabelledChildren<Service>(context, { ...OWNED, kind: SERVICE });
  const scalers = context.watch<Autoscaler>(AUTOSCALER, { transform: trimAutoscaler });
  const autoscalers = new Autoscalers(scalers);
  return () =>
    new Controller<WebApp>({
      ...context.getControllerDefaults(),
      name: NAME,
      cache,
      writer: createObjectWriter<WebApp>(context.client, webAppKind),
      reconciler: createWebAppReconciler({ deployments, services, autoscalers }),
      children: [deployments, services],
      sources: [autoscalers.source],
    });
}
