import { generate } from './generate.ts';
import { PHASES, type Phase, type Scenario } from './scenario.ts';
import { UsageError } from './usage.ts';

/** One run: a seed, and perhaps further crashes in it. */
export interface Job {
  readonly seed: number;
  readonly crashes?: readonly CrashPoint[];
}

export interface CrashPoint {
  readonly label: string;
  readonly phase: Phase;
  readonly nth: number;
}

const RESTART_MS = 1500;

export function scenarioOf({ seed, crashes = [] }: Job): Scenario {
  const scenario = generate(seed);
  const more = crashes.map(
    (crash) => ({ kind: 'crash', ...crash, restartMs: RESTART_MS }) as const,
  );
  return { ...scenario, faults: [...scenario.faults, ...more] };
}

/** `--seed 12 --crash "aws AddTags/unanswered/1"`: how the run is repeated. */
export function argumentsOf({ seed, crashes = [] }: Job): string {
  const more = crashes.map(({ label, phase, nth }) => ` --crash "${label}/${phase}/${nth}"`);
  return `--seed ${seed}${more.join('')}`;
}

/** The inverse of what `argumentsOf` prints; a label may hold slashes itself. */
export function parseCrash(text: string): CrashPoint {
  const match = text.match(/^(.+)\/(\w+)\/(\d+)$/);
  const phase = PHASES.find((one) => one === match?.[2]);
  if (!match || !phase) throw new UsageError(`--crash takes LABEL/PHASE/NTH, not "${text}"`);
  return { label: match[1] ?? '', phase, nth: Number(match[3]) };
}
