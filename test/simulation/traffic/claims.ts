import { ownershipTagKeys, resourceTagKey } from '../../../src/apis/my-ingress.ts';
import {
  isTargetGroupName,
  nameSecurityGroup,
} from '../../../src/controllers/my-ingress/graph/names.ts';
import { type ObjectKey, partsOf } from '../people.ts';
import { type Change, ownerByTags, type Resource, type TagMap } from './resources.ts';

/** A resource, or its record, which has a name if it is a target group or a security group. */
interface Claimed {
  readonly tags: TagMap;
  readonly name?: string;
  readonly record?: { readonly tags: TagMap; readonly name?: string };
}

interface Lost {
  readonly owner: string;
  readonly atMs: number;
  readonly isByOthers: boolean;
}

/** Whose resources are, by their tags now and lately. */
export class Claims {
  /** Resources that lost an ownership tag by somebody's hand, and whose they were. */
  readonly releasedByHand = new Map<string, string>();
  /** Resources that others made, with whatever tags, and when. */
  readonly madeByOthers = new Map<string, number>();
  readonly #cluster: string;
  readonly #nowMs: () => number;
  readonly #unseenMs: () => number;
  readonly #lost = new Map<string, Lost>();
  /** Keys of the tags that others have written last, by resource. */
  readonly #tagged = new Map<string, Set<string>>();

  /** `unseenMs`: how old the read may be on which a write is based. */
  constructor(cluster: string, nowMs: () => number, unseenMs: () => number) {
    this.#cluster = cluster;
    this.#nowMs = nowMs;
    this.#unseenMs = unseenMs;
  }

  /** Without the tag for the resource its tags are those of the balancer, which anybody may copy: then its name tells. */
  ownerOf({ tags, record, name = record?.name }: Claimed): string | undefined {
    const owner = ownerByTags(tags, this.#cluster);
    if (owner === undefined || tags.has(resourceTagKey)) return owner;
    return name !== undefined && this.#isNameOf(name, owner) ? owner : undefined;
  }

  /** Whether others made it after the read on which a write of now may be based. */
  wasJustMade(key: string): boolean {
    const madeMs = this.madeByOthers.get(key) ?? Number.NEGATIVE_INFINITY;
    return this.#nowMs() - madeMs <= this.#unseenMs();
  }

  /** Who may take over a listener by the consent of its owner. */
  heirOf({ kind, tags }: Resource): string | undefined {
    const { adopt, cluster, uid, namespace, name } = ownershipTagKeys;
    const isHeld = [uid, namespace, name].some((key) => tags.has(key));
    const isConsent = kind === 'listener' && tags.get(cluster) === this.#cluster && !isHeld;
    return isConsent ? tags.get(adopt) : undefined;
  }

  /** The one that it has, or had until lately: a read may be as old. */
  recentOwnerOf(resource: Resource, backMs = this.#unseenMs()): string | undefined {
    return this.ownerOf(resource) ?? this.lostBy(resource.key, backMs);
  }

  /** Who has lost it lately, by a tag or because it is gone. */
  lostBy(key: string, backMs = this.#unseenMs()): string | undefined {
    const lost = this.#lost.get(key);
    const isRecent = lost !== undefined && lost.atMs >= this.#nowMs() - backMs;
    return isRecent ? lost.owner : undefined;
  }

  #isNameOf(name: string, owner: string): boolean {
    const parts = partsOf(owner as ObjectKey);
    const securityGroup = nameSecurityGroup({ cluster: this.#cluster, ...parts });
    return name === securityGroup || isTargetGroupName(name, parts);
  }

  /** The same where others have taken it, however long ago. */
  lostToOthers(key: string): string | undefined {
    const lost = this.#lost.get(key);
    return lost?.isByOthers === true ? lost.owner : undefined;
  }

  /** Call after each change. */
  note(changes: readonly Change[], { isByOthers }: Pick<Lost, 'isByOthers'>): void {
    for (const { before, after } of changes) {
      if (isByOthers && after !== undefined) this.#noteTags(after, before);
      const owner = before === undefined ? undefined : this.ownerOf(before);
      const isKept = after !== undefined && this.ownerOf(after) === owner;
      if (before === undefined || owner === undefined || isKept) continue;
      this.#lost.set(before.key, { owner, atMs: this.#nowMs(), isByOthers });
    }
  }

  /** Whether others have written the tag, also over what a spec had for it. */
  isTagOfOthers(key: string, tag: string): boolean {
    return this.#tagged.get(key)?.has(tag) ?? false;
  }

  #noteTags({ key, tags }: Resource, before: Resource | undefined): void {
    const known = this.#tagged.get(key) ?? new Set<string>();
    this.#tagged.set(key, known);
    for (const [tag, value] of tags) if (before?.tags.get(tag) !== value) known.add(tag);
  }
}
