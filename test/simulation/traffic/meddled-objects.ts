import { isAttached } from '../attaching/served.ts';
import type { Change, Picture } from './resources.ts';

type Priority = number | 'default';

interface Move {
  /** The priority that the operator gave it. */
  readonly from: Priority;
  readonly to: Priority;
}

/** Objects of which others have changed something in AWS that is not repaired yet. */
export class MeddledObjects {
  readonly #owners = new Set<string>();
  /** Rules that others have moved, by ARN: while they stand in the order of the spec nobody moves them back. */
  readonly #moved = new Map<string, Map<string, Move>>();
  /** What is attached is no part of a spec, so nobody tells when it is repaired. */
  readonly #forGood = new Set<string>();

  add(owner: string, changes: readonly Change[]): void {
    const all = changes.flatMap(({ before, after }) => [before ?? [], after ?? []].flat());
    this.#owners.add(owner);
    for (const change of changes) this.#noteMove(owner, change);
    if (all.some(isAttached)) this.#forGood.add(owner);
  }

  has(owner: string): boolean {
    return this.#owners.has(owner);
  }

  /** Whether a rule stands where others have put it: next to a new one it may stand in another order than the spec's. */
  hasMoved(owner: string, picture: Picture): boolean {
    const moves = [...(this.#moved.get(owner) ?? [])];
    return moves.some(([key, { to }]) => {
      const rule = picture.get(key);
      return rule?.kind === 'rule' && rule.record.priority === to;
    });
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
    this.#moved.delete(owner);
    this.#forGood.delete(owner);
  }

  #noteMove(owner: string, { before, after }: Change): void {
    if (before?.kind !== 'rule' || after?.kind !== 'rule') return;
    const to = after.record.priority;
    if (before.record.priority === to) return;
    const moves = this.#moved.get(owner) ?? new Map<string, Move>();
    this.#moved.set(owner, moves);
    const known = moves.get(after.key);
    const from = known?.to === before.record.priority ? known.from : before.record.priority;
    if (from === to) moves.delete(after.key);
    else moves.set(after.key, { from, to });
  }
}
