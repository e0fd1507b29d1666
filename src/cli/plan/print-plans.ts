import { exitCodes } from '../errors.ts';
import { escapeText } from '../output/escape.ts';
import type { Style } from '../output/style.ts';
import { wrapLine } from '../output/wrap.ts';
import type { ShownPlan } from './stored-plan.ts';

/** Something would change. */
const WOULD_CHANGE = 2;

const NO_PLANS =
  'no MyIngress is in plan mode: kubectl annotate myingress NAME albridge.io/mode=plan\n';

/** A plan that is not known counts more than a change; pure. */
export function chooseExitCode(plans: readonly ShownPlan[]): number {
  if (plans.some(({ failure }) => failure !== undefined)) return exitCodes.failed;
  const isChange = plans.some(({ plan }) => plan !== undefined && countSteps(plan) > 0);
  return isChange ? WOULD_CHANGE : exitCodes.done;
}

/** For people: a line for each object, its steps below it in the one printed form. */
export function drawPlans(
  plans: readonly ShownPlan[],
  style: Style,
  columns: number | undefined,
): string {
  if (plans.length === 0) return NO_PLANS;
  return plans.map((plan) => drawPlan(plan, style, columns)).join('');
}

function drawPlan(
  { namespace, name, plan, notes }: ShownPlan,
  style: Style,
  columns: number | undefined,
): string {
  if (plan === undefined) return '';
  const more = plan.omitted === 0 ? [] : [`and ${plan.omitted} more`];
  const wrap = (line: string): string => wrapLine(`  ${line}`, { columns, indent: '    ' });
  const lines = [
    ...[...plan.steps, ...more].map((step) => wrap(escapeText(step))),
    ...notes.map((note) => style.dim(wrap(`(${escapeText(note)})`))),
  ];
  const head = `MyIngress ${escapeText(namespace)}/${escapeText(name)}: ${describeCount(plan)}`;
  return [head, ...lines].map((line) => `${line}\n`).join('');
}

function describeCount(plan: NonNullable<ShownPlan['plan']>): string {
  const count = countSteps(plan);
  if (count === 0) return 'nothing would change';
  return count === 1 ? '1 step' : `${count} steps`;
}

function countSteps({ steps, omitted }: NonNullable<ShownPlan['plan']>): number {
  return steps.length + omitted;
}
