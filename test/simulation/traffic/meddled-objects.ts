import { isAttached } from '../attaching/served.ts';
import type { Change } from './resources.ts';

/** Objects of which others have changed something in AWS that is not repaired yet. */
export class MeddledObjects {
  readonly #owners = new Set<string>();
  /** What is attached is no part of a spec, so nobody tells when it is repaired. */
  readonly #forGood = new Set<string>();

  add(owner: string, changes: readonly Change[]): void {
    const all = changes.flatMap(({ before, after }) => [before ?? [], after ?? []].flat());
    this.#owners.add(owner);
    if (all.some(isAttached)) this.#forGood.add(owner);
  }

  has(owner: string): boolean {
    return this.#owners.has(owner);
  }

  /** Call after each change by the operator. */
  review(isRepaired: (owner: string) => boolean): void {
    for (const owner of this.#owners) {
      if (!this.#forGood.has(owner) && isRepaired(owner)) this.#owners.delete(owner);
    }
  }

  /** Nothing is left of the object, or of the one that had its name before. */
  delete(owner: string): void {
    this.#owners.delete(owner);
    this.#forGood.delete(owner);
  }
}
