import { isDeepStrictEqual } from 'node:util';
import { getKey, type Key, splitKey } from '../../../core/objects/kube-object.ts';
import { type GatedPod, isSelected, type ShortShutdown } from './gated-pod.ts';

/** A pod that ends while AWS may still send it requests, and why. */
export interface EarlyPod {
  readonly pod: string;
  readonly reason: ShortShutdown;
}

/** The pods that end too early, of all those with the label. */
export class ShortShutdowns {
  readonly #byNamespace = new Map<string, Map<Key, GatedPod>>();
  /** By namespace and selector; those of a namespace until one of its pods changes. */
  readonly #found = new Map<string, Map<string, EarlyPod | undefined>>();

  note(pod: GatedPod, isGone: boolean): void {
    const key = getKey(pod);
    const { namespace } = splitKey(key);
    const pods = this.#byNamespace.get(namespace) ?? new Map<Key, GatedPod>();
    const isEarly = !isGone && pod.shortShutdown !== undefined;
    if (isSame(pods.get(key), isEarly ? pod : undefined)) return;
    if (isEarly) pods.set(key, pod);
    else pods.delete(key);
    if (pods.size === 0) this.#byNamespace.delete(namespace);
    else this.#byNamespace.set(namespace, pods);
    this.#found.delete(namespace);
  }

  /** The first one by name that the selector selects. */
  find(namespace: string, selector: Readonly<Record<string, string>>): EarlyPod | undefined {
    const pods = this.#byNamespace.get(namespace);
    if (pods === undefined) return undefined;
    const found = this.#found.get(namespace) ?? new Map<string, EarlyPod | undefined>();
    this.#found.set(namespace, found);
    if (found.size >= MOST_SELECTORS) found.clear();
    const text = JSON.stringify(Object.entries(selector).toSorted(compareKeys));
    if (!found.has(text)) found.set(text, findFirst(pods.values(), selector));
    return found.get(text);
  }
}

/** Selectors of a namespace that are remembered: one that was edited is not asked for again. */
const MOST_SELECTORS = 1_000;

/** A pod changes often without ending otherwise: as it starts, and as its gate opens. */
function isSame(before: GatedPod | undefined, now: GatedPod | undefined): boolean {
  return (
    before?.shortShutdown === now?.shortShutdown &&
    isDeepStrictEqual(before?.metadata.labels, now?.metadata.labels)
  );
}

function compareKeys([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : 1;
}

function findFirst(
  pods: Iterable<GatedPod>,
  selector: Readonly<Record<string, string>>,
): EarlyPod | undefined {
  let first: GatedPod | undefined;
  for (const pod of pods) {
    const isFirst = first === undefined || pod.metadata.name < first.metadata.name;
    if (isFirst && isSelected(pod, selector)) first = pod;
  }
  const reason = first?.shortShutdown;
  return first && reason && { pod: first.metadata.name, reason };
}
