import type { ConfigMonitorSpec } from '../../apis/config-monitor.ts';
import type { KubeObject } from '../../core/objects/kube-object.ts';
import {
  formatSelector,
  type LabelSelector,
  matchesLabels,
} from '../../core/objects/label-selector.ts';
import { usesSource } from './sources/pod-uses.ts';
import { listSources, nameSource, type WatchedSource } from './sources/watched-source.ts';
import type { TrimmedPod } from './transforms.ts';

/** Which pods of its namespace an object restarts. */
export type Selection =
  | { readonly kind: 'labels'; readonly selector: LabelSelector }
  /** Those that use one of the sources. */
  | { readonly kind: 'users'; readonly sources: readonly WatchedSource[] };

/** undefined for an empty podSelector, which never means every pod, and where nothing is watched. */
export function readSelection(spec: ConfigMonitorSpec | undefined): Selection | undefined {
  const sources = listSources(spec);
  if (sources.length === 0) return undefined;
  const { podSelector: matchLabels, matchExpressions = [] } = spec ?? {};
  if (matchLabels === undefined && matchExpressions.length === 0) return { kind: 'users', sources };
  if (matchLabels !== undefined && Object.keys(matchLabels).length === 0) return undefined;
  return { kind: 'labels', selector: { matchLabels: matchLabels ?? {}, matchExpressions } };
}

/** The one test for all: the index, other objects, and the list past the caches. */
export function selects(
  selection: Selection,
  { metadata: { labels = {} }, uses }: Pick<KubeObject, 'metadata'> & Pick<TrimmedPod, 'uses'>,
): boolean {
  if (selection.kind === 'labels') return matchesLabels(selection.selector, labels);
  return selection.sources.some((source) => usesSource(uses, source));
}

/** Whether a change of these sources concerns the pod: pods that labels select are restarted for any. */
export function concerns(
  selection: Selection,
  { uses }: Pick<TrimmedPod, 'uses'>,
  changed: ReadonlySet<string>,
): boolean {
  if (selection.kind === 'labels') return changed.size > 0;
  return selection.sources.some(
    (source) => changed.has(nameSource(source)) && usesSource(uses, source),
  );
}

/** `app=frontend,tier=web`, the same for the same selection. */
export function formatSelection(selection: Selection): string {
  if (selection.kind === 'labels') return formatSelector(selection.selector);
  return 'pods that use a source';
}
