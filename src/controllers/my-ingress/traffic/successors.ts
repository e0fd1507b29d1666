import { type Outcome, waiting } from '../../../core/reconcile/outcome.ts';
import { recordEvent } from '../events.ts';
import { type Refusal, recordJoined } from '../graph/facts.ts';
import type { Problem } from '../graph/problem.ts';
import { listWritten, type Step } from '../graph/steps.ts';
import { nameBackend } from '../routes/routes.ts';
import type { Scope } from '../scope.ts';
import { isHealthy, isOfMixture, LONGEST_WAIT_MS } from '../target-groups/succession.ts';
import type { TargetsState } from '../targets.ts';
import type { Progress } from './execution/execute-plan.ts';
import { listEmpty, type Planned } from './planned.ts';

/** A successor that takes the requests once its targets are healthy. */
export interface AwaitedGroup {
  readonly backend: string;
  /** Monotonic ms: it waits no longer; infinite while it can have no target. */
  readonly untilMs: number;
}

/** When what AWS does not take as a mixture, or what is healthy now, is switched. */
const SWITCH_MS = 1_000;

/** Call at the end of a pass. Returns the successors that wait. */
export function concludeSuccession(
  scope: Scope,
  planned: Planned,
  progress: Progress,
): readonly AwaitedGroup[] {
  recordSwitches(scope, planned, progress);
  recordEmpty(scope, progress);
  return listAwaited(scope, planned);
}

/** One event for each backend whose requests go to a group that may have no healthy target yet. */
function recordSwitches(
  scope: Scope,
  { routes, desired, succession }: Planned,
  { done }: Progress,
): void {
  const switched = succession.direct.filter(({ id }) => {
    return done.some((step) => step.id === id && listWritten(step).length > 0);
  });
  for (const [group, [first]] of Map.groupBy(switched, (one) => one.group)) {
    const index = desired.targetGroups.findIndex(({ id }) => id === group);
    const backend = routes.backends[index]?.name ?? group;
    const note = `Backend ${backend}: all requests go to its new target group at once, as ${first?.why ?? ''}`;
    const draft = { type: 'Warning', reason: 'SwitchedDirectly', action: 'Update', note } as const;
    recordEvent(scope, draft, { group });
  }
}

/** The next pass may come only once a group that has just joined has a target. */
function recordEmpty(scope: Scope, { references }: Progress): void {
  const { clock, memory } = scope;
  if (memory.traffic === undefined) return;
  const { facts } = memory.traffic;
  const names = facts.checkedSinceMs.keys();
  const empty = listEmpty(scope, references.targetGroups);
  const joined = recordJoined(facts, { names, empty }, clock.monotonicMs());
  memory.traffic = { ...memory.traffic, facts: joined };
}

/** Those that have joined the actions of their predecessors: before, AWS checks no target of theirs. */
function listAwaited(
  { memory }: Scope,
  { desired, routes, succession }: Planned,
): readonly AwaitedGroup[] {
  const since = memory.traffic?.facts.checkedSinceMs;
  return routes.backends.flatMap((route, index) => {
    const backend = nameBackend(route);
    const { name = '' } = desired.targetGroups[index] ?? {};
    const sinceMs = since?.get(name);
    if (!succession.awaited.has(name) || sinceMs === undefined) return [];
    return [{ backend, untilMs: sinceMs + LONGEST_WAIT_MS }];
  });
}

/** undefined: no successor of a target group waits for healthy targets. */
export function awaitSuccessors(
  awaited: readonly AwaitedGroup[],
  { states, nowMs }: { readonly states: readonly TargetsState[]; readonly nowMs: number },
): Outcome | undefined {
  if (awaited.length === 0) return undefined;
  const waits = awaited.map(({ backend, untilMs }) => {
    const state = states.find((one) => one.backend === backend);
    const counts = `${state?.healthy ?? '?'}/${state?.desired ?? '?'}`;
    // It may have become healthy since the plan was made.
    const isDone = state !== undefined && isHealthy(state);
    return { text: `${backend} ${counts}`, inMs: isDone ? SWITCH_MS : untilMs - nowMs };
  });
  const restMs = Math.min(LONGEST_WAIT_MS, ...waits.map((one) => one.inMs));
  const inMs = Math.max(SWITCH_MS, restMs);
  const counts = waits.map(({ text }) => text).join(', ');
  const message = `new target groups take over once their targets are healthy, or once they have had some for 5 minutes: ${counts}`;
  return waiting('HandingOver', message, inMs);
}

/** Drops refusals of a mixture of two groups: the next pass switches directly. */
export function forgiveMixtures(scope: Scope, progress: Progress, planned: Planned): Progress {
  const mixtures = listMixtures(scope, planned, progress.failed);
  const isForgiven = (problem: Problem): boolean => {
    return mixtures.some(({ step, reason }) => step.id === problem.id && reason === problem.reason);
  };
  return { ...progress, problems: progress.problems.filter((one) => !isForgiven(one)) };
}

/** Soon, where AWS has refused one as such: only then the next pass switches directly. */
export function repeatMixtures(
  scope: Scope,
  planned: Planned,
  failed: readonly Step[],
): readonly number[] {
  return listMixtures(scope, planned, failed).length > 0 ? [SWITCH_MS] : [];
}

function listMixtures(
  { memory }: Scope,
  { succession }: Planned,
  failed: readonly Step[],
): readonly Refusal[] {
  const refused = memory.traffic?.facts.refused ?? [];
  return refused.filter((one) => {
    return failed.includes(one.step) && succession.held.has(one.step.id) && isOfMixture(one);
  });
}
