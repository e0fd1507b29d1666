import type { MyIngress, MyIngressSpec } from '../../../src/apis/my-ingress.ts';
import { isPaused } from '../../../src/core/objects/annotations.ts';
import type { ServiceRef } from '../services/endpoint-history.ts';

interface KnownSpec {
  readonly uid: string;
  readonly generation: number;
  readonly spec: MyIngressSpec;
  readonly fromMs: number;
  untilMs: number;
}

/** The specs of every object of a name, as they are and as they were. */
export class SpecHistory {
  readonly #nowMs: () => number;
  readonly #specs = new Map<string, KnownSpec[]>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** True for a spec that was not known. While an object is paused the spec of before is in force as well. */
  note(object: MyIngress): boolean {
    const { metadata, spec } = object;
    const key = `${metadata.namespace}/${metadata.name}`;
    const known = this.#specs.get(key) ?? [];
    this.#specs.set(key, known);
    const { uid, generation } = metadata;
    const nowMs = this.#nowMs();
    const isNew = known.every((one) => one.uid !== uid || one.generation !== generation);
    if (isNew) {
      known.push({ uid, generation, spec, fromMs: nowMs, untilMs: Number.POSITIVE_INFINITY });
    }
    for (const one of isPaused(object) ? [] : known.slice(0, -1)) {
      one.untilMs = Math.min(one.untilMs, nowMs);
    }
    return isNew;
  }

  of(key: string, uid: string, generation: number): MyIngressSpec | undefined {
    return this.#specs.get(key)?.find((one) => one.uid === uid && one.generation === generation)
      ?.spec;
  }

  /** Those that were in force at any time of the last `backMs`. */
  recent(key: string, backMs: number): readonly MyIngressSpec[] {
    const oldestMs = this.#nowMs() - backMs;
    const known = this.#specs.get(key) ?? [];
    return known.filter(({ untilMs }) => untilMs >= oldestMs).map(({ spec }) => spec);
  }

  /** Whether the newest spec has been in force for less than this. */
  isNewer(key: string, thanMs: number): boolean {
    const newest = this.#specs.get(key)?.at(-1);
    return newest !== undefined && newest.fromMs > this.#nowMs() - thanMs;
  }

  /** Services that a backend of this name has had lately; undefined for a spec that has no such backend. */
  recentServices(
    key: string,
    backend: string,
    backMs: number,
  ): readonly (ServiceRef | undefined)[] {
    const [namespace = ''] = key.split('/');
    return this.recent(key, backMs).map(({ backends }) => {
      const service = backends?.find(({ name }) => name === backend)?.service;
      return service && { namespace, name: service.name, port: service.port };
    });
  }

  /** Keys of tags that a spec of any object of this name has had. */
  tagKeys(key: string): ReadonlySet<string> {
    const known = this.#specs.get(key) ?? [];
    return new Set(known.flatMap(({ spec }) => Object.keys(spec.tags ?? {})));
  }
}
