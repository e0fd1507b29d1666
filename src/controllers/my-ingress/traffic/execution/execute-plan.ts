// Lives here: the execution of the steps of a plan, one in a call or several tags together.
// May import it: src/controllers/my-ingress.
// Start with: this file, then execute.ts.

import { findQuota } from '../../../../aws/elbv2/traffic.ts';
import type { OperatorError } from '../../../../core/reconcile/operator-error.ts';
import { recordChanged } from '../../events.ts';
import { createFailure } from '../../failure.ts';
import { describeRefusal, type Problem, type ProblemReason } from '../../graph/problem.ts';
import { isProjected, projectStep, type StandingGraph } from '../../graph/projection.ts';
import { findObstacle, type Operation, type Step } from '../../graph/steps.ts';
import { isOwn } from '../../graph/tags.ts';
import { describeHolder } from '../../identity.ts';
import type { ObjectScope } from '../../scope.ts';
import { isGroupCreate } from '../../target-groups/plan.ts';
import {
  CONTRADICTIONS,
  isAlreadyMade,
  rememberRefusal,
  rememberStep,
  rememberUnanswered,
} from '../memory.ts';
import type { References } from '../references.ts';
import { isEdit, listChanges } from './changes.ts';
import {
  explainLeftOut,
  explainUnseenGroup,
  judgeObstacle,
  listManaged,
} from './early-refusals.ts';
import { classifyRefusal, type Executed, executeStep, executeTogether } from './execute.ts';
import { findHold, type Hold, releaseHolds } from './holds.ts';
import { batchSteps, isTagStep, type TagStep } from './tag-batches.ts';

/** The result of a plan so far. */
export interface Progress {
  readonly references: References;
  /** AWS's state now; undefined: not known, or not of interest. */
  readonly standing: StandingGraph | undefined;
  /** A read alone shows which certificates there are by now. */
  readonly isToBeRead: boolean;
  /** Steps that AWS has accepted. */
  readonly done: readonly Step[];
  /** Steps that AWS has refused, those that need one of them, and those behind what is refused for a moment. */
  readonly failed: readonly Step[];
  /** Those of them that the next pass may well execute. */
  readonly early: readonly Step[];
  readonly problems: readonly Problem[];
  /** Quotas that are full. */
  readonly holds: readonly Hold[];
}

/** The execution of a plan; `progress` is right even if it ends in a failure. */
export interface Run {
  progress: Progress;
  /** Called before the first step about listeners and rules, once. */
  readonly prepareRouting: () => Promise<void>;
}

export function beginRun(
  references: References,
  { standing, prepareRouting = () => Promise.resolve() }: RunOptions = {},
): Run {
  const nothing = { done: [], failed: [], early: [], problems: [], holds: [] };
  return { progress: { references, standing, isToBeRead: false, ...nothing }, prepareRouting };
}

interface RunOptions extends Partial<Pick<Run, 'prepareRouting'>> {
  /** The state before the first step, where it is needed afterwards. */
  readonly standing?: StandingGraph | undefined;
}

/**
 * Executes steps in their order. One that AWS refuses stops those that need it, and no other, but for a full
 * quota, which is tried once; a failure
 * that is not about one resource ends the pass. A new target group is proved ours before anything is
 * done with it: AWS may have answered with an existing one. What was changed is one event, however it ends.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateTargetGroup.html
 */
export async function executePlan(
  scope: ObjectScope,
  steps: readonly Step[],
  run: Run,
): Promise<void> {
  try {
    await executeSteps(scope, steps, run);
  } finally {
    recordChanged(scope, run.progress.done);
  }
}

/** As `executePlan`, for a caller that has more to do before it records the event. */
export async function executeSteps(
  scope: ObjectScope,
  steps: readonly Step[],
  run: Run,
): Promise<void> {
  const batches = batchSteps(steps);
  const routingFrom = batches.findIndex((batch) => batch.some(isAboutRouting));
  for (const [index, batch] of batches.entries()) {
    scope.pass.signal.throwIfAborted();
    if (index === routingFrom) await run.prepareRouting();
    run.progress = await executeBatch(scope, batch, run.progress);
    const isLastCreate = isGroupCreate(batch[0]) && !isGroupCreate(batches[index + 1]?.[0]);
    if (isLastCreate) run.progress = await proveTargetGroups(scope, run.progress);
  }
}

/** The calls that the steps take. */
export function listOperations(steps: readonly Step[]): readonly Operation[] {
  return batchSteps(steps).flatMap(([first]) => (first === undefined ? [] : [first.operation]));
}

/** Steps that AWS refuses together are tried one by one: the others are not to suffer for one. */
async function executeBatch(
  scope: ObjectScope,
  batch: readonly Step[],
  before: Progress,
): Promise<Progress> {
  const free = batch.filter((step) => findObstacle(step, before.failed) === undefined);
  const isTogether = free.length > 1 && (await executeTags(scope, free.filter(isTagStep)));
  const together = isTogether ? free : [];
  let progress = together.reduce((all, step) => recordDone(scope, { step }, all), before);
  for (const step of batch) {
    if (!together.includes(step)) progress = await executeOne(scope, step, progress);
  }
  return progress;
}

/** False: AWS has refused all of them. */
async function executeTags(scope: ObjectScope, steps: readonly TagStep[]): Promise<boolean> {
  try {
    await executeTogether(steps, scope.traffic());
    return true;
  } catch (error) {
    if (classifyRefusal(error) !== undefined) return false;
    const { clock, memory } = scope;
    for (const step of steps) {
      memory.traffic = rememberUnanswered(memory.traffic, step, clock.monotonicMs());
    }
    throw error;
  }
}

function recordDone(
  { clock, memory }: ObjectScope,
  { step, references: known, made }: { readonly step: Step } & Partial<Executed>,
  progress: Progress,
): Progress {
  const { done, holds, standing: before } = progress;
  const standing = before && projectStep(before, step, made);
  const changes = before && standing && isEdit(step) ? listChanges(before, standing) : [];
  memory.traffic = rememberStep(memory.traffic, { step, changes, made }, clock.monotonicMs());
  const isToBeRead = progress.isToBeRead || !isProjected(step);
  const references = forgetDeleted(known ?? progress.references, step);
  const left = releaseHolds(holds, step);
  return { ...progress, standing, isToBeRead, references, done: [...done, step], holds: left };
}

/** Listeners and rules: their target groups are filled first. */
function isAboutRouting({ id }: Step): boolean {
  return id.startsWith('listener/') || id.startsWith('rule/');
}

async function executeOne(scope: ObjectScope, step: Step, progress: Progress): Promise<Progress> {
  const obstacle = judgeObstacle(step, progress);
  if (obstacle !== undefined) return leaveOut(progress, step, obstacle);
  const hold = findHold(step, progress.holds);
  if (hold !== undefined) return holdBack(scope, { step, hold }, progress);
  const { clock, memory } = scope;
  try {
    const executed = await executeStep(scope, step, progress);
    if (isAlreadyMade(memory.traffic, { step, made: executed.made }, clock.monotonicMs()))
      return awaitMade(scope, { step, message: ALREADY_MADE }, progress);
    return recordDone(scope, { step, ...executed }, progress);
  } catch (error) {
    const reason = classifyRefusal(error);
    if (reason === undefined) {
      memory.traffic = rememberUnanswered(memory.traffic, step, clock.monotonicMs());
      throw error;
    }
    return recordRefused(scope, { step, reason, error: error as OperatorError }, progress);
  }
}

interface Refused {
  readonly step: Step;
  readonly reason: ProblemReason;
  readonly error: OperatorError;
}

function recordRefused(
  scope: ObjectScope,
  { step, reason, error }: Refused,
  progress: Progress,
): Progress {
  const { clock, memory } = scope;
  const refusal = { error, named: listManaged(step, progress.references) };
  const message = explainUnseenGroup(memory.traffic, refusal, clock.monotonicMs());
  if (message !== undefined) return awaitMade(scope, { step, message }, progress);
  const quota = findQuota(error);
  const problem = { ...describeRefusal(step.id, reason, error.message), quota };
  const holds = quota === undefined ? [] : [{ step, code: quota }];
  const refused = { ...progress, holds: [...progress.holds, ...holds] };
  const known = CONTRADICTIONS.has(reason) ? addEarly(refused, step) : refused;
  return recordProblem(scope, { step, problem }, known);
}

function leaveOut(before: Progress, step: Step, obstacle: 'early' | 'lasting'): Progress {
  const problems = [...before.problems, ...explainLeftOut(step, before)];
  const left = { ...before, problems, failed: [...before.failed, step] };
  return obstacle === 'early' ? addEarly(left, step) : left;
}

function addEarly(progress: Progress, step: Step): Progress {
  return { ...progress, early: [...progress.early, step] };
}

const ALREADY_MADE = 'AWS does not show it yet, and has it with the tags that it was made with';

/** It is compared again once a read shows it. */
function awaitMade(
  { clock, memory }: ObjectScope,
  { step, message }: { readonly step: Step; readonly message: string },
  progress: Progress,
): Progress {
  memory.traffic = rememberUnanswered(memory.traffic, step, clock.monotonicMs());
  const problem: Problem = { id: step.id, reason: 'OwnershipUnconfirmed', message };
  return addProblem(addEarly(progress, step), step, problem);
}

/** AWS would refuse it for the same quota. */
function holdBack(
  scope: ObjectScope,
  { step, hold }: { readonly step: Step; readonly hold: Hold },
  progress: Progress,
): Progress {
  const message = `${hold.code}: not tried, as AWS has just refused another one`;
  const untried = { message, quota: hold.code, isUntried: true } as const;
  const problem: Problem = { id: step.id, reason: 'QuotaExceeded', ...untried };
  return recordProblem(scope, { step, problem }, progress);
}

function recordProblem(
  { clock, memory }: ObjectScope,
  { step, problem }: { readonly step: Step; readonly problem: Problem },
  progress: Progress,
): Progress {
  const { reason, quota } = problem;
  memory.traffic = rememberRefusal(memory.traffic, { step, reason, quota }, clock.monotonicMs());
  return addProblem(progress, step, problem);
}

function addProblem(progress: Progress, step: Step, problem: Problem): Progress {
  const { failed, problems } = progress;
  return { ...progress, failed: [...failed, step], problems: [...problems, problem] };
}

function forgetDeleted(references: References, step: Step): References {
  if (step.operation !== 'DeleteListener') return references;
  const listeners = [...references.listeners].filter(([, arn]) => arn !== step.input.arn);
  return { ...references, listeners: new Map(listeners) };
}

async function proveTargetGroups(scope: ObjectScope, progress: Progress): Promise<Progress> {
  const { pass, identity } = scope;
  const { tags } = scope.traffic();
  const created = progress.done.filter(({ operation }) => operation === 'CreateTargetGroup');
  const proofs = await Promise.all(
    created.map(async (step) => {
      const arn = findArn(step, progress);
      const read = arn === undefined ? undefined : await tags.read(arn, pass.signal);
      // Not to be told from a foreign one yet: a pass without it might change what its rule must precede.
      if (read === undefined) throw createFailure('OwnershipUnconfirmed', explainUnread(step));
      return { step, arn, tags: read };
    }),
  );
  const foreign = proofs.filter((proof) => !isOwn(proof.tags, identity));
  for (const { arn, tags: read } of foreign) {
    pass.log.info('a target group of this name is foreign', { arn, holder: describeHolder(read) });
  }
  return {
    ...progress,
    failed: [...progress.failed, ...foreign.map(({ step }) => step)],
    problems: [...progress.problems, ...foreign.map(({ step }) => explainForeign(step))],
  };
}

function findArn({ operation, input }: Step, { references }: Progress): string | undefined {
  return operation === 'CreateTargetGroup' ? references.targetGroups.get(input.name) : undefined;
}

function explainForeign({ id, operation, input }: Step): Problem {
  const name = operation === 'CreateTargetGroup' ? input.name : id;
  const message = `the tags of target group ${name} do not name this object`;
  return { id, reason: 'OwnershipUnconfirmed', message };
}

/** AWS lists a new one late at times. */
function explainUnread({ id, operation, input }: Step): string {
  return `target group ${operation === 'CreateTargetGroup' ? input.name : id} is not visible yet`;
}
