import type { NotedChange } from '../../apis/config-monitor.ts';
import { type DataChange, recordedHash } from './changes.ts';
import { labelList } from './label-list.ts';
import type { LeanConfigMap } from './lean-config-map.ts';
import { type Report, shortOf, toMillis } from './report.ts';
import type { Scope } from './scope.ts';
import { vouchersOf } from './vouching.ts';

/** As many UIDs as a list in status has room for. */
export const MAX_PODS = 5000;

/** It is on record whatever comes of this pass, but for a pass that acts on it. */
export async function noteChange({ hash }: LeanConfigMap, scope: Scope): Promise<DataChange> {
  const { changes, object, spec } = scope;
  const before = changes.get(object);
  const selector = labelList(spec.podSelector ?? {});
  const isNew = before?.hash !== hash;
  const isSame = !isNew && before.selector === selector;
  const change = isSame ? before : await lookAtPods(hash, selector, scope);
  scope.pass.report({ change: recordOf(change) } satisfies Report);
  if (isNew) tellChange(hash, before === undefined, scope);
  return change;
}

async function lookAtPods(hash: string, selector: string, scope: Scope): Promise<DataChange> {
  const { changes, object, pods } = scope;
  const live = await livePodsOf(scope);
  const isVouchedFor = vouchersOf(hash, scope);
  const vouchedFor = [...live].filter((uid) => {
    const pod = pods.withUid(uid);
    return pod !== undefined && isVouchedFor(pod);
  });
  const recorded = recordedHash(object) ?? hash;
  const sight = { hash, recorded, selector, live, vouchedFor: new Set(vouchedFor) };
  return changes.note(object, sight);
}

/** What would be too much for status is known to this process alone: a restart too many, none too few. */
function recordOf(change: DataChange): NotedChange | undefined {
  const { hash, recorded, selector, pods, between } = change;
  if (pods.size + between.size > MAX_PODS) return undefined;
  return { hash, recorded, selector, pods: [...pods], between: [...between] };
}

/** The article's sentence for each modification, one event for all that are acted on together. */
function tellChange(hash: string, isFirst: boolean, scope: Scope): void {
  const { clock, configMapName, pass } = scope;
  pass.report({ lastChangeTime: toMillis(clock.now()) } satisfies Report);
  pass.log.info('Modification detected', { configMap: configMapName, hash: shortOf(hash) });
  if (!isFirst) return;
  const note = `the data of ConfigMap ${configMapName} has changed to ${shortOf(hash)}`;
  pass.event({ type: 'Normal', reason: 'ConfigChanged', action: 'Watch', note });
}

/** UIDs of the selected pods, past every cache. */
export function livePodsOf({ livePods, object, pass, spec }: Scope): Promise<ReadonlySet<string>> {
  return livePods.uidsOf(object.metadata.namespace, spec.podSelector ?? {}, pass.signal);
}
