import type { MyIngress } from '../../../src/apis/my-ingress.ts';
import type { Commit } from '../api-model/object-table.ts';
import type { TrafficCast } from '../traffic/cast.ts';
import type { AwsCallSeen } from '../world/aws-network.ts';
import { type Cast, findUnseenMs, type Stage } from '../world/stage.ts';
import { Account } from './account.ts';
import type { MyIngressAction } from './actions.ts';
import { Actor } from './actor.ts';
import { AwsInvariants } from './aws-invariants.ts';
import { EventInvariants } from './event-invariants.ts';
import { FairTurns } from './fair-turns.ts';
import { checkFinal } from './final-check.ts';
import { MY_INGRESSES } from './kind.ts';
import { KubeInvariants } from './kube-invariants.ts';

export interface MyIngressCastOptions {
  readonly isCalm: boolean;
  readonly traffic: TrafficCast;
}

/** MyIngress: users of the cluster, outsiders in the account, and the promises about balancers. */
export class MyIngressCast implements Cast<MyIngressAction> {
  readonly #stage: Stage;
  readonly #account: Account;
  readonly #traffic: TrafficCast;
  readonly #actor: Actor;
  readonly #kube: KubeInvariants;
  readonly #aws: AwsInvariants;
  readonly #events: EventInvariants;

  readonly #turns: FairTurns;

  constructor(stage: Stage, { isCalm, traffic }: MyIngressCastOptions) {
    const { clock, aws, cluster, settings, report } = stage;
    const nowMs = (): number => clock.monotonicMs();
    const unseenMs = (): number => findUnseenMs(stage);
    const account = new Account({ aws, nowMs, unseenMs, cluster, sweepMs: settings.sweepMs });
    this.#stage = stage;
    this.#account = account;
    this.#traffic = traffic;
    traffic.goneInSpite = account.goneInSpite;
    const around = (act: () => void): void => traffic.meddled(act);
    this.#actor = new Actor({ ...stage, account, isCalm, around });
    this.#turns = new FairTurns({ nowMs, report, isKept: isCalm && settings.budget === 'aws' });
    const { provisioningMs } = settings;
    const { isDisturbed } = stage;
    this.#kube = new KubeInvariants({
      ...{ account, traffic, nowMs, unseenMs, isDisturbed, report, provisioningMs },
    });
    this.#events = this.#watchEvents();
    this.#aws = new AwsInvariants({
      account,
      report,
      object: (key) => this.#object(key),
      lostFinalizers: traffic.lostFinalizers,
      forgottenTags: (key) => this.#kube.forgottenTags(key),
      recentPolicies: (uid) => this.#kube.recentPolicies(uid),
      tagKeys: (uid) => this.#kube.tagKeys(uid),
    });
  }

  #watchEvents(): EventInvariants {
    const { clock, isDisturbed, report } = this.#stage;
    return new EventInvariants({
      report,
      isTouched: () => this.#traffic.hasMeddled || isDisturbed(0, clock.monotonicMs()),
    });
  }

  perform(action: MyIngressAction): void {
    this.#actor.perform(action);
  }

  onEvent(commit: Commit): void {
    this.#events.onCommit(commit);
  }

  onCommit(commit: Commit): void {
    if (commit.kind !== MY_INGRESSES) return;
    this.#kube.onCommit(commit);
    this.#turns.onCommit(commit);
    const { spec, status } = commit.object as unknown as MyIngress;
    const isReady = status.conditions?.some((one) => one.type === 'Ready' && one.status === 'True');
    if (isReady && spec.adopt !== undefined) this.#stage.met('MyIngress adopted');
  }

  /** Runs what a call does to AWS, and judges it. */
  during<T>(call: AwsCallSeen, carryOut: () => T): T {
    this.#turns.sent(call);
    return this.#aws.during(call, () => this.#traffic.during(call, carryOut));
  }

  heal(): void {
    const { control } = this.#stage.aws;
    for (const { name } of this.#account.balancers) control.setState(name, undefined);
    this.#account.remember();
  }

  checkFinal(): void {
    const { aws, cluster, report, model } = this.#stage;
    const objects = model.table.list(MY_INGRESSES) as unknown as readonly MyIngress[];
    const { quota } = aws.control.settings();
    checkFinal({ account: this.#account, traffic: this.#traffic, objects, quota, cluster, report });
  }

  #object(key: string): MyIngress | undefined {
    return this.#stage.model.table.get(MY_INGRESSES, key) as unknown as MyIngress | undefined;
  }
}
