import { describe, expect, it } from 'vitest';
import type { MyIngress } from '../../../../src/apis/my-ingress.ts';
import { chooseStyle } from '../../../../src/cli/output/style.ts';
import { chooseExitCode, drawPlans } from '../../../../src/cli/plan/print-plans.ts';
import { hasPlan, readStoredPlan, type ShownPlan } from '../../../../src/cli/plan/stored-plan.ts';
import { draftOf } from '../../controllers/my-ingress/drafts.ts';

const PLAN_MODE = { 'albridge.io/mode': 'plan' };
const PLAN = {
  generation: 1,
  digest: 'sha256:0',
  steps: ['create load-balancer  (not there)'],
  omitted: 0,
};

interface Given {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly plan?: typeof PLAN;
  readonly condition?: readonly [type: string, reason: string];
}

function objectWith({ annotations = PLAN_MODE, plan, condition }: Given): MyIngress {
  const draft = draftOf('shop');
  const [type = 'Ready', reason = 'Planned'] = condition ?? [];
  const status = type === 'Ready' ? 'Unknown' : 'True';
  const stated = { type, reason, status, message: 'as it is', lastTransitionTime: '' } as const;
  return {
    ...draft,
    metadata: { ...draft.metadata, annotations },
    status: { observedGeneration: 1, conditions: [stated], ...(plan && { plan }) },
  };
}

const current: Given = { plan: PLAN };

const cases: Readonly<Record<string, { given: Given; failure: RegExp | undefined }>> = {
  'is shown': { given: current, failure: undefined },
  'is shown in observe mode': {
    given: { ...current, annotations: {}, condition: ['Ready', 'ObserveMode'] },
    failure: undefined,
  },
  'of an older generation is named as such': {
    given: { plan: { ...PLAN, generation: 0 } },
    failure: /^the plan is of generation 0, the object has 1: .* try again in a moment$/,
  },
  'of before a failure is named as such': {
    given: { ...current, condition: ['Stalled', 'AccessDenied'] },
    failure: /^the plan is older than the last attempt, which ended in AccessDenied: as it is$/,
  },
  'that is being executed is named as such': {
    given: { ...current, annotations: {} },
    failure: /^the annotation albridge.io\/mode was removed, so the plan is being executed/,
  },
  'is missing without plan mode': {
    given: { annotations: {}, condition: ['Ready', 'Available'] },
    failure:
      /^it is not in plan mode: kubectl annotate myingress shop -n web albridge.io\/mode=plan$/,
  },
  'is missing before the operator has written it': {
    given: { condition: ['Ready', 'Available'] },
    failure: /^the operator has not written the plan yet: try again in a moment/,
  },
  'is missing after a failure': {
    given: { condition: ['Reconciling', 'Throttled'] },
    failure: /^the operator could not plan it, Throttled: as it is$/,
  },
  'is missing while the object is paused': {
    given: { ...current, annotations: { ...PLAN_MODE, 'albridge.io/paused': 'true' } },
    failure: /^it is paused, which comes before plan mode/,
  },
};

describe('a plan in status', () => {
  it.each(Object.entries(cases))('%s', (_, { given, failure }) => {
    const shown = readStoredPlan(objectWith(given));
    expect(shown.failure ?? '').toMatch(failure ?? /^$/);
    expect(shown.plan).toEqual(given.plan);
    expect(chooseExitCode([shown])).toBe(failure === undefined ? 2 : 1);
  });

  it('counts for -A where it is there or is to come', () => {
    expect(hasPlan(objectWith({}))).toBe(true);
    expect(hasPlan(objectWith({ plan: PLAN, annotations: {} }))).toBe(true);
    expect(hasPlan(objectWith({ annotations: {} }))).toBe(false);
  });
});

describe('printed plans', () => {
  const shown = { namespace: 'web', name: 'shop', notes: [], plan: PLAN } satisfies ShownPlan;
  const empty = { ...shown, name: 'api', plan: { ...PLAN, steps: [] } };
  const style = chooseStyle({ isTTY: false, write: () => undefined }, {});

  it('end in 0 only if nothing would change', () => {
    expect(chooseExitCode([])).toBe(0);
    expect(chooseExitCode([empty])).toBe(0);
    expect(chooseExitCode([empty, shown])).toBe(2);
    expect(chooseExitCode([{ ...empty, plan: { ...empty.plan, omitted: 1 } }])).toBe(2);
    expect(chooseExitCode([shown, { ...empty, failure: 'unknown' }])).toBe(1);
  });

  it('have the steps in the one printed form, without control characters', () => {
    const steps = [
      ...PLAN.steps,
      'add tags to load-balancer  (tag x: observed none, desired \u001b[2J)',
    ];
    const long = { ...shown, notes: ['see'], plan: { ...PLAN, steps, omitted: 3 } };
    expect(drawPlans([long, empty], style, undefined)).toBe(
      'MyIngress web/shop: 5 steps\n' +
        '  create load-balancer  (not there)\n' +
        '  add tags to load-balancer  (tag x: observed none, desired \\u001b[2J)\n' +
        '  and 3 more\n' +
        '  (see)\n' +
        'MyIngress web/api: nothing would change\n',
    );
  });
});
