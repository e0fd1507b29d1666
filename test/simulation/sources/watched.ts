import type { ConfigMonitorSpec } from '../../../src/apis/config-monitor.ts';
import { canonical, type StoredObject } from '../api-model/stored-object.ts';
import type { PodUse, SourceKind } from './actions.ts';

/** One source in a spec; without keys all of them count. */
export interface WatchedSource {
  readonly kind: SourceKind;
  readonly name: string;
  readonly keys?: readonly string[];
}

/** Names the data of some sources of a namespace: `web/settings` for one whole ConfigMap. */
export type DataKey = string;

interface Selectable {
  readonly labels: Readonly<Record<string, string>>;
  readonly uses: readonly PodUse[];
}

/** On pods: what they use. The operator reads their spec, which says the same in other words. */
export const USES = 'simulation/uses';

export function usesOf({ metadata }: StoredObject): readonly PodUse[] {
  return JSON.parse(metadata.annotations?.[USES] ?? '[]') as readonly PodUse[];
}

export function sourcesOf(spec: ConfigMonitorSpec): readonly WatchedSource[] {
  const { configMap, configmap = configMap, secret, sources = [] } = spec;
  return [
    ...(configmap === undefined ? [] : [{ kind: 'ConfigMap', name: configmap } as const]),
    ...(secret === undefined ? [] : [{ kind: 'Secret', name: secret } as const]),
    ...sources.map(({ kind, name, keys }) => ({ kind, name, ...(keys && { keys }) })),
  ].toSorted((a, b) => (`${a.kind}/${a.name}` < `${b.kind}/${b.name}` ? -1 : 1));
}

/** Whether an object with neither labels nor expressions selects the pods that use its sources. */
export function selectsUsers({ podSelector, matchExpressions = [] }: ConfigMonitorSpec): boolean {
  return podSelector === undefined && matchExpressions.length === 0;
}

export function isTaken(spec: ConfigMonitorSpec, pod: Selectable): boolean {
  if (selectsUsers(spec)) return concerningSources(spec, pod).length > 0;
  const { podSelector = {}, matchExpressions = [] } = spec;
  const { labels } = pod;
  const hasLabels = Object.entries(podSelector).every(([key, value]) => labels[key] === value);
  return hasLabels && matchExpressions.every((expression) => holds(expression, labels));
}

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#resources-that-support-set-based-requirements */
function holds(
  { key, operator, values = [] }: NonNullable<ConfigMonitorSpec['matchExpressions']>[number],
  labels: Selectable['labels'],
): boolean {
  const value = labels[key];
  if (operator === 'Exists') return value !== undefined;
  if (operator === 'DoesNotExist') return value === undefined;
  const isAmong = value !== undefined && values.includes(value);
  return operator === 'In' ? isAmong : !isAmong;
}

/** The sources of which a change restarts the pod: where labels select it, all. */
export function concerningSources(
  spec: ConfigMonitorSpec,
  { uses }: Pick<Selectable, 'uses'>,
): readonly WatchedSource[] {
  const all = sourcesOf(spec);
  return selectsUsers(spec) ? all.filter((source) => isUsed(source, uses)) : all;
}

function isUsed({ kind, name, keys }: WatchedSource, uses: readonly PodUse[]): boolean {
  return uses.some((use) => {
    const isKey = use.key === undefined || keys === undefined || keys.includes(use.key);
    return use.kind === kind && use.name === name && isKey;
  });
}

export function nameData(namespace: string, sources: readonly WatchedSource[]): DataKey {
  const [first] = sources;
  const isPlain = sources.length === 1 && first?.kind === 'ConfigMap' && first.keys === undefined;
  return `${namespace}/${isPlain ? first.name : canonical(sources)}`;
}

export function parseData(data: DataKey): {
  readonly namespace: string;
  readonly sources: readonly WatchedSource[];
} {
  const at = data.indexOf('/');
  const [namespace, rest] = [data.slice(0, at), data.slice(at + 1)];
  const sources = rest.startsWith('[')
    ? (JSON.parse(rest) as readonly WatchedSource[])
    : [{ kind: 'ConfigMap', name: rest } as const];
  return { namespace, sources };
}
