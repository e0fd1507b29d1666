import { boundText } from '../../core/objects/digests.ts';
import { getKey, type Key, type KubeObject } from '../../core/objects/kube-object.ts';
import { type Change, listStates, type ObjectCache } from '../../core/ports/cache.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Enqueue, KeySource } from '../../core/queue/key-queue.ts';

/** The parts of https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/horizontal-pod-autoscaler-v2/ that are read. */
export interface Autoscaler extends KubeObject {
  readonly spec?: { readonly scaleTargetRef?: ScaleTarget };
}

interface ScaleTarget {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
}

/** Keeps of an autoscaler what is needed in memory. */
export function trimAutoscaler(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, spec } = object as Autoscaler;
  const { name, namespace, uid, resourceVersion } = metadata;
  // The API server takes names of any length there.
  const {
    apiVersion: version = '',
    kind: targetKind = '',
    name: target = '',
  } = spec?.scaleTargetRef ?? {};
  const scaleTargetRef = {
    apiVersion: boundText(version),
    kind: boundText(targetKind),
    name: boundText(target),
  };
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, resourceVersion },
    spec: { scaleTargetRef },
  } as Autoscaler;
}

/** `kubectl replace --force` creates an object again as soon as the old one is gone. */
const REPLACED_WITHIN_MS = 15_000;

/** Knows which Deployments an autoscaler scales, or has just scaled: their number of pods is not ours. */
export class Autoscalers {
  /** An autoscaler that is created or gets another target, or has been deleted, changes what we may set. */
  readonly source: KeySource;
  readonly #cache: ObjectCache<Autoscaler>;
  readonly #clock: Pick<Clock, 'setTimer'>;
  /** By the Deployment whose autoscaler is gone: cancels that it counts as scaled no more. */
  readonly #endings = new Map<Key, () => void>();

  constructor(cache: ObjectCache<Autoscaler>, clock: Pick<Clock, 'setTimer'>) {
    this.#cache = cache;
    this.#clock = clock;
    this.source = (enqueue) => {
      const stop = cache.subscribe((change) => {
        // At the start every WebApp is reconciled anyway.
        if (change.kind === 'added' && change.isInitial) return;
        for (const key of listTargets(change)) {
          if (change.kind === 'deleted') this.#beginEnding(key, enqueue);
          else enqueue(key);
        }
      });
      return () => {
        stop();
        for (const cancel of this.#endings.values()) cancel();
        this.#endings.clear();
      };
    };
  }

  isScaled(deployment: Key): boolean {
    if (this.#endings.has(deployment)) return true;
    return this.#cache.list().some((autoscaler) => getTarget(autoscaler) === deployment);
  }

  #beginEnding(deployment: Key, enqueue: Enqueue): void {
    const end = (): void => {
      this.#endings.delete(deployment);
      enqueue(deployment);
    };
    this.#endings.get(deployment)?.();
    this.#endings.set(deployment, this.#clock.setTimer(REPLACED_WITHIN_MS, end));
  }
}

/** None where its status alone has changed, which it reports every 15 s. */
function listTargets(change: Change<Autoscaler>): ReadonlySet<Key> {
  const targets = listStates(change).map(getTarget);
  const isSame = change.kind === 'updated' && targets[0] === targets[1];
  return new Set(isSame ? [] : targets.filter((target) => target !== undefined));
}

/** The Deployment that an autoscaler targets; a WebApp of that name has the same key. */
function getTarget(autoscaler: Autoscaler): Key | undefined {
  const { apiVersion = '', kind, name } = autoscaler.spec?.scaleTargetRef ?? {};
  if (kind !== 'Deployment' || name === undefined || !apiVersion.startsWith('apps/'))
    return undefined;
  return getKey({ ...autoscaler, metadata: { ...autoscaler.metadata, name } });
}
