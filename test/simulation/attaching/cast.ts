import type { MyIngress } from '../../../src/apis/my-ingress.ts';
import type { WebApp } from '../../../src/apis/web-app.ts';
import { NAMESPACES } from '../api-model/api-server-model.ts';
import type { Commit } from '../api-model/object-table.ts';
import { MY_INGRESSES } from '../my-ingress/kind.ts';
import { definedKind } from '../served-definition.ts';
import type { ServiceCast } from '../services/cast.ts';
import type { Claims } from '../traffic/claims.ts';
import { type Change, takePicture } from '../traffic/resources.ts';
import { type Cast, isOperator, type Stage } from '../world/stage.ts';
import type { AttachAction } from './actions.ts';
import { checkFinalAttached } from './final-check.ts';
import { HoldWatch } from './hold-watch.ts';

const WEB_APPS = definedKind('WebApp');

export interface AttachCastOptions {
  readonly services: ServiceCast;
  readonly claims: Claims;
  /** False: no object of this world ever attaches. */
  readonly isAbout: boolean;
}

/** WebApps that share a MyIngress: whose host and path is served, and what everybody is told. */
export class AttachCast implements Cast<AttachAction> {
  readonly #stage: Stage;
  readonly #options: AttachCastOptions;
  readonly #holds: HoldWatch;

  constructor(stage: Stage, options: AttachCastOptions) {
    this.#stage = stage;
    this.#options = options;
    this.#holds = new HoldWatch(stage, options.claims);
  }

  perform(action: AttachAction): void {
    switch (action.do) {
      case 'label':
        return this.#label(action.namespace, action.team);
      case 'pods':
        return this.#options.services.startPods(action.at, action.pods);
      default:
        return action satisfies never;
    }
  }

  onCommit({ kind, object, by }: Commit): void {
    if (!this.#options.isAbout) return;
    if (kind !== WEB_APPS && kind !== MY_INGRESSES && kind !== NAMESPACES) return;
    this.#holds.refresh();
    if (kind !== MY_INGRESSES || !isOperator(by)) return;
    const ingress = object as unknown as MyIngress;
    this.#holds.recorded(ingress, takePicture(this.#stage.aws.world));
  }

  /** Call after each write of the operator to AWS that has changed something. */
  changed(changes: readonly Change[]): void {
    if (this.#options.isAbout) this.#holds.judge(changes, takePicture(this.#stage.aws.world));
  }

  heal(): void {}

  checkFinal(): void {
    if (!this.#options.isAbout) return;
    const { aws, model, report } = this.#stage;
    const { table } = model;
    checkFinalAttached({
      ...{ table, report, claims: this.#options.claims },
      endpoints: this.#options.services.history,
      picture: takePicture(aws.world),
      ingresses: table.list(MY_INGRESSES) as unknown as readonly MyIngress[],
      apps: table.list(WEB_APPS) as unknown as readonly WebApp[],
      holderOf: (ingress, claim) => this.#holds.holderOf(ingress, claim),
      mayHold: (ingress, source, claim) => this.#holds.mayHold(ingress, source, claim),
    });
  }

  #label(namespace: string, team: string | null): void {
    const { table } = this.#stage.model;
    const live = table.get(NAMESPACES, `/${namespace}`);
    if (live === undefined) return;
    const { team: _before, ...labels } = live.metadata.labels ?? {};
    const metadata = { ...live.metadata, labels: { ...labels, ...(team !== null && { team }) } };
    table.put(NAMESPACES, { ...live, metadata }, 'user');
  }
}
