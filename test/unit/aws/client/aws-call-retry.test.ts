import { describe, expect, it } from 'vitest';
import { retry } from '../../../../src/aws/client/aws-call.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { never } from './scripted-aws-api.ts';

function failing(reason: string, healedBy: 'person' | 'time' = 'time'): OperatorError {
  return new OperatorError({ reason, message: reason, healedBy });
}

interface Run {
  readonly attempts: number;
  readonly tookMs: number;
  readonly outcome: unknown;
}

interface Plan {
  readonly failures: readonly Error[];
  readonly isIdempotent?: boolean;
  readonly attemptMs?: number;
}

/** Runs an operation that fails as planned and then answers "done". */
async function run({ failures, isIdempotent = true, attemptMs = 0 }: Plan): Promise<Run> {
  const clock = new ManualClock();
  let attempts = 0;
  const attempt = async (): Promise<string> => {
    const failure = failures[attempts++];
    const { promise, resolve } = Promise.withResolvers<void>();
    clock.setTimer(attemptMs, resolve);
    await promise;
    if (failure) throw failure;
    return 'done';
  };
  const running = retry(attempt, { clock, signal: never, isIdempotent });
  const outcome = await clock.finish(running).catch((error: unknown) => error);
  return { attempts, tookMs: clock.monotonicMs(), outcome };
}

describe('retry', () => {
  const healed: Readonly<Record<string, Plan & { why: string }>> = {
    'a throttle': { failures: [failing('Throttled')], why: 'AWS asks for it' },
    'two broken connections': {
      failures: [failing('AwsUnreachable'), failing('AwsUnreachable')],
      why: 'three attempts are allowed',
    },
    'an internal error of AWS': { failures: [failing('AwsUnavailable')], why: 'they pass' },
    'a half answer': { failures: [failing('AwsUnreadable')], why: 'the next may be whole' },
    'a throttled create': {
      failures: [failing('Throttled')],
      isIdempotent: false,
      why: 'what was refused was not carried out',
    },
  };
  for (const [name, { why, ...plan }] of Object.entries(healed)) {
    it(`repeats after ${name}, because: ${why}`, async () => {
      const { attempts, outcome } = await run(plan);
      expect(outcome).toBe('done');
      expect(attempts).toBe(plan.failures.length + 1);
    });
  }

  const hopeless: Readonly<Record<string, Plan & { why: string }>> = {
    'a bad spec': { failures: [failing('ValidationError', 'person')], why: 'it stays bad' },
    'a lost lease': { failures: [failing('LeadershipLost')], why: 'another replica writes now' },
    'a spent budget': { failures: [failing('BudgetExhausted')], why: 'no worker sleeps on tokens' },
    'a bug': { failures: [new TypeError('x is undefined')], why: 'it stays a bug' },
    'a create with a broken connection': {
      failures: [failing('AwsUnreachable')],
      isIdempotent: false,
      why: 'it may have been carried out: observe first',
    },
    'a create with an internal error': {
      failures: [failing('AwsUnavailable')],
      isIdempotent: false,
      why: 'it may have been carried out: observe first',
    },
    'a create with a half answer': {
      failures: [failing('AwsUnreadable')],
      isIdempotent: false,
      why: 'it may have been carried out: observe first',
    },
  };
  for (const [name, { why, ...plan }] of Object.entries(hopeless)) {
    it(`does not repeat ${name}, because: ${why}`, async () => {
      expect(await run(plan)).toEqual({ attempts: 1, tookMs: 0, outcome: plan.failures[0] });
    });
  }

  it('gives up after three attempts with the last failure', async () => {
    const failures = [1, 2, 3, 4].map(() => failing('AwsUnavailable'));
    const { attempts, outcome, tookMs } = await run({ failures });
    expect(attempts).toBe(3);
    expect(outcome).toBe(failures[2]);
    expect(tookMs).toBeGreaterThanOrEqual(300);
    expect(tookMs).toBeLessThan(600);
  });

  it('starts no attempt later than two seconds after the first', async () => {
    const failures = [1, 2, 3].map(() => failing('AwsUnreachable'));
    expect((await run({ failures, attemptMs: 1500 })).attempts).toBe(2);
    expect((await run({ failures, attemptMs: 1950 })).attempts).toBe(1);
  });

  it('ends the wait between two attempts with the reason of the signal', async () => {
    const clock = new ManualClock();
    const pass = new AbortController();
    const attempt = (): Promise<never> => Promise.reject(failing('AwsUnavailable'));
    const running = retry(attempt, { clock, signal: pass.signal, isIdempotent: true });
    const outcome = expect(running).rejects.toThrow('the pass is over');
    await clock.settle();
    pass.abort(new Error('the pass is over'));
    await outcome;
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps the answer of an attempt although the signal aborted meanwhile', async () => {
    const clock = new ManualClock();
    const pass = new AbortController();
    const attempt = async (): Promise<string> => {
      pass.abort(new Error('the pass is over'));
      return 'carried out';
    };
    const running = retry(attempt, { clock, signal: pass.signal, isIdempotent: true });
    expect(await clock.finish(running)).toBe('carried out');
  });
});
