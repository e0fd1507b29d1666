import { until } from '../surroundings/until.ts';
import type { Manifest, OwnKind } from './own-kinds.ts';
import type { DeployPlace } from './place.ts';

/** One object of a kind, and everything that happens to it that an operator needs a right for. */
export interface Life {
  readonly place: DeployPlace;
  readonly kind: OwnKind;
  /** Exists and is empty. */
  readonly namespace: string;
  /** Ends the life where it is; it then throws or returns. */
  readonly over: AbortSignal;
  /** No other kind is at work. */
  readonly isAlone?: boolean;
}

/** An object of whatever kind, and where it is. */
export interface Thing extends Manifest {
  readonly path: string;
  readonly metadata: Manifest['metadata'] & {
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly uid: string }[];
    readonly deletionTimestamp?: string;
  };
  readonly spec?: { readonly image?: string };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly restarts?: number;
  };
}

export function isReadyNow({ status }: Thing): boolean {
  return status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false;
}

/** Waits until the object at a path is as it should be. */
export async function seen(
  life: Life,
  path: string,
  isIt: (thing: Thing) => boolean,
): Promise<Thing> {
  const thing = await unlessOver(life, `${path} ${isIt.toString()}`, async () => {
    const { code, body } = await life.place.api.send({ method: 'GET', path });
    return code === 200 && isIt(body as Thing) && (body as Thing);
  });
  return { ...thing, path };
}

/** Waits like `until`; throws where the life is over before `look` gives something. */
export async function unlessOver<T>(
  { over }: Life,
  what: string,
  look: () => Promise<T | undefined | false>,
): Promise<T> {
  const found = await until(what, async () => (over.aborted ? 'over' : look()), 60_000);
  over.throwIfAborted();
  return found as T;
}

/** Waits while the object moves on all the time, so that whoever writes its status must read it anew. */
export async function amidEdits<T>(
  life: Life,
  path: string,
  look: () => Promise<T | undefined | false>,
): Promise<T> {
  const over = new AbortController();
  const edits = editUntil(AbortSignal.any([over.signal, life.over]), life, path);
  edits.catch(() => {}); // thrown below
  try {
    return await unlessOver(life, `${path} has got through the edits`, look);
  } finally {
    over.abort();
    await edits;
  }
}

async function editUntil(over: AbortSignal, { place }: Life, path: string): Promise<void> {
  for (let count = 1; !over.aborted; count++) {
    const annotations = { 'example.com/count': `${count}` };
    await place.api.send({ method: 'PATCH', path, body: { metadata: { annotations } } });
  }
}
