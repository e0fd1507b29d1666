import type { ImmortalContainer } from '../../../src/apis/immortal-container.ts';
import { PODS } from '../api-model/kinds.ts';
import type { ObjectTable } from '../api-model/object-table.ts';
import type { StoredObject } from '../api-model/stored-object.ts';
import { checkOwner } from '../owner-check.ts';
import { controllerOf } from '../owner-invariants.ts';
import { listUntemplated } from '../templated-pods.ts';
import type { Report } from '../violation.ts';
import type { PodLife } from './pod-invariants.ts';

export interface FinalContainerParts {
  readonly table: ObjectTable;
  readonly objects: readonly ImmortalContainer[];
  readonly pods: ReadonlyMap<string, PodLife>;
  readonly report: Report;
  /** Whether a fault took effect in this time. */
  readonly isDisturbed: (fromMs: number, toMs: number) => boolean;
}

/** With faults in its time, a pod that lived for less may have come and gone while no operator saw it. */
const SEEN_MS = 150_000;
/** From the fate of the request that makes a pod to the pod. */
const ON_THE_WAY_MS = 5000;

export function checkFinalContainers(parts: FinalContainerParts): void {
  for (const object of parts.objects) checkContainer(parts, object);
  const living = new Set(parts.objects.map(({ metadata }) => metadata.uid));
  for (const [uid, { owner, goneMs }] of parts.pods) {
    if (goneMs !== Number.POSITIVE_INFINITY || living.has(owner)) continue;
    parts.report('no-orphan', `pod ${uid} has lost its owner`);
  }
}

function checkContainer(parts: FinalContainerParts, object: ImmortalContainer): void {
  const { table, report } = parts;
  const { namespace, name, uid } = object.metadata;
  const key = `${namespace}/${name}`;
  const ready = checkOwner(object, report);
  if (ready === undefined) return;
  const pod = table.get(PODS, `${key}-immortalpod`);
  if (pod !== undefined && controllerOf(pod) !== uid) {
    if (ready.reason !== 'NameConflict') report('converges', `${key} says ${ready.reason}`);
    return;
  }
  const wrong = [
    ...unless(ready.status === 'True', `it is ${ready.status} ${ready.reason}`),
    ...unless(imageOf(pod) === object.spec.image, `its pod runs ${imageOf(pod)}`),
    ...(pod === undefined ? [] : listUntemplated(pod, object.spec.podTemplate)),
    ...unless(object.status.currentPodUID === pod?.metadata.uid, 'its pod is not counted'),
  ];
  if (wrong.length > 0) report('converges', `${key}: ${wrong.join('; ')}`);
  checkStarts(parts, object);
}

function checkStarts(
  { pods, report, isDisturbed }: FinalContainerParts,
  object: ImmortalContainer,
): void {
  const { metadata, status } = object;
  const own = [...pods.values()].filter(({ owner }) => owner === metadata.uid);
  const seen = own.filter(
    ({ bornMs, goneMs }) =>
      goneMs - bornMs >= SEEN_MS || !isDisturbed(bornMs - ON_THE_WAY_MS, goneMs),
  );
  const { startTimes = 0 } = status;
  if (startTimes <= own.length && startTimes >= seen.length) return;
  const what = `${metadata.namespace}/${metadata.name} says ${startTimes} starts`;
  report(
    'starts-counted',
    `${what}, there were ${own.length} pods, ${seen.length} of them in sight`,
  );
}

function imageOf(pod: StoredObject | undefined): string | undefined {
  const { containers = [] } = (pod?.['spec'] ?? {}) as {
    readonly containers?: readonly { readonly image?: string }[];
  };
  return containers[0]?.image;
}

function unless(isFine: boolean, sentence: string): readonly string[] {
  return isFine ? [] : [sentence];
}
