import type { Clock } from '../../../src/core/ports/clock.ts';
import { partsOf } from '../people.ts';
import type { ServiceKey } from './actions.ts';
import type { Addresses } from './addresses.ts';

/** One pod, as far as an EndpointSlice shows it. */
export interface Backend {
  readonly id: number;
  readonly address: string;
  /** Its containers are ready: it answers requests. */
  readonly isUp: boolean;
  readonly isGateOpen: boolean;
  /** Both of them. */
  readonly isReady: boolean;
  readonly isTerminating: boolean;
  /** By the selector of the Service; it may serve all the same. */
  readonly isSelected: boolean;
  /** When others came in its place (monotonic ms). */
  readonly exchangedMs?: number;
}

export interface PodSetParts {
  readonly clock: Clock;
  readonly addresses: Addresses;
  /** Its pods have a readiness gate, and a preStop hook that outlasts what AWS and the operator need. */
  readonly isGated: boolean;
  /** A pod has come, gone or changed. */
  readonly onChange: () => void;
  /** The selector gives the Service the pods of this version from now on. */
  readonly onExchange: (version: string) => void;
  /** Its process ends now. */
  readonly onEnd: (pod: Backend) => void;
}

/** Of each pod with a gate: as long as AWS and the operator may take until it gets no more requests. */
export const PRE_STOP_SECONDS = 28;
const START_MS = 500;
const START_SPREAD_MS = 3500;
/** preStop and the end of requests in flight. */
const END_MS = 2000;
const END_SPREAD_MS = 20_000;
/** From the end of a preStop hook to that of the process. */
const LAST_SPREAD_MS = 5000;

/** Of its object, where it has one. */
export function nameOfPod(at: ServiceKey, { id }: Pick<Backend, 'id'>): string {
  return `${partsOf(at).name}-${id}`;
}

/** The pods of one application: they start, get ready, end, and are replaced. */
export class PodSet {
  readonly #parts: PodSetParts;
  #pods: readonly Backend[] = [];
  #desired = 0;
  #started = 0;
  #isFailing = false;
  /** Pods that a rolling update has still to replace. */
  #outdated = new Set<number>();
  /** Ids of pods that are to take the place of the others once they are ready. */
  #coming: { readonly ids: ReadonlySet<number>; readonly staysMs: number } | undefined;

  constructor(parts: PodSetParts) {
    this.#parts = parts;
  }

  get pods(): readonly Backend[] {
    return this.#pods;
  }

  scale(desired: number): void {
    this.#desired = desired;
    this.#reconcile();
  }

  roll(): void {
    this.#outdated = new Set(this.#living().map(({ id }) => id));
    this.#reconcile();
  }

  recreate(): void {
    this.#outdated.clear();
    for (const { id } of this.#living()) this.#end(id);
    this.#reconcile();
  }

  /** Where pods have gates it is a rolling update: such a pod is not selected without a label of its own. */
  exchange(staysMs: number): void {
    if (this.#parts.isGated) return this.roll();
    if (this.#coming !== undefined) return;
    const ids = new Set(Array.from({ length: this.#desired }, () => this.#start(false)));
    this.#coming = { ids, staysMs };
  }

  setFailing(isFailing: boolean): void {
    this.#isFailing = isFailing;
    for (const { id } of this.#living()) this.#change(id, { isUp: !isFailing });
    this.#reconcile();
  }

  openGate(id: number): void {
    this.#change(id, { isGateOpen: true });
    this.#reconcile();
  }

  /** Starts what is missing, one more while pods are replaced, and ends what is too many. */
  #reconcile(): void {
    const outdated = this.#living().filter(({ id }) => this.#outdated.has(id));
    const surplus = outdated.length > 0 ? 1 : 0;
    for (let count = this.#living().length; count < this.#desired + surplus; count += 1) {
      this.#start();
    }
    const isReplaced = this.#living().filter(({ isReady }) => isReady).length > this.#desired;
    const [oldest] = outdated;
    if (oldest !== undefined && isReplaced) this.#end(oldest.id);
    const spare = this.#living().length - this.#desired - (outdated.length > 0 ? 1 : 0);
    for (const { id } of this.#living().slice(0, Math.max(0, spare))) this.#end(id);
  }

  #start(isSelected = true): number {
    const { clock, addresses } = this.#parts;
    const id = ++this.#started;
    const isGateOpen = !this.#parts.isGated;
    const state = { isUp: false, isGateOpen, isReady: false, isTerminating: false, isSelected };
    this.#set([...this.#pods, { id, address: addresses.take(), ...state }]);
    clock.setTimer(START_MS + START_SPREAD_MS * clock.random(), () => {
      this.#change(id, { isUp: !this.#isFailing });
      this.#exchange();
      this.#reconcile();
    });
    return id;
  }

  #exchange(): void {
    if (this.#coming === undefined) return;
    const { ids, staysMs } = this.#coming;
    const { clock } = this.#parts;
    if (!this.#pods.every(({ id, isReady }) => isReady || !ids.has(id))) return;
    const left = this.#living().map(({ id }) => id);
    const exchangedMs = clock.monotonicMs();
    this.#outdated.clear();
    this.#coming = undefined;
    this.#parts.onExchange(`v${this.#started}`);
    this.#set(
      this.#pods.map((pod) => {
        if (left.includes(pod.id)) return { ...pod, isSelected: false, exchangedMs };
        return ids.has(pod.id) ? { ...pod, isSelected: true } : pod;
      }),
    );
    clock.setTimer(staysMs, () => {
      for (const id of left) this.#end(id);
    });
  }

  /** It serves on until it is gone. */
  #end(id: number): void {
    const { clock, addresses, onEnd } = this.#parts;
    this.#outdated.delete(id);
    this.#change(id, { isTerminating: true });
    clock.setTimer(this.#drawEndMs(), () => {
      const pod = this.#pods.find((one) => one.id === id);
      if (pod === undefined) return;
      onEnd(pod);
      this.#set(this.#pods.filter((one) => one !== pod));
      addresses.free(pod.address);
      this.#reconcile();
    });
  }

  #drawEndMs(): number {
    const { clock, isGated } = this.#parts;
    if (isGated) return PRE_STOP_SECONDS * 1000 + LAST_SPREAD_MS * clock.random();
    return END_MS + END_SPREAD_MS * clock.random();
  }

  #living(): readonly Backend[] {
    return this.#pods.filter(({ isTerminating, isSelected }) => isSelected && !isTerminating);
  }

  #change(id: number, change: Partial<Backend>): void {
    this.#set(
      this.#pods.map((pod) => {
        if (pod.id !== id) return pod;
        const { isUp, isGateOpen, ...rest } = { ...pod, ...change };
        return { ...rest, isUp, isGateOpen, isReady: isUp && isGateOpen };
      }),
    );
  }

  #set(pods: readonly Backend[]): void {
    this.#pods = pods;
    this.#parts.onChange();
  }
}
