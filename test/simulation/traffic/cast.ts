import {
  loadBalancerFinalizer,
  type MyIngress,
  type MyIngressSpec,
} from '../../../src/apis/my-ingress.ts';
import { isWrite } from '../../../src/aws/client/operations.ts';
import { ENDPOINT_SLICES, NODES, PODS } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import type { Balancer } from '../my-ingress/account.ts';
import { MY_INGRESSES } from '../my-ingress/kind.ts';
import type { ServiceCast } from '../services/cast.ts';
import type { EndpointHistory } from '../services/endpoint-history.ts';
import type { AwsCallSeen } from '../world/aws-network.ts';
import { isGoing } from '../world/pod-facts.ts';
import { type Cast, findUnseenMs, isOperator, type Stage } from '../world/stage.ts';
import type { TrafficAction } from './actions.ts';
import { AnswerWatch } from './answer-watch.ts';
import { listKeys, TrafficInvariants } from './aws-invariants.ts';
import { Claims } from './claims.ts';
import { PASS_MS } from './course.ts';
import { desiresResource, hasManagedGroup } from './desires.ts';
import { hasEmptySuccessor, isExcused, listTakenPorts } from './excuses.ts';
import { checkOrphans } from './final-check.ts';
import { GateWatch } from './gate-watch.ts';
import { GroupUsage } from './group-usage.ts';
import { HealthChecks } from './health-checks.ts';
import { LostFinalizers } from './lost-finalizers.ts';
import { MeddledObjects } from './meddled-objects.ts';
import { Outsider } from './outsider.ts';
import { RequestWatch } from './request-watch.ts';
import {
  type Change,
  diffPictures,
  ownerByTags,
  type Picture,
  type Resource,
  takePicture,
} from './resources.ts';
import { RoutingWatch } from './routing-watch.ts';
import { SpecHistory } from './spec-history.ts';
import {
  type FaultOptions,
  listRoutingFaults,
  listTargetFaults,
  listTrafficFaults,
} from './structure.ts';
import {
  CALM_MS,
  FREE_MS,
  HELD_MS,
  type Surroundings,
  TargetInvariants,
} from './target-invariants.ts';
import { listUntoldHealth } from './told-health.ts';

export interface TrafficCastOptions {
  readonly services: ServiceCast;
  readonly surroundings: Surroundings;
}

/** Listeners, rules, target groups and security groups: outsiders, and the promises about them. */
export class TrafficCast implements Cast<TrafficAction> {
  readonly claims: Claims;
  readonly specs: SpecHistory;
  /** Call with what each write of the operator has changed. */
  onChanges: (changes: readonly Change[]) => void = () => {};
  readonly lostFinalizers: LostFinalizers;
  /** Objects that were removed in spite of their finalizer. */
  goneInSpite: ReadonlySet<string> = new Set();
  readonly #stage: Stage;
  readonly #outsider: Outsider;
  readonly #routing: RoutingWatch;
  readonly #invariants: TrafficInvariants;
  readonly #targets: TargetInvariants;
  readonly #health: HealthChecks;
  readonly #endpoints: EndpointHistory;
  readonly #usage: GroupUsage;
  readonly #answers: AnswerWatch;
  /** Of worlds with readiness gates. */
  readonly #gates?: GateWatch;
  readonly #requests?: RequestWatch;
  readonly #meddledWith = new MeddledObjects();
  /** Whether somebody else has changed anything in AWS. */
  hasMeddled = false;
  readonly #isFree: boolean;

  constructor(stage: Stage, { services, surroundings }: TrafficCastOptions) {
    const { aws, clock, cluster, report } = stage;
    const { world } = aws;
    const nowMs = (): number => clock.monotonicMs();
    const unseenMs = (): number => findUnseenMs(stage);
    const claims = new Claims(cluster, nowMs, unseenMs);
    const specs = new SpecHistory(nowMs);
    const object = (key: string): MyIngress | undefined => this.#object(key);
    this.#stage = stage;
    this.#isFree = surroundings.isFree;
    this.claims = claims;
    this.specs = specs;
    this.lostFinalizers = new LostFinalizers(stage);
    this.#outsider = this.#admitOutsider(claims);
    this.#routing = new RoutingWatch({
      ...{ world, claims, nowMs, report },
      isAsDesired: (key, spec) => {
        return listRoutingFaults(key, spec, { picture: takePicture(world), claims }).length === 0;
      },
      isAlone: (key) => specs.recent(key, PASS_MS).length <= 1,
    });
    this.#invariants = new TrafficInvariants({
      ...{ world, claims, specs, object, report, lostFinalizers: this.lostFinalizers },
      isGoneInSpite: (key) => this.goneInSpite.has(key),
      ...{ sweepMs: stage.settings.sweepMs, nowMs, unseenMs },
      unusedSinceMs: (arn) => this.#usage.unusedSinceMs(arn),
    });
    this.#endpoints = services.history;
    this.#usage = new GroupUsage(world, nowMs);
    this.#targets = this.#watchTargets(services, surroundings);
    this.#health = this.#followPods(services);
    this.#answers = this.#watchAnswers(services, surroundings);
    if (stage.settings.readinessGates !== true) return;
    this.#gates = new GateWatch({ stage, claims, surroundings });
    this.#requests = this.#watchRequests(surroundings);
  }

  #admitOutsider(claims: Claims): Outsider {
    const { aws, cluster, trace } = this.#stage;
    return new Outsider({ aws, cluster, claims, around: (act) => this.meddled(act), trace });
  }

  #watchTargets(services: ServiceCast, surroundings: Surroundings): TargetInvariants {
    const { aws, clock, isDisturbed, model, report } = this.#stage;
    return new TargetInvariants({
      ...{ world: aws.world, claims: this.claims, specs: this.specs, surroundings, report },
      ...{ endpoints: services.history, isDisturbed },
      nowMs: () => clock.monotonicMs(),
      isWanted: (owner, resource) => this.#isWanted(owner, resource),
      usedSinceMs: (arn) => this.#usage.usedSinceMs(arn),
      isGoing: (address) => model.table.list(PODS).some((pod) => isGoing(pod, address)),
      wasHealthy: (arn) => this.#health.wasHealthy(arn),
      isStaying: (address) => services.isStaying(address),
      findExchangedMs: (address) => services.findExchangedMs(address),
    });
  }

  #followPods(services: ServiceCast): HealthChecks {
    const { aws, clock } = this.#stage;
    services.onPodChange = () => {
      this.#health.changed();
      this.#judgeAnswers();
    };
    services.onPodEnd = (addresses) => this.#requests?.ended(addresses);
    return new HealthChecks({
      ...{ world: aws.world, clock, answers: (address) => services.isServing(address) },
      onChecked: () => this.#gates?.look(),
    });
  }

  #watchRequests({ isCalm }: Surroundings): RequestWatch {
    const { aws, clock, report } = this.#stage;
    return new RequestWatch({
      ...{ world: aws.world, claims: this.claims, report },
      nowMs: () => clock.monotonicMs(),
      isKept: (owner) => isCalm && this.#isFollowed(owner),
      wasDesired: (...args) => this.#targets.wasDesired(...args),
      desiresAny: (...args) => this.#targets.desiresAny(...args),
    });
  }

  #watchAnswers(services: ServiceCast, { isCalm }: Surroundings): AnswerWatch {
    const { aws, report } = this.#stage;
    return new AnswerWatch({
      ...{ world: aws.world, claims: this.claims, report },
      isKept: (owner) => isCalm && this.#isFollowed(owner),
      serviceAt: (address) => services.serviceAt(address),
      isOfBackend: (owner, group, service) => {
        return this.#targets.isOfBackend(owner, service, { group, backMs: HELD_MS });
      },
      wasDesired: (owner, target, group) => {
        return this.#targets.wasDesired(owner, target, { group, backMs: CALM_MS });
      },
    });
  }

  perform(action: TrafficAction): void {
    this.#outsider.perform(action);
  }

  onCommit(commit: Commit): void {
    this.#gates?.onCommit(commit);
    if (commit.kind === ENDPOINT_SLICES || commit.kind === NODES) this.#judgeEndpoints();
    if (commit.kind !== MY_INGRESSES) return;
    this.lostFinalizers.onCommit(commit);
    this.#noteCreated(commit);
    const object = commit.object as unknown as MyIngress;
    const key = keyOf(object);
    const isGone = commit.type === 'DELETED' || object.metadata.deletionTimestamp !== undefined;
    if (isGone) this.#routing.lost(key);
    if (isOperator(commit.by)) {
      this.#judgeFinalizer(object, commit.before);
      this.#invariants.noteRecord(object, () => takePicture(this.#stage.aws.world));
    }
    if (this.specs.note(object) && !isGone) this.#routing.edited(key, object.spec);
  }

  /** Runs what a call of the operator does to AWS, and judges it. */
  during<T>(call: AwsCallSeen, carryOut: () => T): T {
    if (!isWrite(call.operation)) return carryOut();
    const before = takePicture(this.#stage.aws.world);
    const result = carryOut();
    const after = takePicture(this.#stage.aws.world);
    const changes = diffPictures(before, after);
    const { outcome } = this.#stage.aws.control.calls().at(-1) ?? {};
    if (outcome === 'AccessDenied') this.#invariants.judgeDenial(call);
    if (outcome?.startsWith('TooMany') === true) this.#loseRoutes(call, before);
    // The zones of the balancer are in no picture, and a target outside them is not used.
    if (changes.length === 0) {
      if (call.operation === 'CreateTargetGroup') this.#loseSquatted(call);
      this.#gates?.look();
      return result;
    }
    this.#invariants.judge(call, changes, after);
    this.#targets.judge(changes);
    this.claims.note(changes, { isByOthers: false });
    this.#noteUse();
    this.#watchRouting(changes);
    this.#meddledWith.review((owner) => this.#isRepaired(owner, after));
    this.onChanges(changes);
    this.#health.changed();
    return result;
  }

  #noteMade(key: string): void {
    this.claims.madeByOthers.set(key, this.#stage.clock.monotonicMs());
  }

  /** Runs what somebody else does to AWS; from then on nothing holds of where requests go, until it is repaired. */
  meddled(act: () => void): void {
    this.hasMeddled = true;
    const before = takePicture(this.#stage.aws.world);
    act();
    const changes = diffPictures(before, takePicture(this.#stage.aws.world));
    for (const owner of this.#ownersIn(changes)) {
      this.#meddledWith.add(owner, changes);
      this.#routing.lost(owner);
    }
    for (const { before: was, after: now } of changes) {
      if (was === undefined && now !== undefined) this.#noteMade(now.key);
      const owner = was && this.claims.ownerOf(was);
      const isReleased = owner !== undefined && now && this.claims.ownerOf(now) === undefined;
      if (isReleased) this.claims.releasedByHand.set(now.key, owner);
    }
    this.claims.note(changes, { isByOthers: true });
    this.#noteUse();
    this.#health.changed();
  }

  heal(): void {
    this.#stage.aws.control.changeSettings({ limits: {} });
  }

  checkFinal(): void {
    const { aws, report } = this.#stage;
    const picture = takePicture(aws.world);
    const isThere = (key: string): boolean => this.#object(key) !== undefined;
    checkOrphans({ picture, claims: this.claims, isThere, report });
    this.#gates?.checkFinal();
  }

  /** Every way in which AWS is not what this spec of the object says, but for what is still to go. */
  listFaults(key: string, spec: MyIngressSpec, options: FaultOptions): readonly string[] {
    const picture = takePicture(this.#stage.aws.world);
    const isReordered = options.isSettled === false && this.#meddledWith.hasMoved(key, picture);
    const parts = { picture, claims: this.claims, isReordered };
    return listTrafficFaults(key, spec, { ...parts, ...options });
  }

  /** A managed group admits nobody unless the balancer has it. */
  listAttachmentFaults(object: MyIngress, { securityGroups }: Balancer): readonly string[] {
    const { namespace, name } = object.metadata;
    if (!hasManagedGroup(object.spec)) return [];
    const own = [...takePicture(this.#stage.aws.world).values()].filter((one) => {
      const isOwn = this.claims.ownerOf(one) === `${namespace}/${name}`;
      return isOwn && one.kind === 'securityGroup';
    });
    const isAttached = own.some(({ key }) => securityGroups.includes(key));
    return isAttached ? [] : [`security groups ${securityGroups.join()}, and none of its own`];
  }

  /** A backend that has had ready pods all the time and no target yet. */
  findUnfilled({ metadata }: MyIngress, spec: MyIngressSpec): string | undefined {
    const { namespace, name } = metadata;
    const unfilled = (spec.backends ?? []).find((backend) =>
      this.#targets.isUnfilled(`${namespace}/${name}`, backend.name, spec),
    );
    return unfilled && `backend ${unfilled.name} has ready pods and no target`;
  }

  /** Every backend whose targets are not the endpoints of its Service. */
  listTargetFaults(object: MyIngress): readonly string[] {
    const { world } = this.#stage.aws;
    const parts = { picture: takePicture(world), claims: this.claims };
    return [
      ...listTargetFaults(object, parts, this.#endpoints),
      ...listUntoldHealth(object, world),
    ];
  }

  /** Whether the object is right to wait for a successor that can have no target now. */
  hasEmptySuccessor(object: MyIngress): boolean {
    const picture = takePicture(this.#stage.aws.world);
    const parts = { picture, claims: this.claims };
    const areFilled = listTargetFaults(object, parts, this.#endpoints).length === 0;
    return areFilled && hasEmptySuccessor(parts, object);
  }

  /** Ports of the spec that a listener of somebody else has. */
  listTakenPorts(object: MyIngress): readonly number[] {
    const picture = takePicture(this.#stage.aws.world);
    return listTakenPorts({ picture, claims: this.claims }, object);
  }

  /** Whether somebody else has changed what this object has, and that is not repaired yet. */
  wasMeddledWith(key: string): boolean {
    return this.#meddledWith.has(key);
  }

  /** Whether it is true that this keeps the object from being what its spec says. */
  isExcused(object: MyIngress, reason: string): boolean {
    const { aws, cluster } = this.#stage;
    const picture = takePicture(aws.world);
    const balancers = aws.world.balancers.all();
    return isExcused({ picture, claims: this.claims, cluster, balancers }, object, reason);
  }

  /** Now, and once the operator should have followed. */
  #judgeEndpoints(): void {
    this.#targets.judgeEndpoints();
    if (!this.#isFree) return;
    this.#stage.clock.setTimer(FREE_MS + 1, () => this.#targets.judgeEndpoints());
  }

  /** Now, and once the address of a pod that is gone may be a target no more. */
  #judgeAnswers(): void {
    this.#answers.look();
    this.#stage.clock.setTimer(CALM_MS + 1, () => this.#answers.look());
  }

  #noteUse(): void {
    this.#answers.look();
    this.#usage.note();
    this.#requests?.changed();
    this.#gates?.look();
  }

  /** Nobody else has changed what it has, and it is to stay. */
  #isFollowed(owner: string): boolean {
    const object = this.#object(owner);
    const isLeaving = object === undefined || object.metadata.deletionTimestamp !== undefined;
    // Of one that was restored nothing is followed before its balancer is proved its own.
    const isProved = object?.status?.alb !== undefined;
    return !isLeaving && isProved && !this.#meddledWith.has(owner);
  }

  /** Of an object whose name had another one, with nothing of that left: nobody has changed it. */
  #noteCreated({ type, object }: Commit): void {
    if (type !== 'ADDED') return;
    const key = keyOf(object as unknown as MyIngress);
    const all = [...takePicture(this.#stage.aws.world).values()];
    if (all.every((one) => this.claims.ownerOf(one) !== key)) this.#meddledWith.delete(key);
  }

  #isRepaired(owner: string, picture: Picture): boolean {
    const object = this.#object(owner);
    if (object === undefined) return false;
    const parts = { picture, claims: this.claims };
    return (
      listTrafficFaults(owner, object.spec, parts).length === 0 &&
      listTargetFaults(object, parts, this.#endpoints).length === 0
    );
  }

  /** What AWS has no room for is missing while all else is carried out. */
  #loseRoutes({ input }: AwsCallSeen, picture: Picture): void {
    for (const key of listKeys(input)) {
      const resource = picture.get(key);
      const owner = resource && this.claims.ownerOf(resource);
      if (owner !== undefined) this.#routing.lost(owner);
    }
  }

  /** AWS answers with the equal group of another: what would forward to it is missing while all else is carried out. */
  #loseSquatted({ input }: AwsCallSeen): void {
    const { Tags = [] } = input as { readonly Tags?: readonly { Key: string; Value: string }[] };
    const tags = new Map(Tags.map(({ Key, Value }) => [Key, Value]));
    const owner = this.claims.ownerOf({ tags });
    if (owner !== undefined) this.#routing.lost(owner);
  }

  #watchRouting(changes: readonly Change[]): void {
    const { aws } = this.#stage;
    for (const owner of this.#ownersIn(changes)) {
      const object = this.#object(owner);
      if (object === undefined || object.metadata.deletionTimestamp !== undefined) continue;
      const arn = object.status.alb?.arn ?? '';
      const balancer = aws.world.balancers.byArn(arn);
      if (balancer !== undefined) this.#routing.changed(owner, { spec: object.spec, arn });
    }
  }

  /** Objects whose resources these are, and those on whose balancer they are. */
  #ownersIn(changes: readonly Change[]): ReadonlySet<string> {
    const { aws, cluster } = this.#stage;
    const owners = changes.flatMap(({ before, after }) =>
      [before, after].flatMap((one) => {
        if (one === undefined) return [];
        const balancer = aws.world.balancers.byArn(balancerOf(one));
        const holder = balancer && ownerByTags(balancer.tags, cluster);
        return [this.claims.ownerOf(one) ?? [], holder ?? []].flat();
      }),
    );
    return new Set(owners);
  }

  /** The finalizer stays while a group of ours exists; listeners and rules go with the balancer. */
  #judgeFinalizer(object: MyIngress, before: Commit['before']): void {
    const had = before?.metadata.finalizers?.includes(loadBalancerFinalizer) ?? false;
    if (!had || object.metadata.finalizers?.includes(loadBalancerFinalizer)) return;
    const all = [...takePicture(this.#stage.aws.world).values()];
    const left = all
      .filter(({ kind }) => kind === 'targetGroup' || kind === 'securityGroup')
      .filter((one) => this.claims.ownerOf(one) === keyOf(object));
    if (left.length === 0) return;
    const what = `${keyOf(object)} let go while ${left.map(({ key }) => key).join()} exist`;
    this.#stage.report('finalizer-until-absent', what);
  }

  #isWanted(key: string, resource: Resource): boolean {
    const object = this.#object(key);
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return false;
    return !this.#meddledWith.has(key) && desiresResource(object.spec, resource);
  }

  #object(key: string): MyIngress | undefined {
    return this.#stage.model.table.get(MY_INGRESSES, key) as unknown as MyIngress | undefined;
  }
}

function balancerOf(resource: Resource): string {
  const { kind, record } = resource;
  return kind === 'listener' || kind === 'rule' ? record.balancerArn : '';
}

function keyOf({ metadata }: MyIngress): string {
  return `${metadata.namespace}/${metadata.name}`;
}
