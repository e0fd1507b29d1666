import type { Commit } from '../api-model/object-table.ts';
import { deleteObject } from '../api-model/object-writes.ts';
import type { ServedKind } from '../api-model/stored-object.ts';
import type { Stage } from './stage.ts';

const LEAST_MS = 100;
const SPREAD_MS = 2000;

/**
 * Children go after their owner, and so do those whose owner was gone when they came:
 * https://kubernetes.io/docs/concepts/architecture/garbage-collection/#owners-dependents
 */
export class GarbageCollector {
  readonly #stage: Stage;
  readonly #owners: readonly ServedKind[];
  readonly #children: readonly ServedKind[];

  constructor(
    stage: Stage,
    kinds: { readonly owners: readonly ServedKind[]; readonly children: readonly ServedKind[] },
  ) {
    this.#stage = stage;
    this.#owners = kinds.owners;
    this.#children = kinds.children;
  }

  onCommit({ kind, type }: Commit): void {
    const isLoss = type === 'DELETED' && this.#owners.includes(kind);
    const isChild = type === 'ADDED' && this.#children.includes(kind);
    if (!isLoss && !isChild) return;
    const { clock } = this.#stage;
    clock.setTimer(LEAST_MS + SPREAD_MS * clock.random(), () => this.#collect());
  }

  #collect(): void {
    const { table } = this.#stage.model;
    const living = new Set(
      this.#owners.flatMap((kind) => table.list(kind).map(({ metadata }) => metadata.uid)),
    );
    for (const kind of this.#children) {
      for (const child of table.list(kind)) {
        const owners = child.metadata.ownerReferences ?? [];
        const isLeft = owners.length > 0 && owners.every(({ uid }) => !living.has(uid));
        if (isLeft) this.#delete(kind, child);
      }
    }
  }

  #delete(kind: ServedKind, child: Parameters<typeof deleteObject>[1]): void {
    const { model, clock } = this.#stage;
    const context = { kind, by: 'garbage-collector', manager: 'gc', part: 'main' } as const;
    const parts = { table: model.table, clock, random: () => 0 };
    deleteObject(parts, child, { options: {}, context });
  }
}
