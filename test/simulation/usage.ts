/** What `npm run simulate -- --help` prints. */
export const USAGE = `npm run simulate -- [options]: the whole operator in random worlds, under a virtual clock.

  --seeds N [--first S]   N scenarios, of the seeds S, S+1, ... (default 500, from 1 on)
  --seed S [--trace]      one scenario again, exactly; --trace prints all that happens in it
  --crash "LABEL/PHASE/N" with --seed: one kill more, as a failure prints it; may be repeated
  --scenario FILE         a scenario as a failure prints it after "shrunk:"
  --mutation NAME         plants a bug into the source as it is loaded; it must be caught (exit code 1)
  --met                   lists the faults that struck, what people did and the reasons that were told
  --unshrunk              a failure is printed as it was found: seed and sentence, no shrunk trace

A failure is shrunk to what it takes, and printed with a timeline of the objects that it is about
(people, operator, AWS, cluster; ms) and its whole trace.

It closes with "N scenarios, V violations, C/C crash points". A crash point is an operation of a port
and a phase: before (never sent), unanswered (carried out, the answer reaches nobody), after
(answered). Every operation that a run without a fault begins counts, times three. What chance has not
hit among the N scenarios is aimed at: a calm seed runs again with up to four such kills. These runs
are no scenarios of their own; the line before the last tells how many there were, and what they break
counts among the violations.

Exit code 0: no promise was broken and every crash point was hit; 1: not so; 2: the simulation itself
does not work, such as a planted bug whose place in the source is gone.
`;

/** Named wrongly by the caller: one sentence, no stack. */
export class UsageError extends Error {}
