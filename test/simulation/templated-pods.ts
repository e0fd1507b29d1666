import { isDeepStrictEqual } from 'node:util';
import { PODS } from './api-model/kinds.ts';
import type { Commit } from './api-model/object-table.ts';
import { keyOfStored, type ServedKind, type StoredObject } from './api-model/stored-object.ts';
import { conditionsOf, controllerOf } from './owner-invariants.ts';
import { findUnseenMs, isOperator, type Stage } from './world/stage.ts';

interface Container {
  readonly name?: string;
  readonly image?: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

interface Template {
  readonly spec?: { readonly containers?: readonly Container[] };
}

/** The spec of an owner, as far as its pods depend on it. */
interface Owner {
  readonly image?: string;
  readonly banner?: string;
  /** Undefined: there is one pod. */
  readonly replicas?: number;
  readonly podTemplate?: Template;
}

interface Version {
  readonly spec: Owner;
  /** When an edit took its place; undefined: it is the present one. */
  readonly untilMs: number | undefined;
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
  return readVariable(container, 'MODE');
}

function readVariable(container: Container | undefined, name: string): string | undefined {
  return container?.env?.find((one) => one.name === name)?.value;
}

function readImage({ name, image }: Container): readonly (string | undefined)[] {
  return [name, image];
}

/** As long as an edit may be unseen where nothing keeps a process from learning of it. */
const PASS_MS = 5000;

/** A pod that is as its owner wants it, by each version of it that the operator may go by, is not replaced. */
export class ReplacedPods {
  readonly #stage: Stage;
  readonly #owner: ServedKind;
  /** By the UID of the owner, the present one last. */
  readonly #versions = new Map<string, readonly Version[]>();

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
    if (type === 'DELETED') return void this.#versions.delete(uid);
    const spec = (object['spec'] ?? {}) as Owner;
    const before = this.#versions.get(uid) ?? [];
    const last = before.at(-1);
    if (isDeepStrictEqual(last?.spec, spec)) return;
    const untilMs = this.#stage.clock.monotonicMs();
    const ended = last === undefined ? [] : [{ ...last, untilMs }];
    this.#versions.set(uid, [...before.slice(0, -1), ...ended, { spec, untilMs: undefined }]);
  }

  #judge(commit: Commit): void {
    const { object, before = object } = commit;
    const owner = controllerOf(object, this.#owner.kind) ?? '';
    if (!isDeletion(commit) || !this.#versions.has(owner) || !isReady(before)) return;
    if (!this.#listPresent(owner).every(({ spec }) => isAsDesired(object, spec))) return;
    this.#stage.report('replaced-once', `${keyOfStored(object)} is as its owner wants it`);
  }

  /** Those that a process may still go by. */
  #listPresent(owner: string): readonly Version[] {
    const nowMs = this.#stage.clock.monotonicMs();
    const sinceMs = nowMs - findUnseenMs(this.#stage, PASS_MS);
    const versions = this.#versions.get(owner) ?? [];
    return versions.filter(({ untilMs = nowMs }) => untilMs >= sinceMs);
  }
}

function isDeletion({ type, object, before }: Commit): boolean {
  if (type === 'DELETED') return true;
  return object.metadata.deletionTimestamp !== undefined && !before?.metadata.deletionTimestamp;
}

function isReady(pod: StoredObject): boolean {
  return conditionsOf(pod).some(({ type, status }) => type === 'Ready' && status === 'True');
}

function isAsDesired(pod: StoredObject, owner: Owner): boolean {
  const { containers = [] } = pod['spec'] as { readonly containers?: readonly Container[] };
  const { banner = '', image, podTemplate, replicas = 1 } = owner;
  const [own] = containers;
  return (
    own?.image === image &&
    (readVariable(own, 'BANNER') ?? '') === banner.replaceAll('$', () => '$$') &&
    listUntemplated(pod, podTemplate).length === 0 &&
    readIndex(pod) < replicas
  );
}

/** Of `<name>-pod`, then `<name>-pod-1` and so on. */
function readIndex({ metadata }: StoredObject): number {
  return Number(/-pod-(\d+)$/.exec(metadata.name)?.[1] ?? 0);
}

/** An object is created without what it does not have. */
export function omitNull<T extends object>(fields: T): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
