import * as fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import type { DifferenceId } from '../../../localstack/differences.ts';
import { startEmbeddedAws } from '../../../localstack/embedded/http/server.ts';
import { type SeededNetwork, seedNetwork } from '../../../localstack/seed.ts';
import { CREDENTIALS } from '../../surroundings/aws-stand-in.ts';
import { type AdapterUnderTest, adapterUnderTest } from '../adapter.ts';
import { backendUnderTest } from '../under-test.ts';
import { isKnownDifference, type Verdict } from './judge.ts';
import type { Outcome } from './side.ts';

/** One of the two that get the same calls. */
export interface Contestant {
  readonly adapter: AdapterUnderTest;
  readonly network: SeededNetwork;
  readonly url: string;
}

/** The embedded stand-in first, then the backend. */
export interface Contest {
  readonly contestants: readonly [Contestant, Contestant];
  close(): Promise<void>;
}

async function startContest(): Promise<Contest> {
  const settings = { budget: 'off', provisioningMs: 0, quota: 1000 } as const;
  const server = await startEmbeddedAws({ settings });
  const network = await seedNetwork({ endpoint: server.url, credentials: CREDENTIALS });
  const { network: theirs, url } = backendUnderTest();
  const ours = { adapter: adapterUnderTest(server.url), network, url: server.url };
  const other = { adapter: adapterUnderTest(), network: theirs, url };
  return {
    contestants: [ours, other],
    close: async () => {
      await ours.adapter.close();
      await other.adapter.close();
      await server.stop();
    },
  };
}

/** One for the tests of a file, which begin once both are there. */
export function useContest(): () => Contest {
  let contest: Contest | undefined;
  beforeAll(async () => {
    contest = await startContest();
  });
  afterAll(() => contest?.close());
  return () => contest as Contest;
}

/** One contestant with what one sequence makes there. */
interface Player<Step> {
  run(step: Step): Promise<Outcome>;
  /** Deletes what the sequence has left. */
  clear(): Promise<void>;
}

export interface Sequences<Step> {
  readonly steps: fc.Arbitrary<readonly Step[]>;
  /** Played first, so that no difference depends on luck. */
  readonly examples?: readonly (readonly Step[])[];
  /** Random ones. */
  readonly count: number;
  readonly seed: number;
  /** What every sequence begins with. */
  readonly opening: readonly Step[];
  /** What every sequence ends with. */
  readonly closing?: readonly Step[];
  playerOf(contestant: Contestant, number: number): Player<Step>;
  /** Returns the judge of one sequence. */
  createJudge(): (step: Step, ours: Outcome, theirs: Outcome) => Verdict;
}

/** What was compared. */
export interface Tally {
  readonly accepted: number;
  readonly refused: number;
  /** Sequences in which the two accounts stayed alike to the end. */
  readonly whole: number;
  /** The differences that came up, sorted. */
  readonly seen: readonly DifferenceId[];
}

/** Both play the same sequences: answers that differ must be a row of the table, else this throws. */
export async function compareSequences<Step>(
  { contestants }: Contest,
  sequences: Sequences<Step>,
): Promise<Tally> {
  const { steps, examples = [], count, seed, opening, closing = [] } = sequences;
  const tally = { accepted: 0, refused: 0, whole: 0 };
  const seen = new Set<DifferenceId>();
  let number = 0;
  const play = async (sequence: readonly Step[]): Promise<void> => {
    const nth = number++;
    const [ours, theirs] = contestants.map((one) => sequences.playerOf(one, nth)) as [
      Player<Step>,
      Player<Step>,
    ];
    const judge = sequences.createJudge();
    try {
      for (const step of [...opening, ...sequence, ...closing]) {
        const [mine, other] = await Promise.all([ours.run(step), theirs.run(step)]);
        tally[mine.code === 'ok' ? 'accepted' : 'refused']++;
        const { difference, isApart } = judge(step, mine, other);
        if (isKnownDifference(difference)) seen.add(difference);
        else expect(mine, JSON.stringify(step)).toEqual(other);
        if (isApart) return;
      }
      tally.whole++;
    } finally {
      await Promise.all([ours.clear(), theirs.clear()]);
    }
  };
  await fc.assert(fc.asyncProperty(steps, play), {
    ...{ seed, numRuns: examples.length + count },
    examples: examples.map((example) => [example]),
  });
  return { ...tally, seen: [...seen].sort() };
}

/** That no rule of a judge is one that never comes up. */
export function knownAmong(judged: ReadonlySet<DifferenceId>): readonly DifferenceId[] {
  return [...judged].filter(isKnownDifference).sort();
}
