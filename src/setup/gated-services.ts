import type { Key } from '../core/objects/kube-object.ts';

/** Services by name; `follow` calls `onChange` with each that begins or ceases to be among them. */
export interface ChangingServices {
  /** Undefined: not known. */
  has(service: Key): boolean | undefined;
  follow(onChange: (service: Key) => void): () => void;
}

export interface GateFollower {
  readonly onKnown: () => void;
  readonly onChange: (service: Key) => void;
}

/**
 * The Services whose pods get the readiness gate: MyIngress knows them, WebApp asks. They are not known
 * before the controller of MyIngress works, since it opens the gates: neither is a gate given while
 * nobody opens it, nor taken on the word of a cache that is not filled. Those that attach by labels of namespaces are
 * not known before these are read.
 */
export class GatedServices {
  #services: ChangingServices | undefined;
  #follower: GateFollower | undefined;
  #stop: (() => void) | undefined;

  provide(services: ChangingServices): void {
    this.#services = services;
    this.#connect();
  }

  /** For one follower, which asks from then on. */
  follow(follower: GateFollower): () => void {
    this.#follower = follower;
    this.#connect();
    return () => {
      this.#follower = undefined;
      this.#stop?.();
      this.#stop = undefined;
    };
  }

  /** Undefined: not known yet. */
  has(service: Key): boolean | undefined {
    return this.#stop && this.#services?.has(service);
  }

  #connect(): void {
    if (this.#services === undefined || this.#follower === undefined) return;
    const { onKnown, onChange } = this.#follower;
    this.#stop = this.#services.follow(onChange);
    onKnown();
  }
}
