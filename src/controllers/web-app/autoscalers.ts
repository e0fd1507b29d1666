import { boundText } from '../../core/objects/digests.ts';
import { getKey, type Key, type KubeObject } from '../../core/objects/kube-object.ts';
import type { Change, ObjectCache } from '../../core/ports/cache.ts';
import type { KeySource } from '../../core/queue/key-queue.ts';

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

/** Knows which Deployments an autoscaler scales: their number of pods is not ours. */
export class Autoscalers {
  /** An autoscaler that is created, deleted or gets another target changes what we may set. */
  readonly source: KeySource;
  readonly #cache: ObjectCache<Autoscaler>;

  constructor(cache: ObjectCache<Autoscaler>) {
    this.#cache = cache;
    this.source = (enqueue) =>
      cache.subscribe((change) => {
        // At the start every WebApp is reconciled anyway.
        if (change.kind === 'added' && change.isInitial) return;
        for (const key of listTargets(change)) enqueue(key);
      });
  }

  isScaled(deployment: Key): boolean {
    return this.#cache.list().some((autoscaler) => getTarget(autoscaler) === deployment);
  }
}

function listTargets(change: Change<Autoscaler>): ReadonlySet<Key> {
  const states = change.kind === 'updated' ? [change.previous, change.object] : [change.object];
  return new Set(states.flatMap((state) => getTarget(state) ?? []));
}

/** The Deployment that an autoscaler targets; a WebApp of that name has the same key. */
function getTarget(autoscaler: Autoscaler): Key | undefined {
  const { apiVersion = '', kind, name } = autoscaler.spec?.scaleTargetRef ?? {};
  if (kind !== 'Deployment' || name === undefined || !apiVersion.startsWith('apps/'))
    return undefined;
  return getKey({ ...autoscaler, metadata: { ...autoscaler.metadata, name } });
}
