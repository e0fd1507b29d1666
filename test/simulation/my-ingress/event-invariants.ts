import { EVENTS } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import type { Report } from '../violation.ts';
import { isOperator } from '../world/stage.ts';

export interface EventInvariantParts {
  readonly report: Report;
  /** Whether anything but the operator and the specs of users can have changed AWS, or what is known of it. */
  readonly isTouched: () => boolean;
}

interface Told {
  readonly reason: string;
  readonly note: string;
  readonly regarding: { readonly kind: string };
}

/** `DriftRepaired` says that others have changed something. */
export class EventInvariants {
  readonly #parts: EventInvariantParts;

  constructor(parts: EventInvariantParts) {
    this.#parts = parts;
  }

  onCommit({ by, kind, object, type }: Commit): void {
    if (kind !== EVENTS || !isOperator(by) || type === 'DELETED') return;
    const { note, reason, regarding } = object as unknown as Told;
    if (regarding.kind !== 'MyIngress' || reason !== 'DriftRepaired') return;
    if (!this.#parts.isTouched()) this.#parts.report('drift-is-of-others', note);
  }
}
