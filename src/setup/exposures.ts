import type { AttachState } from '../controllers/my-ingress/attaching/state.ts';

interface Ref {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The results of attaching to a MyIngress; `follow` calls `onChange` with each whose state has changed. */
export interface AttachStates {
  readonly known: Promise<void>;
  read(ref: Ref): AttachState | undefined;
  follow(onChange: (ref: Ref) => void): () => void;
}

/** The results of `spec.expose` of each WebApp: MyIngress knows it, WebApp asks. */
export class Exposures {
  #states: AttachStates | undefined;
  #onChange: ((ref: Ref) => void) | undefined;
  #stop: (() => void) | undefined;

  provide(states: AttachStates): void {
    this.#states = states;
    this.#connect();
  }

  /** For one follower, which asks from then on. */
  follow(onChange: (ref: Ref) => void): () => void {
    this.#onChange = onChange;
    this.#connect();
    return () => {
      this.#onChange = undefined;
      this.#stop?.();
    };
  }

  /** Not known before the controller of MyIngress works. */
  read(ref: Ref): AttachState {
    return this.#states?.read(ref) ?? { kind: 'unknown' };
  }

  #connect(): void {
    if (this.#states === undefined || this.#onChange === undefined) return;
    this.#stop = this.#states.follow(this.#onChange);
  }
}
