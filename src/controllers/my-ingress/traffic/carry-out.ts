import type { OperatorError } from '../../../core/reconcile/operator-error.ts';
import { recordEvent, wasReadyForThisSpec } from '../events.ts';
import { printStep } from '../graph/planned-step.ts';
import { describeRefusal, type Problem } from '../graph/problem.ts';
import { isProjected, projectStep, type StandingGraph } from '../graph/projection.ts';
import { findObstacle, type Step } from '../graph/steps.ts';
import { isOwn } from '../graph/tags.ts';
import { describeHolder } from '../ownership.ts';
import type { ObjectScope } from '../scope.ts';
import { classifyRefusal, executeStep } from './execute.ts';
import { rememberRefusal, rememberStep, rememberUnanswered } from './memory.ts';
import type { References } from './references.ts';

/** What came of a plan so far. */
export interface Progress {
  readonly references: References;
  /** What AWS has now; undefined: not known, or not of interest. */
  readonly standing: StandingGraph | undefined;
  /** Steps that AWS has accepted. */
  readonly done: readonly Step[];
  /** Steps that AWS has refused, and those that need one of them. */
  readonly failed: readonly Step[];
  readonly problems: readonly Problem[];
}

/** The carrying out of a plan; `progress` is right also where it ends in a failure. */
export interface Run {
  progress: Progress;
  /** Called before the first step about listeners and rules, once. */
  readonly prepareRouting: () => Promise<void>;
}

export function beginRun(
  references: References,
  { standing, prepareRouting = () => Promise.resolve() }: RunOptions = {},
): Run {
  return { progress: { references, standing, done: [], failed: [], problems: [] }, prepareRouting };
}

interface RunOptions extends Partial<Pick<Run, 'prepareRouting'>> {
  /** What is there before the first step, where that is to be known afterwards. */
  readonly standing?: StandingGraph | undefined;
}

/**
 * Carries out steps in their order. One that AWS refuses stops those that need it, and no other; a failure
 * that is not about one resource ends the pass. A new target group is proved ours before anything is
 * done with it: AWS may have answered with an existing one. What was changed is one event, however it ends.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateTargetGroup.html
 */
export async function carryOut(
  scope: ObjectScope,
  steps: readonly Step[],
  run: Run,
): Promise<void> {
  try {
    await carryOutEach(scope, steps, run);
  } finally {
    recordChanged(scope, run.progress.done);
  }
}

async function carryOutEach(scope: ObjectScope, steps: readonly Step[], run: Run): Promise<void> {
  const routingFrom = steps.findIndex(isAboutRouting);
  for (const [index, step] of steps.entries()) {
    scope.pass.signal.throwIfAborted();
    if (index === routingFrom) await run.prepareRouting();
    run.progress = await carryOutOne(scope, step, run.progress);
    const isLastCreate = isCreate(step) && !isCreate(steps[index + 1]);
    if (isLastCreate) run.progress = await proveTargetGroups(scope, run.progress);
  }
}

function isCreate(step: Step | undefined): boolean {
  return step?.operation === 'CreateTargetGroup';
}

/** Listeners and rules: their target groups are filled first. */
function isAboutRouting({ id }: Step): boolean {
  return id.startsWith('listener/') || id.startsWith('rule/');
}

async function carryOutOne(scope: ObjectScope, step: Step, progress: Progress): Promise<Progress> {
  const { done, failed, problems } = progress;
  if (findObstacle(step, failed) !== undefined) return { ...progress, failed: [...failed, step] };
  const { aws, clock, memory } = scope;
  const setSecurityGroups = (arn: string, ids: readonly string[]): Promise<void> =>
    aws.setSecurityGroups(arn, ids);
  try {
    const { references: before } = progress;
    const context = { clients: scope.traffic(), setSecurityGroups, references: before };
    const { references: known, made } = await executeStep(step, context);
    memory.traffic = rememberStep(memory.traffic, step, clock.monotonicMs());
    const stood = isProjected(step) ? progress.standing : undefined;
    const standing = stood && projectStep(stood, step, made);
    const references = forgetDeleted(known, step);
    return { ...progress, standing, references, done: [...done, step] };
  } catch (error) {
    const reason = classifyRefusal(error);
    if (reason === undefined) {
      memory.traffic = rememberUnanswered(memory.traffic, step, clock.monotonicMs());
      throw error;
    }
    memory.traffic = rememberRefusal(memory.traffic, step, reason);
    const problem = describeRefusal(step.id, reason, (error as OperatorError).message);
    return { ...progress, failed: [...failed, step], problems: [...problems, problem] };
  }
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
      return { step, arn, tags: read ?? {} };
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
  const message = `the tags of target group ${name} do not say that it is this object's`;
  return { id, reason: 'OwnershipUnconfirmed', message };
}

const MOST_STEPS = 4;

/** One event for all that a pass has changed beside the balancer, and a log line with every step. */
function recordChanged(scope: ObjectScope, done: readonly Step[]): void {
  if (done.length === 0) return;
  const steps = done.map(printStep);
  const more = steps.length > MOST_STEPS ? [`and ${steps.length - MOST_STEPS} more`] : [];
  const what = [...steps.slice(0, MOST_STEPS), ...more].join('; ');
  const draft = wasReadyForThisSpec(scope)
    ? { reason: 'RepairedTraffic', action: 'Repair', note: `Repaired: ${what}` }
    : { reason: 'UpdatedTraffic', action: 'Update', note: `Updated: ${what}` };
  recordEvent(scope, draft, { steps });
}
