import { addTo, removeFrom } from '../../core/objects/collections.ts';
import { type Key, splitKey } from '../../core/objects/kube-object.ts';
import type { Group } from './group.ts';

/** Finds the published groups by their object, by their Service, and by its namespace. */
export class GroupIndex {
  readonly #byOwner = new Map<Key, readonly Group[]>();
  readonly #byService = new Map<Key, Set<Group>>();
  readonly #byNamespace = new Map<string, Set<Group>>();

  get owners(): readonly Key[] {
    return [...this.#byOwner.keys()];
  }

  /** In the order in which they were published. */
  listOfOwner(owner: Key): readonly Group[] {
    return this.#byOwner.get(owner) ?? [];
  }

  listOfService(service: Key): readonly Group[] {
    return [...(this.#byService.get(service) ?? [])];
  }

  /** The namespace is that of their Services. */
  listOfNamespace(namespace: string): readonly Group[] {
    return [...(this.#byNamespace.get(namespace) ?? [])];
  }

  /** Call it before a group gets another Service. */
  remove(owner: Key): void {
    for (const group of this.listOfOwner(owner)) {
      removeFrom(this.#byService, group.serviceKey, group);
      removeFrom(this.#byNamespace, getNamespace(group), group);
    }
    this.#byOwner.delete(owner);
  }

  add(owner: Key, groups: readonly Group[]): void {
    for (const group of groups) {
      addTo(this.#byService, group.serviceKey, group);
      addTo(this.#byNamespace, getNamespace(group), group);
    }
    if (groups.length > 0) this.#byOwner.set(owner, groups);
  }
}

/** Of the group's Service. */
export function getNamespace({ serviceKey }: Pick<Group, 'serviceKey'>): string {
  return splitKey(serviceKey).namespace;
}
