import type { webAppEvents } from '../../apis/web-app-reasons.ts';
import { type Condition, findLeadingCondition } from '../../core/objects/conditions.ts';
import { isBeingDeleted } from '../../core/objects/kube-object.ts';
import type { OurObject } from './read.ts';

/** An object in one line: what its worst condition says. */
export interface Health {
  /** True where Ready is, and no other condition says that something is wrong. */
  readonly ready: 'True' | 'False' | 'Unknown';
  /** The condition that decides, such as `BackendsResolved False`; empty where there is none. */
  readonly condition: string;
  readonly reason: string;
  readonly message: string;
}

/** Types that say something is wrong, or not done yet, while they are True. */
const ABNORMAL_WHILE_TRUE: ReadonlySet<string> = new Set(['Stalled', 'Reconciling', 'Degraded']);

/** Reasons of a condition about what the spec no longer has. */
const NOT_IN_SPEC: ReadonlySet<string> = new Set([
  'NotExposed' satisfies keyof typeof webAppEvents,
]);

/** Whether a condition says what one wishes to read. */
export function isAsDesired({
  type,
  status,
  reason,
}: Pick<Condition, 'type' | 'status' | 'reason'>): boolean {
  if (NOT_IN_SPEC.has(reason)) return true;
  return status === (ABNORMAL_WHILE_TRUE.has(type) ? 'False' : 'True');
}

/** The worst condition, and why it may not be the last word. */
export function summarise(object: OurObject): Health {
  const { ready, condition } = findWorst(object.status?.conditions ?? []);
  const remarks = describeState(object, condition);
  return {
    ready,
    condition: condition ? `${condition.type} ${condition.status}` : '',
    reason: condition?.reason ?? '',
    message: [...remarks, condition?.message ?? ''].filter((text) => text !== '').join('; '),
  };
}

interface Worst {
  readonly ready: Health['ready'];
  readonly condition: Condition | undefined;
}

/** Work in progress, a refused route of another object, and a warning about pods: the object serves. */
const NO_FAULT: ReadonlySet<string> = new Set([
  'Reconciling',
  'AttachmentsAccepted',
  'PodsOutlastRequests',
]);

/** Ready may be True although the object cannot serve, such as without the Service of a backend. */
function findWorst(conditions: readonly Condition[]): Worst {
  const ready = conditions.find(({ type }) => type === 'Ready')?.status ?? 'Unknown';
  const leading = findLeadingCondition(conditions);
  if (ready !== 'True') return { ready, condition: leading };
  const wrong = conditions.filter((one) => !NO_FAULT.has(one.type) && !isAsDesired(one));
  const stalled = wrong.find(({ type }) => type === 'Stalled');
  const failed = stalled ?? wrong.find(({ status }) => status !== 'Unknown');
  if (failed) return { ready: 'False', condition: failed };
  const [unknown] = wrong;
  return unknown ? { ready: 'Unknown', condition: unknown } : { ready, condition: leading };
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
