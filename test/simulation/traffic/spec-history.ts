import type { MyIngress, MyIngressSpec } from '../../../src/apis/my-ingress.ts';
import { isPaused } from '../../../src/core/objects/annotations.ts';
import type { Condition } from '../../../src/core/objects/conditions.ts';
import { isBeingDeleted } from '../../../src/core/objects/kube-object.ts';
import { sourceOf } from '../attaching/served.ts';
import type { ServiceRef } from '../services/endpoint-history.ts';
import { desiresResource } from './desires.ts';
import { backendIn, type Resource, resourceIdOf } from './resources.ts';

interface KnownSpec {
  readonly uid: string;
  readonly generation: number;
  readonly spec: MyIngressSpec;
  readonly fromMs: number;
  untilMs: number;
  /** No pass was to carry it out: the object has been paused since it was edited so. */
  isUnseen: boolean;
}

interface Before {
  readonly backMs: number;
  readonly before?: KnownSpec;
}

/** A pass over the spec before may last as long. */
const UNSEEN_MS = 5_000;

/** The specs of every object of a name, as they are and as they were. */
export class SpecHistory {
  readonly #nowMs: () => number;
  readonly #specs = new Map<string, KnownSpec[]>();
  /** Generations, by object. */
  readonly #applied = new Map<string, number>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /**
   * True for a spec that was not known. While an object is paused the spec of before is in force as well, and then, while
   * its balancer is somebody else's, and while it is being deleted, those since the last one that was applied: its
   * targets follow what was published.
   */
  note(object: MyIngress): boolean {
    const { metadata, spec } = object;
    const key = `${metadata.namespace}/${metadata.name}`;
    const known = this.#specs.get(key) ?? [];
    this.#specs.set(key, known);
    const { uid, generation } = metadata;
    const nowMs = this.#nowMs();
    const isNew = known.every((one) => one.uid !== uid || one.generation !== generation);
    if (isNew) {
      const untilMs = Number.POSITIVE_INFINITY;
      known.push({ uid, generation, spec, fromMs: nowMs, untilMs, isUnseen: true });
    }
    noteSeen(known.at(-1), object);
    if (isApplied(object)) this.#applied.set(key, generation);
    const isFrozen = isPaused(object) || hasConflict(object) || isBeingDeleted(object);
    for (const one of known.slice(0, -1)) {
      if (isFrozen && this.#isUnderWay(key, one, object)) one.untilMs = Number.POSITIVE_INFINITY;
      else if (!isPaused(object)) one.untilMs = Math.min(one.untilMs, nowMs);
    }
    return isNew;
  }

  #isUnderWay(key: string, { uid, generation }: KnownSpec, { metadata }: MyIngress): boolean {
    return uid === metadata.uid && generation >= (this.#applied.get(key) ?? 0);
  }

  of(key: string, uid: string, generation: number): MyIngressSpec | undefined {
    return this.#specs.get(key)?.find((one) => one.uid === uid && one.generation === generation)
      ?.spec;
  }

  /** Those that were in force at any time of the last `backMs`. */
  recent(key: string, backMs: number): readonly MyIngressSpec[] {
    return this.#listRecent(key, backMs).map(({ spec }) => spec);
  }

  /** Whether the newest spec has been in force for less than this. */
  isNewer(key: string, thanMs: number): boolean {
    const newest = this.#specs.get(key)?.at(-1);
    return newest !== undefined && newest.fromMs > this.#nowMs() - thanMs;
  }

  /**
   * Services that the backend of this group has had lately; undefined for a spec that has no such backend. Where all
   * are without it, the last one that it had as well, and of one that is paused there, although a newer spec has it:
   * its group is followed until it is deleted. A group that another
   * one replaces keeps the Service that it had; an object restored without its status knows that one no more.
   */
  recentServices(
    key: string,
    group: Resource,
    backMs: number,
  ): readonly (ServiceRef | undefined)[] {
    const attached = findAttachedService(group);
    if (attached !== undefined) return [attached];
    const backend = backendIn(resourceIdOf(group));
    const services = this.#listRecent(key, backMs).flatMap(
      (one): readonly (ServiceRef | undefined)[] => {
        const service = findService(key, one.spec, backend);
        if (service === undefined && this.#isHeld(key, one)) {
          return [service, ...this.#listFollowed(key, group, { backMs, before: one })];
        }
        if (service === undefined || desiresResource(one.spec, group)) return [service];
        const last = this.#listLastServices(key, group, { backMs, before: one });
        return this.#wasDesiredBy(key, group, one.uid) ? last : [...last, service];
      },
    );
    if (services.some((service) => service !== undefined)) return services;
    return [...services, ...this.#listFollowed(key, group, { backMs })];
  }

  /**
   * What a group had last before a spec of the last `backMs` that has no such backend, where it is in use since before
   * that one: its rule goes later.
   */
  servicesBefore(
    key: string,
    group: Resource,
    { backMs, usedSinceMs }: { readonly backMs: number; readonly usedSinceMs: number },
  ): readonly ServiceRef[] {
    const backend = backendIn(resourceIdOf(group));
    const without = this.#listRecent(key, backMs).filter(
      ({ fromMs, spec }) => fromMs >= usedSinceMs && findService(key, spec, backend) === undefined,
    );
    return without.flatMap((before) => {
      return this.#listFollowed(key, group, { backMs, before });
    });
  }

  /** Those of a backend in the specs of the last `backMs`, with whatever settings. */
  backendServices(key: string, backend: string, backMs: number): readonly ServiceRef[] {
    return this.recent(key, backMs).flatMap((spec) => findService(key, spec, backend) ?? []);
  }

  #listRecent(key: string, backMs: number): readonly KnownSpec[] {
    const oldestMs = this.#nowMs() - backMs;
    return (this.#specs.get(key) ?? []).filter(({ untilMs }) => untilMs >= oldestMs);
  }

  /** There is a newer one, which is not applied yet. */
  #isHeld(key: string, one: KnownSpec): boolean {
    return one.untilMs === Number.POSITIVE_INFINITY && one !== this.#specs.get(key)?.at(-1);
  }

  #wasDesiredBy(key: string, group: Resource, uid: string): boolean {
    const known = this.#specs.get(key) ?? [];
    return known.some((one) => one.uid === uid && desiresResource(one.spec, group));
  }

  /** Of the last specs that desired this very group. */
  #listLastServices(key: string, group: Resource, before: Before): readonly ServiceRef[] {
    return listServices(key, group, this.#listLast(key, group, before));
  }

  /** Of the last one of them, and of those before which no pass need have seen it. */
  #listFollowed(key: string, group: Resource, before: Before): readonly ServiceRef[] {
    const last = this.#listLast(key, group, before).toReversed();
    const seen = last.findIndex(({ fromMs, untilMs, isUnseen }) => {
      return !isUnseen && untilMs - fromMs >= UNSEEN_MS;
    });
    return listServices(key, group, seen === -1 ? last : last.slice(0, seen + 1));
  }

  #listLast(key: string, group: Resource, { backMs, before }: Before): readonly KnownSpec[] {
    const known = this.#specs.get(key) ?? [];
    const earlier = before ? known.slice(0, known.indexOf(before)) : known;
    const desiring = earlier.filter(({ spec }) => desiresResource(spec, group));
    const endMs = desiring.at(-1)?.untilMs ?? 0;
    return desiring.filter(({ untilMs }) => untilMs >= endMs - backMs);
  }

  /** Keys of tags that a spec of any object of this name has had. */
  tagKeys(key: string): ReadonlySet<string> {
    const known = this.#specs.get(key) ?? [];
    return new Set(known.flatMap(({ spec }) => Object.keys(spec.tags ?? {})));
  }
}

function noteSeen(newest: KnownSpec | undefined, object: MyIngress): void {
  if (newest !== undefined && !isPaused(object)) newest.isUnseen = false;
}

/** A WebApp attaches its own Service. */
function findAttachedService(group: Resource): ServiceRef | undefined {
  const [, namespace, name] = sourceOf(group)?.split('/') ?? [];
  if (namespace === undefined || name === undefined) return undefined;
  return { namespace, name, port: 'http' };
}

/** That these specs have for the backend of the group. */
function listServices(
  key: string,
  group: Resource,
  specs: readonly KnownSpec[],
): readonly ServiceRef[] {
  const backend = backendIn(resourceIdOf(group));
  return specs.flatMap(({ spec }) => findService(key, spec, backend) ?? []);
}

function findService(
  key: string,
  { backends }: MyIngressSpec,
  backend: string,
): ServiceRef | undefined {
  const [namespace = ''] = key.split('/');
  const service = backends?.find(({ name }) => name === backend)?.service;
  return service && { namespace, name: service.name, port: service.port };
}

function isApplied(object: MyIngress): boolean {
  const { status, observedGeneration } = findReady(object) ?? {};
  return status === 'True' && observedGeneration === object.metadata.generation;
}

/** Nothing of a newer spec is applied to the balancer, if there is one. */
const CONFLICTS: readonly (string | undefined)[] = [
  'NameConflict',
  'AdoptionRefused',
  'RecreationRefused',
];

function hasConflict(object: MyIngress): boolean {
  return CONFLICTS.includes(findReady(object)?.reason);
}

function findReady({ status }: MyIngress): Condition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}
