type Answers = Readonly<Record<string, string>>;

/** A run from the moment when it may have made something. */
export interface Steps {
  /** These two, and `remove`, answer with an exit code. */
  readonly runSuite: () => Promise<number>;
  readonly keep: (answers: Answers) => number;
  readonly ask: () => Promise<Answers>;
  /** Removes all that was made. */
  readonly remove: () => Promise<number>;
  readonly signal: AbortSignal;
}

/**
 * The exit code. The recording was paid for, so it is kept after every failure, and before the removal,
 * which takes minutes. What is left costs more, so it counts more than an interruption.
 */
export async function takeSteps({ runSuite, ask, keep, remove, signal }: Steps): Promise<number> {
  const codes = { suite: 1, kept: 1, removed: 1 };
  let answers: Answers = {};
  try {
    codes.suite = await runSuite();
    answers = await ask();
  } finally {
    try {
      codes.kept = keep(answers);
    } finally {
      codes.removed = await remove();
    }
  }
  if (codes.removed !== 0) return codes.removed;
  return signal.aborted ? 130 : codes.kept || codes.suite;
}
