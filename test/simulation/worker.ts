import { enableCompileCache } from 'node:module';
import type { Job } from './job.ts';
import { plant } from './plant.ts';
import type { Violation } from './violation.ts';

/** What a worker tells of one job. */
export interface JobResult {
  readonly job: Job;
  readonly violation?: Violation;
  /** How often each operation was begun; of runs without a fault that do the same until a process is killed. */
  readonly counts?: Readonly<Record<string, number>>;
  /** Crash points that were hit. */
  readonly crashed: readonly string[];
  /** Faults that struck, what people did, reasons that were told. */
  readonly met: readonly string[];
}

// Nobody reads the stacks of errors that are part of the play, and they are dear.
Error.stackTraceLimit = 0;

enableCompileCache();

/** A process that runs the jobs it is sent, one at a time; its argument is the bug to plant. */
const [mutation] = process.argv.slice(2);
if (mutation) plant(mutation);
const { scenarioOf } = await import('./job.ts');
const { runScenario } = await import('./run-scenario.ts');
const { isCalmAlone } = await import('./my-ingress/stories.ts');

process.on('message', (job: Job) => {
  void run(job).then((result) => process.send?.(result));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function run(job: Job): Promise<JobResult> {
  const scenario = scenarioOf(job);
  const { violation, counts, crashed, met } = await runScenario(scenario);
  const isRepeatable = scenario.faults.length === 0 && !scenario.steps.some(isCalmAlone);
  return {
    job,
    crashed: [...crashed],
    met: [...met],
    ...(violation && { violation }),
    ...(isRepeatable && { counts: Object.fromEntries(counts) }),
  };
}
