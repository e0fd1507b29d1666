import { type Condition, findLeadingCondition } from '../../core/objects/conditions.ts';
import { isBeingDeleted } from '../../core/objects/kube-object.ts';
import type { OurObject } from './read.ts';

/** An object in one line. */
export interface Health {
  readonly ready: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** The leading condition, and why it may not be the last word. */
export function summarise(object: OurObject): Health {
  const conditions = object.status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === 'Ready');
  const leading = findLeadingCondition(conditions);
  const remarks = describeState(object, leading);
  return {
    ready: ready?.status ?? 'Unknown',
    reason: leading?.reason ?? '',
    message: [...remarks, leading?.message ?? ''].filter((text) => text !== '').join('; '),
  };
}

/** Remarks on the object besides its conditions. */
function describeState(object: OurObject, leading: Condition | undefined): readonly string[] {
  const { generation = 0, deletionTimestamp } = object.metadata;
  const observed = object.status?.observedGeneration ?? -1;
  return [
    ...(isBeingDeleted(object) ? [`being deleted since ${deletionTimestamp}`] : []),
    ...describeLag({ generation, observed, leading }),
  ];
}

function describeLag({
  generation,
  observed,
  leading,
}: {
  readonly generation: number;
  readonly observed: number;
  readonly leading: Condition | undefined;
}): readonly string[] {
  if (leading === undefined)
    return ['albridge has not reconciled it: is it running and in charge? albridge doctor checks'];
  if (observed >= generation) return [];
  return [`edited since: generation ${generation}, reconciled ${observed}`];
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const;

/** `3d`, `5h`, `2m`, `40s`; empty for no time. */
export function formatAge(since: string | undefined, nowMs: number): string {
  const ms = nowMs - Date.parse(since ?? '');
  if (Number.isNaN(ms)) return '';
  for (const [unit, size] of UNITS) if (ms >= size) return `${Math.floor(ms / size)}${unit}`;
  return `${Math.max(0, Math.floor(ms / 1000))}s`;
}
