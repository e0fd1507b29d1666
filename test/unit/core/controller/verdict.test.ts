import { describe, expect, it } from 'vitest';
import { describeVerdict, type Verdict } from '../../../../src/core/controller/verdict.ts';
import type { Headline } from '../../../../src/core/objects/conditions.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { settled, waiting } from '../../../../src/core/reconcile/outcome.ts';

interface Case {
  readonly why: string;
  readonly verdict: Verdict;
  readonly headline: Partial<Headline> | undefined;
}

const SAID = { reason: 'Throttled', message: 'slow down' };

const cases: Record<string, Case> = {
  settled: {
    why: 'the world matches the spec',
    verdict: settled('Active', 'it stands'),
    headline: { ready: 'True', reason: 'Active', message: 'it stands' },
  },
  waiting: {
    why: 'kstatus: in progress',
    verdict: waiting('Provisioning', 'it comes', 1),
    headline: { ready: 'False', mark: 'Reconciling', reason: 'Provisioning', message: 'it comes' },
  },
  'failed, time heals': {
    why: 'a failed look is no news',
    verdict: failed('time', false),
    headline: { ready: 'keep', mark: 'Reconciling', ...SAID },
  },
  'failed, time heals, the world was seen to differ': {
    why: 'Ready=True would be untrue',
    verdict: failed('time', true),
    headline: { ready: 'False', mark: 'Reconciling', ...SAID },
  },
  'failed, a person must act': {
    why: 'kstatus: failed',
    verdict: failed('person', false),
    headline: { ready: 'False', mark: 'Stalled', ...SAID },
  },
  paused: {
    why: 'nobody looks, so nobody knows',
    verdict: { kind: 'paused', isBeingDeleted: false, by: 'annotation' },
    headline: { ready: 'Unknown', reason: 'Paused', message: expect.stringContaining('remove it') },
  },
  'paused while being deleted': {
    why: 'a person who waits for the deletion must read why',
    verdict: { kind: 'paused', isBeingDeleted: true, by: 'annotation' },
    headline: {
      ready: 'Unknown',
      reason: 'Paused',
      message: expect.stringContaining('the deletion waits'),
    },
  },
  'not begun, the operator observes': {
    why: 'a kind without plans is as good as paused',
    verdict: { kind: 'paused', isBeingDeleted: false, by: 'operator' },
    headline: {
      ...{ ready: 'Unknown', reason: 'ObserveMode' },
      message:
        'nothing is written or checked while ALBRIDGE_MODE is observe; set it to reconcile to resume',
    },
  },
  planned: {
    why: 'who reads the plan must read how to have it carried out',
    verdict: { kind: 'planned', message: 'two steps', by: 'annotation' },
    headline: {
      ...{ ready: 'Unknown', reason: 'Planned' },
      message: 'two steps; remove the annotation albridge.io/mode to execute it',
    },
  },
  'planned, the operator observes': {
    why: 'here the annotation is not what keeps it',
    verdict: { kind: 'planned', message: 'two steps', by: 'operator' },
    headline: {
      ...{ ready: 'Unknown', reason: 'ObserveMode' },
      message: 'two steps; set ALBRIDGE_MODE to reconcile to execute it',
    },
  },
  gone: { why: 'nobody to tell', verdict: { kind: 'gone' }, headline: undefined },
  released: { why: 'nobody to tell', verdict: { kind: 'released' }, headline: undefined },
  aborted: { why: 'says nothing of it', verdict: { kind: 'aborted' }, headline: undefined },
};

describe('describeVerdict', () => {
  it.each(Object.entries(cases))('%s', (_name, { verdict, headline, why }) => {
    expect(describeVerdict(verdict), why).toEqual(headline);
  });
});

function failed(healedBy: 'person' | 'time', isReadyDisproved: boolean): Verdict {
  return { kind: 'failed', error: new OperatorError({ ...SAID, healedBy }), isReadyDisproved };
}
