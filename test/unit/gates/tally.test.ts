import { describe, expect, it } from 'vitest';
import { type FileTally, judge, lostRun, slowestFiles, type Tally } from '../../gates/tally.ts';

const file = (counts: Partial<FileTally>): FileTally => ({
  name: 'a.test.ts',
  ms: 1,
  passed: 0,
  failed: 0,
  skipped: 0,
  ...counts,
});
const tally = (...files: readonly FileTally[]): Tally => ({
  files,
  filesNotRun: 0,
  unhandledErrors: 0,
  isInterrupted: false,
});

interface Case {
  readonly tally: Tally;
  readonly vitest: number;
  readonly line: string;
  readonly exitCode: number;
  readonly why: string;
}

const cases: Readonly<Record<string, Case>> = {
  'all passed': {
    tally: tally(file({ passed: 2 }), file({ passed: 3 })),
    vitest: 0,
    line: '5 passed, 0 failed',
    exitCode: 0,
    why: 'the one way to succeed',
  },
  'some skipped': {
    tally: tally(file({ passed: 2, skipped: 1 })),
    vitest: 0,
    line: '2 passed, 0 failed, 1 skipped',
    exitCode: 0,
    why: 'what was skipped is said',
  },
  'one failed': {
    tally: tally(file({ passed: 2, failed: 1 })),
    vitest: 1,
    line: '2 passed, 1 failed',
    exitCode: 1,
    why: '',
  },
  'one failed unnoticed': {
    tally: tally(file({ failed: 1 })),
    vitest: 0,
    line: '0 passed, 1 failed',
    exitCode: 1,
    why: 'the count decides, not the code of another program',
  },
  'an error outside of every test': {
    tally: { ...tally(file({ passed: 2 })), unhandledErrors: 1 },
    vitest: 1,
    line: '2 passed, 1 failed',
    exitCode: 1,
    why: 'a rejected promise nobody waited for',
  },
  'files that never began': {
    tally: { ...tally(file({ passed: 2 })), filesNotRun: 3 },
    vitest: 1,
    line: '2 passed, 3 failed',
    exitCode: 1,
    why: 'a control plane that does not start must not look like few tests',
  },
  'no test': {
    tally: tally(),
    vitest: 0,
    line: '0 passed, 0 failed',
    exitCode: 1,
    why: 'a run of nothing proves nothing',
  },
  'nothing but skipped tests': {
    tally: tally(file({ skipped: 4 })),
    vitest: 0,
    line: '0 passed, 0 failed, 4 skipped',
    exitCode: 1,
    why: 'nor does a run that skips everything',
  },
  'a run that was lost': {
    tally: lostRun,
    vitest: 1,
    line: '0 passed, 1 failed',
    exitCode: 1,
    why: 'vitest itself failed, nothing was counted',
  },
  'a failure that only vitest knows of': {
    tally: tally(file({ passed: 1 })),
    vitest: 3,
    line: '1 passed, 0 failed',
    exitCode: 3,
    why: 'such as coverage below a threshold',
  },
  'an interrupted run': {
    tally: { ...tally(file({ passed: 1 })), isInterrupted: true },
    vitest: 130,
    line: '1 passed, 0 failed',
    exitCode: 130,
    why: 'half a run is no success',
  },
};

describe('judge', () => {
  it.each(Object.entries(cases))('counts %s', (_name, { tally: run, vitest, line, exitCode }) => {
    expect(judge(run, vitest)).toMatchObject({ line, exitCode });
  });
});

describe('slowestFiles', () => {
  it('names the slowest first', () => {
    const run = tally(file({ name: 'quick', ms: 5 }), file({ name: 'slow', ms: 61_200 }));
    expect(slowestFiles(run, 1)).toEqual(['   61.2 s  slow']);
  });
});
