// Lives here: the checks of `albridge doctor`: of the cluster, of the operator in it, of the AWS account.
// May import it: src/cli.
// Start with: this file, then src/cli/commands/doctor.ts.

import { describeError } from '../errors.ts';

/** One line of the doctor. */
export interface Check {
  readonly name: string;
  readonly verdict: Verdict;
  readonly message: string;
  /** The next step, where there is one. */
  readonly next?: string;
}

/** `not checked`: it could not be found out, which is no failure. */
export type Verdict = 'ok' | 'warning' | 'failed' | 'not checked';

/** A check that throws has failed, and the others go on. */
export async function guard(
  name: string,
  work: () => Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  try {
    return await work();
  } catch (error) {
    return [{ name, verdict: 'failed', message: describeError(error) }];
  }
}

/** AWS refuses requests that are signed more than five minutes off: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-troubleshooting.html */
const MOST_SKEW_MS = 4 * 60_000;
/** The header Date has whole seconds, and a request takes its time. */
const LITTLE_SKEW_MS = 10_000;

/** This machine's clock against that of a server, by the header Date of its answer. */
export function checkClock(whose: string, date: string | undefined, nowMs: number): Check {
  const name = `clock and ${whose}`;
  const skewMs = nowMs - Date.parse(date ?? '');
  if (Number.isNaN(skewMs))
    return { name, verdict: 'not checked', message: 'the answer has no header Date' };
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const message = `this machine is ${seconds} s ${skewMs < 0 ? 'behind' : 'ahead of'} ${whose}`;
  const next = 'set the clock of this machine, or of the server, by NTP';
  if (Math.abs(skewMs) > MOST_SKEW_MS) return { name, verdict: 'failed', message, next };
  if (Math.abs(skewMs) > LITTLE_SKEW_MS) return { name, verdict: 'warning', message, next };
  return { name, verdict: 'ok', message: `less than ${LITTLE_SKEW_MS / 1000} s apart` };
}
