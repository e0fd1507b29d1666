import { describe, expect, it } from 'vitest';
import type { StatedCondition } from '../../../../src/core/objects/conditions.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { type Outcome, settled, waiting } from '../../../../src/core/reconcile/outcome.ts';
import type { Reconciler } from '../../../../src/core/reconcile/reconciler.ts';
import { LifecycleBench } from './lifecycle-bench.ts';
import { PROBE_FINALIZER, type Probe, probe } from './probe.ts';

const WAITS = waiting('Provisioning', 'it comes', 1000);
const DONE = settled('Active', 'it stands');
const THROTTLED = failure('Throttled', 'time');
const STALLED = failure('SubnetNotFound', 'person');

type Step = Outcome | OperatorError;

const stories: Record<string, { why: string; steps: readonly Step[]; events: readonly string[] }> =
  {
    'an ordinary life': {
      why: 'one event for each state that people tell apart',
      steps: [WAITS, WAITS, WAITS, DONE, DONE],
      events: ['Normal Provisioning', 'Normal Active'],
    },
    'another sentence': {
      why: 'a message that reads differently is no transition',
      steps: [WAITS, { ...WAITS, message: '40 s so far' }, DONE, { ...DONE, message: 'as ever' }],
      events: ['Normal Provisioning', 'Normal Active'],
    },
    'a failure that time heals': {
      why: 'it is told once, and so is its end',
      steps: [DONE, THROTTLED, THROTTLED, THROTTLED, DONE],
      events: ['Normal Active', 'Warning Throttled', 'Normal Active'],
    },
    'a failure that a person must heal': {
      why: 'it is told once, however often it is looked at again',
      steps: [STALLED, STALLED, STALLED, DONE],
      events: ['Warning SubnetNotFound', 'Normal Active'],
    },
    'one failure after the other': {
      why: 'another reason is another state',
      steps: [THROTTLED, STALLED, failure('TooManyLoadBalancers', 'person')],
      events: ['Warning Throttled', 'Warning SubnetNotFound', 'Warning TooManyLoadBalancers'],
    },
  };

describe('transitions', () => {
  it.each(Object.entries(stories))('%s', async (_name, { steps, events, why }) => {
    const bench = await told(steps);
    const said = bench.events.recorded.map(({ type, reason }) => `${type} ${reason}`);
    expect(said, why).toEqual(events);
    expect(bench.log.shown, why).toHaveLength(events.length);
  });

  it('are no event where another event of the pass stands for them', async () => {
    const bench = new LifecycleBench(probe('one', { finalizers: [PROBE_FINALIZER] }));
    await bench.run({ reconcile: async () => ({ ...WAITS, isReported: true }) });
    expect(bench.events.reasons).toEqual([]);
    expect(bench.condition('Reconciling')).toBe('True Provisioning');
    expect(bench.log.shown).toMatchObject([
      { message: 'condition changed', fields: { message: WAITS.message } },
    ]);
  });

  it('name the object, the reason and the sentence, in a line of the log that can be grouped', async () => {
    const bench = await told([STALLED]);
    expect(bench.events.recorded).toEqual([
      {
        key: bench.key,
        kind: 'Probe',
        uid: bench.object.metadata.uid,
        type: 'Warning',
        reason: 'SubnetNotFound',
        action: 'Reconcile',
        note: 'SubnetNotFound happened',
      },
    ]);
    expect(bench.log.shown).toMatchObject([
      {
        level: 'error',
        message: 'reconcile failed',
        fields: { reason: 'SubnetNotFound', condition: 'Stalled', status: 'True', err: STALLED },
      },
    ]);
  });

  describe('of an announced condition', () => {
    const lacking = { type: 'Filled', status: 'False', reason: 'Empty', message: 'none' } as const;
    const filled = { ...lacking, status: 'True', reason: 'Full', message: 'all' } as const;
    const state = (
      condition: StatedCondition,
      outcome: Outcome,
    ): Reconciler<Probe>['reconcile'] => {
      return async (_object, pass) => {
        pass.setCondition(condition, condition.status === 'True' ? 'Normal' : 'Warning');
        return outcome;
      };
    };

    it('are one event each, with its sentence, and never one per pass', async () => {
      const bench = await told([DONE]);
      for (const condition of [lacking, { ...lacking, message: 'few' }, filled, filled]) {
        await bench.run({ reconcile: state(condition, DONE) });
      }
      expect(bench.events.recorded.slice(1)).toMatchObject([
        { type: 'Warning', reason: 'Empty', action: 'Reconcile', note: 'none' },
        { type: 'Normal', reason: 'Full', note: 'all' },
      ]);
      expect(bench.log.shown.slice(1)).toMatchObject([
        { fields: { condition: 'Filled', status: 'False', reason: 'Empty', message: 'none' } },
        { fields: { condition: 'Filled', status: 'True', reason: 'Full' } },
      ]);
    });

    it('are none where how the pass ends has the same reason', async () => {
      const bench = await told([DONE]);
      await bench.run({ reconcile: state(lacking, waiting('Empty', 'none yet', 1000)) });
      expect(bench.events.reasons).toEqual(['Active', 'Empty']);
    });

    it('are an event once they are stored, and not where that fails', async () => {
      const bench = await told([DONE]);
      bench.beforeStatus = () => {
        throw failure('Throttled', 'time');
      };
      await bench.run({ reconcile: state(lacking, DONE) });
      bench.beforeStatus = () => {};
      expect(bench.events.reasons).toEqual(['Active']);
      await bench.run({ reconcile: state(lacking, DONE) });
      expect(bench.events.reasons).toEqual(['Active', 'Empty']);
    });
  });

  describe('whose write is carried out and not answered', () => {
    const unanswered = new OperatorError({
      reason: 'ApiServerUnavailable',
      message: 'write status: connection reset',
      healedBy: 'time',
      isUnanswered: true,
    });
    const loseAnswer = async (bench: LifecycleBench, step: Step): Promise<void> => {
      bench.afterStatus = () => {
        bench.afterStatus = () => {};
        throw unanswered;
      };
      await bench.run({ reconcile: () => answer(step) });
    };

    it('are reported by the pass that observes them stored', async () => {
      const bench = await told([DONE]);
      await loseAnswer(bench, STALLED);
      expect(bench.condition('Stalled')).toBe('True SubnetNotFound');
      for (const _ of [1, 2]) await bench.run({ reconcile: () => answer(STALLED) });
      expect(bench.events.reasons).toEqual(['Active', 'SubnetNotFound']);
      const errors = bench.log.shown.filter(({ level }) => level === 'error');
      expect(errors).toMatchObject([{ fields: { condition: 'Stalled', err: STALLED } }]);
    });

    it('are reported where an old cache makes the next write a conflict', async () => {
      const bench = await told([DONE]);
      bench.cache.hold();
      await loseAnswer(bench, STALLED);
      await bench.clock.advance(2000);
      await bench.run({ reconcile: () => answer(STALLED) });
      bench.cache.catchUp();
      await bench.run({ reconcile: () => answer(STALLED) });
      expect(bench.events.reasons).toEqual(['Active', 'SubnetNotFound']);
    });

    it('are none where the next pass is back at what was reported', async () => {
      const bench = await told([DONE]);
      await loseAnswer(bench, THROTTLED);
      await bench.run({ reconcile: () => answer(DONE) });
      expect(bench.events.reasons).toEqual(['Active']);
      await bench.run({ reconcile: () => answer(THROTTLED) });
      expect(bench.events.reasons).toEqual(['Active', 'Throttled']);
    });

    it('count for that object alone, not for another of its name', async () => {
      const bench = await told([DONE]);
      await loseAnswer(bench, STALLED);
      bench.kube.editMeta(bench.object, { finalizers: [] });
      bench.kube.delete(bench.object);
      bench.kube.create(probe('one', { finalizers: [PROBE_FINALIZER] }));
      await bench.run({ reconcile: () => answer(DONE) });
      expect(bench.events.reasons).toEqual(['Active', 'Active']);
    });
  });

  it('are errors in the log only where a person should act', async () => {
    const bug = new TypeError('x is undefined');
    const translated = failure('Throttled', 'time', new Error('Rate exceeded'));
    const bench = await told([DONE, translated, STALLED, bug]);
    expect(bench.log.shown.map(({ level, fields }) => `${level} ${String(fields.reason)}`)).toEqual(
      ['info Active', 'info Throttled', 'error SubnetNotFound', 'error InternalError'],
    );
  });
});

/** One pass per step over one object. */
async function told(steps: readonly (Outcome | Error)[]): Promise<LifecycleBench> {
  const bench = new LifecycleBench(probe('one', { finalizers: [PROBE_FINALIZER] }));
  for (const step of steps) {
    await bench.run({ reconcile: () => answer(step) });
    await bench.clock.advance(1000);
  }
  return bench;
}

function answer(step: Outcome | Error): Promise<Outcome> {
  return step instanceof Error ? Promise.reject(step) : Promise.resolve(step);
}

function failure(reason: string, healedBy: 'person' | 'time', cause?: unknown): OperatorError {
  return new OperatorError({ reason, message: `${reason} happened`, healedBy, cause });
}
