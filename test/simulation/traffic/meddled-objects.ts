import { isAttached } from '../attaching/served.ts';
import type { Change, Picture, Resource } from './resources.ts';

/** Objects of which others have changed something in AWS that is not repaired yet. */
export class MeddledObjects {
  readonly #owners = new Set<string>();
  /** Where others have moved rules, by ARN: one that stands in their order is no fault until another rule comes. */
  readonly #moved = new Map<string, ReadonlyMap<string, Resource>>();
  /** What is attached is no part of a spec, so nobody tells when it is repaired. */
  readonly #forGood = new Set<string>();

  add(owner: string, changes: readonly Change[]): void {
    const all = changes.flatMap(({ before, after }) => [before ?? [], after ?? []].flat());
    this.#owners.add(owner);
    const moved = changes.flatMap(({ before, after }) => (isMoved(before, after) ? [after] : []));
    const known = [
      ...(this.#moved.get(owner) ?? []),
      ...moved.map((one) => [one.key, one] as const),
    ];
    this.#moved.set(owner, new Map(known));
    if (all.some(isAttached)) this.#forGood.add(owner);
  }

  has(owner: string): boolean {
    return this.#owners.has(owner);
  }

  /** Call after each change by the operator. */
  review(picture: Picture, isRepaired: (owner: string) => boolean): void {
    for (const owner of this.#owners) {
      const moved = [...(this.#moved.get(owner)?.values() ?? [])];
      const isMeddled = moved.some((one) => isThere(one, picture));
      if (!isMeddled && !this.#forGood.has(owner) && isRepaired(owner)) this.delete(owner);
    }
  }

  /** Nothing is left of the object, or of the one that had its name before. */
  delete(owner: string): void {
    this.#owners.delete(owner);
    this.#moved.delete(owner);
    this.#forGood.delete(owner);
  }
}

function isMoved(before: Resource | undefined, after: Resource | undefined): after is Resource {
  const isRule = before?.kind === 'rule' && after?.kind === 'rule';
  return isRule && before.record.priority !== after.record.priority;
}

function isThere(moved: Resource, picture: Picture): boolean {
  return !isMoved(moved, picture.get(moved.key)) && picture.has(moved.key);
}
