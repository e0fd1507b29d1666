import type { WebApp } from '../../../src/apis/web-app.ts';
import { PAUSED_ANNOTATION } from '../../../src/core/objects/annotations.ts';
import { AUTOSCALERS, DEPLOYMENTS, SERVICES } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import type { Json, ServedKind } from '../api-model/stored-object.ts';
import { type ObjectKey, People, partsOf } from '../people.ts';
import { definedKind } from '../served-definition.ts';
import { omitNull } from '../templated-pods.ts';
import type { Cast, Stage } from '../world/stage.ts';
import type { AppName, AppPlan, ChildMeddling, WebAppAction } from './actions.ts';
import { ChildInvariants } from './child-invariants.ts';
import { DeploymentController } from './deployment-controller.ts';
import { checkFinalApps } from './final-check.ts';

const KIND = definedKind('WebApp');
const AUTOSCALER_MS = 15_000;
const OTHERS_LABELS = { app: 'somebody' };

/** WebApp: its users, the cluster's own controllers, and the promises about its children. */
export class WebAppCast implements Cast<WebAppAction> {
  readonly #stage: Stage;
  readonly #people: People;
  readonly #others: People;
  readonly #deployments: DeploymentController;
  readonly #invariants: ChildInvariants;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#people = new People(stage);
    this.#others = new People(stage, 'somebody');
    this.#deployments = new DeploymentController(stage);
    this.#invariants = new ChildInvariants(stage, KIND);
  }

  perform(action: WebAppAction): void {
    const { at } = action;
    switch (action.do) {
      case 'create':
        return this.#people.create(KIND, at, { spec: statedIn(action.spec) });
      case 'edit':
        return this.#people.patch(KIND, at, { spec: action.change });
      case 'delete':
        return this.#people.delete(KIND, at);
      case 'pause':
        return this.#people.annotate(KIND, at, { [PAUSED_ANNOTATION]: 'true' });
      case 'goOn':
        return this.#people.annotate(KIND, at, { [PAUSED_ANNOTATION]: null });
      case 'meddle':
        return this.#meddle(at, action.meddling);
      default:
        return this.#beside(action);
    }
  }

  onCommit(commit: Commit): void {
    this.#deployments.onCommit(commit);
    this.#invariants.onCommit(commit);
  }

  heal(): void {}

  checkFinal(): void {
    const { model, report } = this.#stage;
    const apps = model.table.list(KIND) as unknown as readonly WebApp[];
    checkFinalApps({ table: model.table, apps, report });
  }

  #beside(action: Extract<WebAppAction, { do: 'squat' | 'leave' | 'autoscale' }>): void {
    const { at } = action;
    switch (action.do) {
      case 'squat':
        return this.#others.create(kindOf(action.kind), at, {
          metadata: { labels: OTHERS_LABELS },
          spec: { replicas: 1, selector: OTHERS_LABELS },
        });
      case 'leave':
        if (this.#isSomebodys(kindOf(action.kind), at))
          this.#others.delete(kindOf(action.kind), at);
        return;
      case 'autoscale':
        return this.#autoscale(at, action.replicas);
      default:
        return action satisfies never;
    }
  }

  #autoscale(at: AppName, replicas: number): void {
    const { name } = partsOf(at);
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name };
    if (this.#stage.model.table.get(AUTOSCALERS, at) !== undefined) return;
    this.#others.create(AUTOSCALERS, at, { spec: { scaleTargetRef } });
    this.#scale(at, replicas);
  }

  /** An autoscaler looks at its target again and again: https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/ */
  #scale(at: AppName, replicas: number): void {
    const { clock, model } = this.#stage;
    clock.setTimer(AUTOSCALER_MS, () => {
      const target = model.table.get(DEPLOYMENTS, at) as Scaled | undefined;
      const isOther = target?.spec?.replicas !== replicas;
      const isOwned = !this.#isSomebodys(DEPLOYMENTS, at);
      if (isOther && isOwned) this.#others.patch(DEPLOYMENTS, at, { spec: { replicas } });
      this.#scale(at, replicas);
    });
  }

  #meddle(at: AppName, meddling: ChildMeddling): void {
    switch (meddling.what) {
      case 'image':
        return this.#others.patch(DEPLOYMENTS, at, {
          spec: { template: { spec: { containers: [{ name: 'app', image: meddling.image }] } } },
        });
      case 'scale':
        return this.#others.patch(DEPLOYMENTS, at, { spec: { replicas: meddling.replicas } });
      case 'restart':
        return this.#others.patch(DEPLOYMENTS, at, restartPatch(meddling.token));
      case 'unlabel':
        return this.#others.patch(DEPLOYMENTS, at, {
          metadata: { labels: { 'app.kubernetes.io/managed-by': null } },
        });
      case 'deleteDeployment':
        return this.#others.delete(DEPLOYMENTS, at);
      case 'deleteService':
        return this.#others.delete(SERVICES, at);
      default:
        return meddling satisfies never;
    }
  }

  #isSomebodys(kind: ServedKind, at: ObjectKey): boolean {
    const found = this.#stage.model.table.get(kind, at);
    return found?.metadata.ownerReferences === undefined;
  }
}

/** An object is created without what it does not have. */
function statedIn({ podTemplate, expose, service, ...spec }: AppPlan): Json {
  const { paths, listener, ...asked } = expose ?? {};
  return {
    ...spec,
    ...(podTemplate && { podTemplate }),
    ...(service && { service: omitNull(service) }),
    ...(expose && { expose: { ...asked, ...(paths && { paths }), ...(listener && { listener }) } }),
  };
}

interface Scaled {
  readonly spec?: { readonly replicas?: number };
}

function kindOf(kind: 'Deployment' | 'Service'): ServedKind {
  return kind === 'Deployment' ? DEPLOYMENTS : SERVICES;
}

function restartPatch(token: string): Json {
  const annotations = { 'kubectl.kubernetes.io/restartedAt': token };
  return { spec: { template: { metadata: { annotations } } } };
}
