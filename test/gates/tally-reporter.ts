import { writeFileSync } from 'node:fs';
import type {
  Reporter,
  SerializedError,
  TestModule,
  TestRunEndReason,
  TestSpecification,
  Vitest,
} from 'vitest/node';
import type { FileTally, Tally } from './tally.ts';

/**
 * A reporter for vitest that leaves the counts of a run as JSON in the file TALLY_FILE, and that
 * makes an interrupted run stop what its globalSetup started: by itself vitest is gone a
 * millisecond after the signal.
 */
export default class TallyReporter implements Reporter {
  #filesFound = 0;

  onInit(vitest: Vitest): void {
    let isCancelling = false;
    const cancel = (): void => {
      if (!isCancelling) void vitest.cancelCurrentRun('keyboard-input');
      isCancelling = true;
    };
    for (const signal of ['SIGINT', 'SIGTERM']) {
      process.removeAllListeners(signal);
      process.on(signal, cancel);
    }
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#filesFound = specifications.length;
  }

  onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    const file = process.env['TALLY_FILE'];
    if (file === undefined) throw new Error('TALLY_FILE is not set');
    const tally: Tally = {
      files: modules.map(tallyFile),
      filesNotRun: Math.max(0, this.#filesFound - modules.length),
      unhandledErrors: unhandledErrors.length,
      isInterrupted: reason === 'interrupted',
    };
    writeFileSync(file, JSON.stringify(tally));
  }
}

function tallyFile(module: TestModule): FileTally {
  const { collectDuration, duration } = module.diagnostic();
  const tests = [...module.children.allTests()];
  const count = (state: string): number =>
    tests.filter((test) => test.result().state === state).length;
  const broken = [module, ...module.children.allSuites()].filter((it) => it.errors().length > 0);
  return {
    name: module.relativeModuleId,
    ms: collectDuration + duration,
    passed: count('passed'),
    // a file that does not load or a hook that throws is a failure, although it is no test
    failed: count('failed') + count('pending') + broken.length,
    skipped: count('skipped'),
  };
}
