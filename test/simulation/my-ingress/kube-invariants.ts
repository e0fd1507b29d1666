import { isDeepStrictEqual } from 'node:util';
import {
  loadBalancerFinalizer,
  type MyIngress,
  type MyIngressSpec,
  ownershipTagKeys,
} from '../../../src/apis/my-ingress.ts';
import type { Commit } from '../api-model/object-table.ts';
import type { TrafficCast } from '../traffic/cast.ts';
import { listListeners } from '../traffic/spec-answers.ts';
import type { Report } from '../violation.ts';
import { isOperator } from '../world/stage.ts';
import { type Account, type Balancer, RECALLED_MS } from './account.ts';
import { differences } from './specs.ts';

export interface KubeInvariantParts {
  readonly account: Account;
  readonly traffic: TrafficCast;
  readonly nowMs: () => number;
  /** How old the object may be by which a process goes. */
  readonly unseenMs: () => number;
  /** Whether a fault took effect in this time: a scan may have failed. */
  readonly isDisturbed: (fromMs: number, toMs: number) => boolean;
  readonly provisioningMs: number;
  readonly report: Report;
}

interface KnownSpec {
  readonly spec: MyIngressSpec;
  /** When another took its place. */
  untilMs: number;
}

/** What must hold for every write to a MyIngress; see docs/reliability.md. */
export class KubeInvariants {
  readonly #parts: KubeInvariantParts;
  /** The specs of every object, by UID and generation. */
  readonly #specs = new Map<string, Map<number, KnownSpec>>();
  /** What others have taken off the record of each object, also with the object: tags, and when. */
  readonly #forgotten = new Map<string, Map<string, number>>();

  constructor(parts: KubeInvariantParts) {
    this.#parts = parts;
  }

  onCommit(commit: Commit): void {
    const object = commit.object as unknown as MyIngress;
    const before = commit.before as unknown as MyIngress | undefined;
    this.#know(object);
    if (before === undefined) return;
    if (!isOperator(commit.by)) return this.#noteForgotten(commit, before);
    this.#judgeOwnFields(object, before);
    this.#judgeFinalizer(object, before);
    this.#judgeReady(object, before);
    this.#judgeReason(object);
    this.#judgeLoss(object, before);
  }

  /** Of all specs that the object with this UID has had. */
  tagKeys(uid: string): ReadonlySet<string> {
    const known = [...(this.#specs.get(uid)?.values() ?? [])];
    return new Set(known.flatMap(({ spec }) => Object.keys(spec.tags ?? {})));
  }

  /** Those by which a process may still go. */
  recentPolicies(uid: string): ReadonlySet<string> {
    const { nowMs, unseenMs } = this.#parts;
    const oldestMs = nowMs() - unseenMs();
    const known = [...(this.#specs.get(uid)?.values() ?? [])];
    const recent = known.filter(({ untilMs }) => untilMs >= oldestMs);
    return new Set(recent.map(({ spec }) => spec.deletionPolicy ?? 'Delete'));
  }

  /** Keys of tags that others took off the record when a process may already have read it. */
  forgottenTags(key: string): ReadonlySet<string> {
    const { nowMs, unseenMs } = this.#parts;
    const oldestMs = nowMs() - unseenMs();
    const lately = [...(this.#forgotten.get(key) ?? [])].filter(([, atMs]) => atMs >= oldestMs);
    return new Set(lately.map(([tag]) => tag));
  }

  #noteForgotten({ type, object }: Commit, before: MyIngress): void {
    const key = keyOf(before);
    const forgotten = this.#forgotten.get(key) ?? new Map<string, number>();
    this.#forgotten.set(key, forgotten);
    const left = type === 'DELETED' ? [] : listRecorded(object as unknown as MyIngress);
    for (const tag of listRecorded(before)) {
      if (!left.includes(tag)) forgotten.set(tag, this.#parts.nowMs());
    }
  }

  #know({ metadata, spec }: MyIngress): void {
    const nowMs = this.#parts.nowMs();
    const known = this.#specs.get(metadata.uid) ?? new Map<number, KnownSpec>();
    this.#specs.set(metadata.uid, known);
    if (known.has(metadata.generation)) return;
    for (const one of known.values()) one.untilMs = Math.min(one.untilMs, nowMs);
    known.set(metadata.generation, { spec, untilMs: Number.POSITIVE_INFINITY });
  }

  /** Status and finalizer are the operator's; all else is the user's. */
  #judgeOwnFields(object: MyIngress, before: MyIngress): void {
    const others = ({ metadata, spec }: MyIngress): unknown => {
      const { labels, annotations, deletionTimestamp, generation } = metadata;
      const finalizers = (metadata.finalizers ?? []).filter(
        (name) => name !== loadBalancerFinalizer,
      );
      return { labels, annotations, deletionTimestamp, generation, finalizers, spec };
    };
    if (isDeepStrictEqual(others(object), others(before))) return;
    this.#parts.report(
      'only-own-fields',
      `the operator changed ${keyOf(object)} beyond its status`,
    );
  }

  #judgeFinalizer(object: MyIngress, before: MyIngress): void {
    const has = ({ metadata }: MyIngress): boolean =>
      metadata.finalizers?.includes(loadBalancerFinalizer) ?? false;
    if (!has(before) || has(object)) return;
    const { namespace, name } = object.metadata;
    const { account } = this.#parts;
    const all = account.of(namespace, name);
    const left = all.filter((balancer) => isKnownAsOurs(before, balancer));
    const released = all.filter((balancer) => !left.includes(balancer));
    for (const { arn } of released) account.releasedByHand.add(arn);
    if (left.length === 0) return;
    const names = left.map((balancer) => balancer.name).join();
    this.#parts.report('finalizer-until-absent', `${keyOf(object)} let go while ${names} exists`);
  }

  /** Judged when it becomes true, or true for another generation. */
  #judgeReady(object: MyIngress, before: MyIngress): void {
    const ready = readyOf(object);
    if (ready?.status !== 'True' || isDeepStrictEqual(ready, readyOf(before))) return;
    const spec = this.#specs.get(object.metadata.uid)?.get(ready.observedGeneration ?? -1)?.spec;
    const wasTrue = readyOf(before)?.status === 'True';
    const lacks = spec ? this.#whatLacks(object, { spec, wasTrue }) : 'no such generation';
    if (lacks === undefined) return;
    this.#parts.report('ready-is-true', `${keyOf(object)} is Ready: ${lacks}`);
  }

  /** AWS must have been so: its state lately where Ready was not True before, the rest since the sweep. */
  #whatLacks(
    object: MyIngress,
    { spec, wasTrue }: { readonly spec: MyIngressSpec; readonly wasTrue: boolean },
  ): string | undefined {
    const { account } = this.#parts;
    const arn = object.status.alb?.arn ?? '';
    const pictures = this.#listPictures(arn, spec);
    if (!this.#wasActive(arn, { spec, wasTrue })) return `${arn} is not active`;
    if (!pictures.some((one) => account.ownerOf(one) === keyOf(object))) return 'it is not its own';
    const meddled = account.meddledAttributes.get(arn) ?? new Set<string>();
    // Each difference by itself: while one is mended somebody may make another.
    const lacking = pictures.map((one) => new Set(differences(spec, one, meddled)));
    const fields = lacking.map((what) => new Set([...what].map(fieldOf)));
    const always = [...(fields[0] ?? [])].filter((field) => fields.every((all) => all.has(field)));
    if (always.length > 0) return [...(lacking.at(-1) ?? [])].join('; ');
    return this.#whatTrafficLacks(object, spec);
  }

  #wasActive(
    arn: string,
    { spec, wasTrue }: { readonly spec: MyIngressSpec; readonly wasTrue: boolean },
  ): boolean {
    const isScanned = wasTrue || mayRecall(spec);
    const states = isScanned ? this.#listPictures(arn, spec) : this.#parts.account.recent(arn);
    return states.some((one) => this.#isActive(one));
  }

  /** As AWS was at any time since the last scan; where scans may have failed, as long as a pass goes by one of before. */
  #listPictures(arn: string, spec: MyIngressSpec): readonly Balancer[] {
    const { account, isDisturbed, nowMs } = this.#parts;
    const isOlder = mayRecall(spec) && isDisturbed(nowMs() - RECALLED_MS, nowMs());
    return isOlder ? account.sinceRecalled(arn) : account.sinceSweep(arn);
  }

  /** What others have changed is found by the next scan, or by a later one. */
  #whatTrafficLacks(object: MyIngress, spec: MyIngressSpec): string | undefined {
    const { traffic } = this.#parts;
    if (traffic.wasMeddledWith(keyOf(object))) return undefined;
    const [fault] = traffic.listFaults(keyOf(object), spec, { isSettled: false });
    return fault ?? traffic.findUnfilled(object, spec);
  }

  #isActive({ arn, state }: Balancer): boolean {
    const { account, nowMs, provisioningMs } = this.#parts;
    if (state !== 'provisioning') return state === 'active';
    return account.bornMs(arn) + provisioningMs <= nowMs();
  }

  /** A balancer is on record as deleted only when it is. */
  #judgeLoss(object: MyIngress, before: MyIngress): void {
    const { arn, state } = object.status.alb ?? {};
    if (state !== 'deleted' || before.status.alb?.state === 'deleted') return;
    if (!this.#parts.account.balancers.some((one) => one.arn === arn)) return;
    this.#parts.report('lost-is-true', `${keyOf(object)} gave up ${arn}, which exists`);
  }

  /** Something other than an OperatorError was thrown. */
  #judgeReason({ status, metadata }: MyIngress): void {
    const bug = status.conditions?.find(({ reason }) => reason === 'InternalError');
    if (bug) this.#parts.report('no-internal-error', `${metadata.name}: ${bug.message}`);
  }
}

/** A pass over traffic goes by the balancer as the last scan had it: decision 0014. */
function mayRecall(spec: MyIngressSpec): boolean {
  return listListeners(spec).length > 0;
}

/** `tag team edited` is about `tag team`, `subnets ...` about `subnets`. */
function fieldOf(difference: string): string {
  const [what = '', key = ''] = difference.split(' ');
  return what === 'tag' || what === 'attribute' ? `${what} ${key}` : what;
}

function readyOf({
  status,
}: MyIngress): NonNullable<MyIngress['status']['conditions']>[number] | undefined {
  return status.conditions?.find(({ type }) => type === 'Ready');
}

/** Keys of the tags that are on record. */
function listRecorded({ status }: MyIngress): readonly string[] {
  return status?.applied?.tags ?? [];
}

function keyOf({ metadata }: MyIngress): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Without a record, and without the tag for the UID, nobody can tell that we made it. */
function isKnownAsOurs({ status }: MyIngress, { arn, tags }: Balancer): boolean {
  return tags[ownershipTagKeys.uid] !== undefined || status?.alb?.arn === arn;
}
