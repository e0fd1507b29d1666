import type { MyIngress } from '../../../src/apis/my-ingress.ts';
import type { Commit } from '../api-model/object-table.ts';
import type { Report } from '../violation.ts';
import type { AwsCallSeen } from '../world/aws-network.ts';
import { NEIGHBOUR } from './stories.ts';

export interface FairTurnParts {
  readonly nowMs: () => number;
  readonly report: Report;
  /** Where a fault may delay a create, or nothing limits the calls, nothing is promised. */
  readonly isKept: boolean;
}

/** A turn of each of the three namespaces at one create in 5 s, and the time of a pass. */
const LONGEST_WAIT_MS = 20_000;

/** The create of a namespace with one object does not wait for those of a namespace with many. */
export class FairTurns {
  readonly #parts: FairTurnParts;
  #postedMs: number | undefined;

  constructor(parts: FairTurnParts) {
    this.#parts = parts;
  }

  onCommit({ type, object }: Commit): void {
    const { namespace, name } = (object as unknown as MyIngress).metadata;
    if (type === 'ADDED' && `${namespace}/${name}` === NEIGHBOUR)
      this.#postedMs = this.#parts.nowMs();
  }

  sent({ operation, input }: AwsCallSeen): void {
    const { isKept, nowMs, report } = this.#parts;
    if (!isKept || operation !== 'CreateLoadBalancer' || this.#postedMs === undefined) return;
    const [namespace] = NEIGHBOUR.split('/');
    const { Tags = [] } = input as { readonly Tags?: readonly { readonly Value: string }[] };
    if (Tags.every(({ Value }) => Value !== namespace)) return;
    const waitedMs = nowMs() - this.#postedMs;
    this.#postedMs = undefined;
    if (waitedMs <= LONGEST_WAIT_MS) return;
    report('fair-turns', `${NEIGHBOUR} waited ${waitedMs / 1000} s behind another namespace`);
  }
}
