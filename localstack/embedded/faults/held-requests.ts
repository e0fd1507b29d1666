import { BrokenAnswer } from '../http/broken-answer.ts';

interface Waiting {
  readonly operation: string;
  readonly proceed: () => void;
  readonly abandon: (reason: BrokenAnswer) => void;
}

/** Requests that wait for a release. */
export class HeldRequests {
  #waiting: Waiting[] = [];

  /** Resolves when released; rejects with BrokenAnswer when abandoned. */
  wait(operation: string): Promise<void> {
    return new Promise((proceed, abandon) => {
      this.#waiting.push({ operation, proceed, abandon });
    });
  }

  /** Operations of the waiting requests, in order of arrival. */
  list(): readonly string[] {
    return this.#waiting.map((waiting) => waiting.operation);
  }

  /** Lets go all, or those of one operation, in order of arrival. Returns how many. */
  release(operation?: string): number {
    const isMeant = (waiting: Waiting): boolean =>
      operation === undefined || waiting.operation === operation;
    const released = this.#waiting.filter(isMeant);
    this.#waiting = this.#waiting.filter((waiting) => !isMeant(waiting));
    for (const waiting of released) waiting.proceed();
    return released.length;
  }

  /** Breaks all off; none of them is applied. */
  abandonAll(): void {
    const abandoned = this.#waiting;
    this.#waiting = [];
    for (const { abandon } of abandoned) abandon(new BrokenAnswer('connectionLost', false));
  }
}
