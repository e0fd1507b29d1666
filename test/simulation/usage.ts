/** What `npm run simulate -- --help` prints. */
export const USAGE = `npm run simulate -- [options]: runs the whole operator in random scenarios, under a virtual clock.

  --seeds N [--first S]   N scenarios, of the seeds S, S+1, ... (default 500, at most 1000000, starting at 1)
  --seed S [--trace]      one scenario again, exactly; --trace prints every step
  --crash "LABEL/PHASE/N" with --seed: one more kill, as a failure prints it; may be repeated.
                          LABEL is an operation, N counts it; without a hit the exit code is 2
  --scenario FILE         a scenario as a failure prints it after "shrunk:"
  --mutation NAME         plants a bug into the source as it is loaded; it must be caught (exit code 1)
  --met                   lists the faults, the actions of users, the reported reasons and
                          all crash points
  --unshrunk              prints a failure as it was found: seed and message, without shrinking

A failure is shrunk to the smallest scenario that still fails, and printed with its whole trace and
a timeline of its objects (users, operator, AWS, cluster; ms).

It ends with "N scenarios, V violations, C/C crash points". A crash point is an operation of a port
and a phase: before (never sent), unanswered (carried out, the answer reaches nobody), after
(answered). Every operation of a run without faults counts three times. Crash points that the N
scenarios have missed are hit on purpose: a calm seed runs again with up to four such kills. These runs
do not count as scenarios; the last line but one shows their number, and their violations count.

Exit code 0: no promise was broken and every crash point was hit; 1: otherwise; 2: the simulation itself
failed, for example because the source line of a planted bug no longer exists, or --crash killed no process.
`;

/** Named wrongly by the caller: one sentence, no stack. */
export class UsageError extends Error {}

/** A step that cannot be performed. */
export class StepError extends Error {}
