import { ownershipTagKeys } from '../../../src/apis/my-ingress.ts';
import { type Change, ownerByTags, type Resource } from './resources.ts';

/** Longer than any answer of AWS is old and any pass waits between its look and its write. */
const RECENT_MS = 30_000;

interface Lost {
  readonly owner: string;
  readonly atMs: number;
}

/** Whose resources are, by their tags now and lately. */
export class Claims {
  /** Resources that lost an ownership tag by somebody's hand, and whose they were. */
  readonly releasedByHand = new Map<string, string>();
  readonly #cluster: string;
  readonly #nowMs: () => number;
  readonly #lost = new Map<string, Lost>();

  constructor(cluster: string, nowMs: () => number) {
    this.#cluster = cluster;
    this.#nowMs = nowMs;
  }

  ownerOf({ tags }: Pick<Resource, 'tags'>): string | undefined {
    return ownerByTags(tags, this.#cluster);
  }

  /** Who may take over a listener by the consent of its owner. */
  heirOf({ kind, tags }: Resource): string | undefined {
    const { adopt, cluster, uid, namespace, name } = ownershipTagKeys;
    const isHeld = [uid, namespace, name].some((key) => tags.has(key));
    const isConsent = kind === 'listener' && tags.get(cluster) === this.#cluster && !isHeld;
    return isConsent ? tags.get(adopt) : undefined;
  }

  /** The one that it has, or had until lately: a read may be as old. */
  recentOwnerOf(resource: Resource, backMs = RECENT_MS): string | undefined {
    return this.ownerOf(resource) ?? this.lostBy(resource.key, backMs);
  }

  /** Who has lost it lately, by a tag or because it is gone. */
  lostBy(key: string, backMs = RECENT_MS): string | undefined {
    const lost = this.#lost.get(key);
    const isRecent = lost !== undefined && lost.atMs >= this.#nowMs() - backMs;
    return isRecent ? lost.owner : undefined;
  }

  /** Call after each change. */
  note(changes: readonly Change[]): void {
    for (const { before, after } of changes) {
      const owner = before === undefined ? undefined : this.ownerOf(before);
      const isKept = after !== undefined && this.ownerOf(after) === owner;
      if (before === undefined || owner === undefined || isKept) continue;
      this.#lost.set(before.key, { owner, atMs: this.#nowMs() });
    }
  }
}
