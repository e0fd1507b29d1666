import { boundText } from '../../core/annotations.ts';
import type { KeySource } from '../../core/key-source.ts';
import { type Key, type KubeObject, keyOf } from '../../core/kube-object.ts';
import type { Change, ObjectCache } from '../../core/object-store.ts';
import type { Autoscaler } from './workload.ts';

/** What of an autoscaler is kept in memory. */
export function leanAutoscaler(object: KubeObject): KubeObject {
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

/** Which Deployments are scaled by somebody else, so that their number of pods is not ours. */
export class Autoscalers {
  /** An autoscaler that appears, goes or turns to another target changes what we may set. */
  readonly source: KeySource;
  readonly #cache: ObjectCache<Autoscaler>;

  constructor(cache: ObjectCache<Autoscaler>) {
    this.#cache = cache;
    this.source = (enqueue) =>
      cache.subscribe((change) => {
        // At the start every WebApp is looked at anyway.
        if (change.kind === 'added' && change.isInitial) return;
        for (const key of targetsOf(change)) enqueue(key);
      });
  }

  isScaled(deployment: Key): boolean {
    return this.#cache.list().some((autoscaler) => targetOf(autoscaler) === deployment);
  }
}

function targetsOf(change: Change<Autoscaler>): ReadonlySet<Key> {
  const states = change.kind === 'updated' ? [change.previous, change.object] : [change.object];
  return new Set(states.flatMap((state) => targetOf(state) ?? []));
}

/** The Deployment that an autoscaler targets; a WebApp of that name has the same key. */
function targetOf(autoscaler: Autoscaler): Key | undefined {
  const { apiVersion = '', kind, name } = autoscaler.spec?.scaleTargetRef ?? {};
  if (kind !== 'Deployment' || name === undefined || !apiVersion.startsWith('apps/'))
    return undefined;
  return keyOf({ ...autoscaler, metadata: { ...autoscaler.metadata, name } });
}
