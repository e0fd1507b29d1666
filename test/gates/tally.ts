/** The counts of one run of the tests. */
export interface Tally {
  readonly files: readonly FileTally[];
  /** Files that were found and never began, because globalSetup failed. */
  readonly filesNotRun: number;
  readonly unhandledErrors: number;
  readonly isInterrupted: boolean;
}

export interface FileTally {
  readonly name: string;
  readonly ms: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A run that ended before it could count: vitest itself failed. */
export const lostRun: Tally = {
  files: [],
  filesNotRun: 0,
  unhandledErrors: 1,
  isInterrupted: false,
};

export interface Verdict {
  /** Exactly `N passed, N failed`, and `, N skipped` where some were. */
  readonly line: string;
  readonly exitCode: number;
  /** Says what the line cannot: why a run without a failed test is no success. */
  readonly remark?: string;
}

/** `exitCode` is vitest's own: whatever it calls a failure is one. */
export function judge(tally: Tally, exitCode: number): Verdict {
  const passed = sum(tally.files, (file) => file.passed);
  const skipped = sum(tally.files, (file) => file.skipped);
  const failed = sum(tally.files, (file) => file.failed) + failuresElsewhere(tally);
  const line = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  if (tally.isInterrupted) return { line, exitCode: 130, remark: 'interrupted' };
  if (failed > 0) return { line, exitCode: 1 };
  if (passed === 0) return { line, exitCode: 1, remark: 'no test ran, which proves nothing' };
  if (exitCode !== 0) return { line, exitCode, remark: `vitest ended with code ${exitCode}` };
  return { line, exitCode: 0 };
}

/** The `count` files that took longest, as lines. */
export function slowestFiles(tally: Tally, count: number): readonly string[] {
  return tally.files
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, count)
    .map((file) => `${(file.ms / 1000).toFixed(1).padStart(7)} s  ${file.name}`);
}

function failuresElsewhere(tally: Tally): number {
  return tally.unhandledErrors + (tally.isInterrupted ? 0 : tally.filesNotRun);
}

function sum(files: readonly FileTally[], count: (file: FileTally) => number): number {
  return files.reduce((total, file) => total + count(file), 0);
}
