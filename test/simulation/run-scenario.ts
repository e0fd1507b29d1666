import { EVENTFUL_MS } from './generate.ts';
import type { Scenario, Step } from './scenario.ts';
import type { Violation } from './violation.ts';
import { World } from './world/world.ts';

export interface Outcome {
  readonly violation: Violation | undefined;
  /** How often each operation of a port was begun. */
  readonly counts: ReadonlyMap<string, number>;
  /** Crash points that were hit, as `label/phase`. */
  readonly crashed: ReadonlySet<string>;
  /** Faults that struck, what people did, reasons that were told. */
  readonly met: ReadonlySet<string>;
  /** Empty unless asked for. */
  readonly trace: readonly string[];
}

/** Within this time after the last fault everything must be as it is wanted, or say why not. */
const CONVERGENCE_MS = 20 * 60_000;
/** However long something is under way that has a deadline of its own. */
const LONGEST_MS = 75 * 60_000;
/** From one look at the end of a scenario to the next. */
const LOOK_AGAIN_MS = 5 * 60_000;
/** Attributes of balancers that outsiders change are read once an hour only, listeners, rules and certificates twice, */
const SLOW_LANE_MS = 75 * 60_000;
/** and attributes of listeners and target groups once in six hours. */
const SLOWEST_LANE_MS = 390 * 60_000;
/** One more sweep, jitter included, and one retry of what waits for a person. */
const QUIET_MS = 11 * 60_000;
const HEALED_MS = EVENTFUL_MS + 60_000;
/** Until then a process may be killed, so that also a watch that is opened anew may be its end. */
const LAST_KILL_MS = 10 * 60_000;

/** Runs one scenario to its end, or to its first violation. */
export async function runScenario(
  scenario: Scenario,
  options: { readonly isTraced?: boolean } = {},
): Promise<Outcome> {
  const world = new World(scenario, { isTraced: options.isTraced ?? false });
  const onRejection = (reason: unknown): void => {
    const told = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
    world.report('no-unhandled-rejection', told.split('\n').slice(0, 2).join(' '));
  };
  process.on('unhandledRejection', onRejection);
  try {
    await play(world, scenario);
  } finally {
    process.off('unhandledRejection', onRejection);
  }
  const { violation, trace, board } = world;
  return { violation, trace, counts: board.counts, crashed: board.crashed, met: board.met };
}

async function play(world: World, scenario: Scenario): Promise<void> {
  const { clock } = world;
  const isOver = (): boolean => world.violation !== undefined;
  world.start();
  await clock.runUntil(HEALED_MS, isOver);
  if (isOver()) return;
  world.heal();
  const latestMs = HEALED_MS + chooseConvergenceMs(scenario);
  if (await comesToRest(world, { latestMs, isOver })) return;
  world.checkFinal();
  if (isOver() || (await isQuiet(world, isOver)) || isOver()) return;
  world.report('second-pass-changes-nothing', 'the operator goes on writing');
}

/** Most worlds are at rest long before they have to be. True also where a promise was broken. */
async function comesToRest(
  world: World,
  { latestMs, isOver }: { readonly latestMs: number; readonly isOver: () => boolean },
): Promise<boolean> {
  const { board, clock } = world;
  const readLatestMs = (): number =>
    Math.max(latestMs, Math.min(world.underWayUntilMs(), HEALED_MS + LONGEST_MS));
  while (!isOver() && clock.monotonicMs() < readLatestMs()) {
    await clock.runUntil(Math.min(clock.monotonicMs() + LOOK_AGAIN_MS, readLatestMs()), isOver);
    if (clock.monotonicMs() >= HEALED_MS + LAST_KILL_MS) board.close();
    const mayBeAtRest = !isOver() && !board.hasKillsLeft && world.hasConverged();
    if (mayBeAtRest && (await isQuiet(world, isOver))) return true;
  }
  return isOver();
}

/** Whether the operator writes nothing, for so long that it looks at everything once more. */
async function isQuiet(world: World, isOver: () => boolean): Promise<boolean> {
  const before = world.writes.count;
  await world.clock.runUntil(world.clock.monotonicMs() + QUIET_MS, isOver);
  return world.writes.count === before;
}

function chooseConvergenceMs({ steps }: Scenario): number {
  return Math.max(CONVERGENCE_MS, ...steps.map(findLaneMs));
}

function findLaneMs(step: Step): number {
  if ('discovery' in step) return SLOW_LANE_MS;
  if ('traffic' in step && step.traffic.do === 'meddle') {
    return step.traffic.meddling.what === 'editAttribute' ? SLOWEST_LANE_MS : SLOW_LANE_MS;
  }
  const action = 'myIngress' in step ? step.myIngress : undefined;
  const isSlow = action?.do === 'meddle' && action.meddling.what === 'attribute';
  return isSlow ? SLOW_LANE_MS : 0;
}
