import { describe, expect, it } from 'vitest';
import { type Steps, takeSteps } from '../../aws/account/steps.ts';

/** A run in which all goes well but for `other`; `taken` has its steps in their order. */
function play(other: Partial<Steps>) {
  const taken: string[] = [];
  const signal = new AbortController().signal;
  const steps: Steps = {
    runSuite: async () => 0,
    ask: async () => ({ e: 'accepted' }),
    keep: () => 0,
    remove: async () => 0,
    signal,
    ...other,
  };
  const code = takeSteps({
    ...steps,
    keep: (answers) => {
      taken.push(`keep ${Object.keys(answers).join()}`);
      return steps.keep(answers);
    },
    remove: () => {
      taken.push('remove');
      return steps.remove();
    },
  });
  return { code, taken };
}

const fail = async (): Promise<never> => Promise.reject(new Error('read ECONNRESET'));

describe('a run in an account', () => {
  it('keeps its recording before it removes what it made', async () => {
    const { code, taken } = play({});
    expect(await code).toBe(0);
    expect(taken).toEqual(['keep e', 'remove']);
  });

  it.each([
    ['the suite cannot run', { runSuite: fail }],
    ['the questions fail', { ask: fail }],
  ])('keeps its recording and removes what it made where %s', async (_, other) => {
    const { code, taken } = play(other);
    await expect(code).rejects.toThrow('ECONNRESET');
    expect(taken).toEqual(['keep ', 'remove']);
  });

  it('removes what it made where the recording cannot be kept', async () => {
    const keep = (): never => {
      throw new Error('ENOSPC');
    };
    const { code, taken } = play({ keep });
    await expect(code).rejects.toThrow('ENOSPC');
    expect(taken).toEqual(['keep e', 'remove']);
  });

  const codes: Readonly<Record<string, { readonly other: Partial<Steps>; readonly code: number }>> =
    {
      'an interruption': { other: { signal: AbortSignal.abort() }, code: 130 },
      'leftovers of an interruption': {
        other: { signal: AbortSignal.abort(), remove: async () => 1 },
        code: 1,
      },
      leftovers: { other: { remove: async () => 1 }, code: 1 },
      'a failed test': { other: { runSuite: async () => 1 }, code: 1 },
      'a recording that contradicts the table': { other: { keep: () => 1 }, code: 1 },
    };
  it.each(Object.entries(codes))('exits after %s as it should', async (_, { other, code }) => {
    expect(await play(other).code).toBe(code);
  });
});
