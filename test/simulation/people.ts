import type { Clock } from '../../src/core/ports/clock.ts';
import { buildResourcePath } from '../../src/kube/client/resource-path.ts';
import type { ApiServerModel } from './api-model/api-server-model.ts';
import type { Json, ServedKind } from './api-model/stored-object.ts';
import { apiVersionOf } from './api-model/watch-feed.ts';

export interface PeopleParts {
  readonly model: ApiServerModel;
  readonly clock: Clock;
  readonly trace: (line: string) => void;
}

/** `namespace/name`. */
export type ObjectKey = `${string}/${string}`;

const TRY_AGAIN_MS = 1000;
const LONGEST_TRYING_MS = 180_000;
/** `--request-timeout` of kube-apiserver. */
const LONGEST_DELETE_MS = 60_000;

/** Somebody with kubectl: what is refused has not happened, and that is all. */
export class People {
  readonly #parts: PeopleParts;
  readonly #name: string;

  constructor(parts: PeopleParts, name = 'user') {
    this.#parts = parts;
    this.#name = name;
  }

  /** Tried again each second while an object of that name is there. */
  create(kind: ServedKind, at: ObjectKey, content: Json): void {
    this.#createSince(kind, at, { content, sinceMs: this.#parts.clock.monotonicMs() });
  }

  patch(kind: ServedKind, at: ObjectKey, patch: Json): void {
    this.#ask('PATCH', pathOf(kind, at), patch);
  }

  /** Merge-patches /status. */
  patchStatus(kind: ServedKind, at: ObjectKey, status: Json): void {
    this.#ask('PATCH', pathOf(kind, at, 'status'), { status });
  }

  annotate(kind: ServedKind, at: ObjectKey, annotations: Json): void {
    this.patch(kind, at, { metadata: { annotations } });
  }

  delete(kind: ServedKind, at: ObjectKey): void {
    this.#ask('DELETE', pathOf(kind, at));
  }

  /**
   * A DELETE that finds no finalizer now and removes the object so long after one has been stored:
   * https://github.com/kubernetes/kubernetes/issues/77988
   */
  deleteInSpite(kind: ServedKind, at: ObjectKey, lateMs = 0): void {
    const { model, clock, trace } = this.#parts;
    const uid = model.table.get(kind, at)?.metadata.uid;
    const untilMs = clock.monotonicMs() + LONGEST_DELETE_MS;
    const look = (): void => {
      const live = model.table.get(kind, at);
      if (live === undefined || live.metadata.uid !== uid) return;
      const hasFinalizer = (live.metadata.finalizers ?? []).length > 0;
      if (!hasFinalizer && clock.monotonicMs() < untilMs) return void clock.setTimer(2, look);
      clock.setTimer(lateMs, remove);
    };
    const remove = (): void => {
      const live = model.table.get(kind, at);
      if (live === undefined || live.metadata.uid !== uid) return;
      trace(`  ${this.#name} DELETE of ${at} removes it in spite of its finalizer`);
      model.table.remove(kind, live, this.#name);
    };
    look();
  }

  /** Without any grace, as a kubelet does when a pod has ended. */
  remove(kind: ServedKind, at: ObjectKey): void {
    this.#ask('DELETE', pathOf(kind, at), { gracePeriodSeconds: 0 });
  }

  #createSince(
    kind: ServedKind,
    at: ObjectKey,
    { content, sinceMs }: { readonly content: Json; readonly sinceMs: number },
  ): void {
    const { clock } = this.#parts;
    const { namespace, name } = partsOf(at);
    const { metadata, ...rest } = content;
    const status = this.#ask('POST', buildResourcePath(kind, { namespace }), {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: { ...(metadata as Json | undefined), namespace, name },
      ...rest,
    });
    const isThere = status === 409 && clock.monotonicMs() - sinceMs < LONGEST_TRYING_MS;
    if (!isThere) return;
    clock.setTimer(TRY_AGAIN_MS, () => this.#createSince(kind, at, { content, sinceMs }));
  }

  #ask(method: string, path: string, body?: Json): number {
    const headers = { 'content-type': 'application/merge-patch+json' };
    const request = { method, path, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = this.#parts.model.answer(request, this.#name);
    const status = answer.kind === 'answer' ? answer.status : 200;
    this.#parts.trace(`  ${this.#name} ${method} ${path}: ${status}`);
    return status;
  }
}

export function partsOf(at: ObjectKey): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = ''] = at.split('/');
  return { namespace, name };
}

function pathOf(kind: ServedKind, at: ObjectKey, subresource?: 'status'): string {
  return buildResourcePath(kind, { ...partsOf(at), ...(subresource && { subresource }) });
}
