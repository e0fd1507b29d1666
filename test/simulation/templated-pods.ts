import { isDeepStrictEqual } from 'node:util';
import { PODS } from './api-model/kinds.ts';
import type { Commit } from './api-model/object-table.ts';
import { keyOfStored, type ServedKind, type StoredObject } from './api-model/stored-object.ts';
import { conditionsOf, controllerOf } from './owner-invariants.ts';
import { isOperator, type Stage } from './world/stage.ts';

interface Container {
  readonly name?: string;
  readonly image?: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

interface Template {
  readonly spec?: { readonly containers?: readonly Container[] };
}

interface Owner {
  readonly image?: string;
  readonly podTemplate?: Template;
}

interface Asked {
  readonly spec: Owner;
  readonly annotations: Readonly<Record<string, string>> | undefined;
}

/** A pod of an object whose `podTemplate` it does not have. */
export function listUntemplated(
  pod: StoredObject,
  template: Template | undefined,
): readonly string[] {
  const { containers = [] }: { readonly containers?: readonly Container[] } = pod['spec'] ?? {};
  const [own, ...others] = containers;
  const [desired, ...sidecars] = template?.spec?.containers ?? [];
  const isTemplated =
    isDeepStrictEqual(readMode(own), readMode(desired)) &&
    isDeepStrictEqual(others.map(readImage), sidecars.map(readImage));
  return isTemplated ? [] : [`${pod.metadata.name} does not have the fields of its template`];
}

function readMode(container: Container | undefined): string | undefined {
  return container?.env?.find(({ name }) => name === 'MODE')?.value;
}

function readImage({ name, image }: Container): readonly (string | undefined)[] {
  return [name, image];
}

/** As long as an edit may be unseen: a watch that is silent, then a server that is down. */
const UNSEEN_MS = 180_000;

/** A pod that is as its owner wants it is not replaced. */
export class ReplacedPods {
  readonly #stage: Stage;
  readonly #owner: ServedKind;
  /** By the UID of the owner; a pause is an annotation. */
  readonly #asked = new Map<string, { readonly asked: Asked; readonly sinceMs: number }>();

  constructor(stage: Stage, owner: ServedKind) {
    this.#stage = stage;
    this.#owner = owner;
  }

  onCommit(commit: Commit): void {
    if (commit.kind === this.#owner) this.#follow(commit);
    if (commit.kind === PODS && isOperator(commit.by)) this.#judge(commit);
  }

  #follow({ type, object }: Commit): void {
    const { uid } = object.metadata;
    const asked = {
      spec: (object['spec'] ?? {}) as Owner,
      annotations: object.metadata.annotations,
    };
    if (type === 'DELETED') this.#asked.delete(uid);
    else if (!isDeepStrictEqual(this.#asked.get(uid)?.asked, asked)) {
      this.#asked.set(uid, { asked, sinceMs: this.#stage.clock.monotonicMs() });
    }
  }

  #judge(commit: Commit): void {
    const { object, before = object } = commit;
    const owner = this.#asked.get(controllerOf(object, this.#owner.kind) ?? '');
    if (!isDeletion(commit) || owner === undefined) return;
    const isUnseen = this.#stage.clock.monotonicMs() - owner.sinceMs < UNSEEN_MS;
    if (isUnseen || !isReady(before) || !isAsDesired(object, owner.asked.spec)) return;
    this.#stage.report('replaced-once', `${keyOfStored(object)} is as its owner wants it`);
  }
}

function isDeletion({ type, object, before }: Commit): boolean {
  if (type === 'DELETED') return true;
  return object.metadata.deletionTimestamp !== undefined && !before?.metadata.deletionTimestamp;
}

function isReady(pod: StoredObject): boolean {
  return conditionsOf(pod).some(({ type, status }) => type === 'Ready' && status === 'True');
}

function isAsDesired(pod: StoredObject, { image, podTemplate }: Owner): boolean {
  const { containers = [] } = pod['spec'] as { readonly containers?: readonly Container[] };
  return containers[0]?.image === image && listUntemplated(pod, podTemplate).length === 0;
}

/** An object is created without what it does not have. */
export function omitNull<T extends object>(fields: T): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
