import { describe, expect, it } from 'vitest';
import { computeStatus } from '../../../../src/core/controller/status.ts';
import { MOST_CONDITIONS } from '../../../../src/core/objects/conditions.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { settled } from '../../../../src/core/reconcile/outcome.ts';
import type { Pass } from '../../../../src/core/reconcile/reconciler.ts';
import { LifecycleBench } from './lifecycle-bench.ts';
import { probe } from './probe.ts';

const available = (status: 'True' | 'False', message = 'as it is') => ({
  type: 'Available',
  status,
  reason: 'Counted',
  message,
});

type Act = (pass: Pass) => Promise<void> | void;

async function run(bench: LifecycleBench, act: Act): Promise<void> {
  await bench.run({
    reconcile: async (_object, pass) => {
      await act(pass);
      return settled('Active', 'it stands');
    },
  });
}

function typesOf(bench: LifecycleBench): readonly string[] {
  return bench.status?.conditions?.map(({ type }) => type) ?? [];
}

const timeOf = (bench: LifecycleBench): string | undefined =>
  bench.status?.conditions?.find(({ type }) => type === 'Available')?.lastTransitionTime;

describe("a condition of the kind's own", () => {
  it('stands behind those of the core, each type once', async () => {
    const bench = new LifecycleBench();
    await run(bench, (pass) => {
      pass.setCondition({ ...available('True'), type: 'Progressing' });
      pass.setCondition(available('False'));
      pass.setCondition(available('True'));
    });
    expect(typesOf(bench)).toEqual(['Ready', 'Available', 'Progressing']);
    expect(bench.condition('Available')).toBe('True Counted');
  });

  it('changes its time only when its status flips, and says which generation it speaks of', async () => {
    const bench = new LifecycleBench();
    await run(bench, (pass) => pass.setCondition(available('False', 'none')));
    const first = timeOf(bench);
    await bench.clock.advance(60_000);
    await run(bench, (pass) => pass.setCondition(available('False', 'one of three')));
    expect(timeOf(bench)).toBe(first);
    await run(bench, (pass) => pass.setCondition(available('True')));
    expect(timeOf(bench)).not.toBe(first);
    expect(bench.status?.conditions?.[1]).toMatchObject({ observedGeneration: 1 });
  });

  it('stays as it is when a pass does not come to state it', async () => {
    const bench = new LifecycleBench();
    await run(bench, (pass) => pass.setCondition(available('True')));
    const error = new OperatorError({ reason: 'Bad', message: 'bad', healedBy: 'person' });
    await run(bench, () => Promise.reject(error));
    expect(typesOf(bench)).toEqual(['Ready', 'Stalled', 'Available']);
    expect(bench.condition('Available')).toBe('True Counted');
  });

  it('is written also by a pass that fails after stating it', async () => {
    const bench = new LifecycleBench();
    await run(bench, (pass) => {
      pass.setCondition(available('False'));
      throw new Error('a bug');
    });
    expect(bench.condition('Available')).toBe('False Counted');
  });

  it('is not written again by a pass that states the same', async () => {
    const bench = new LifecycleBench();
    await run(bench, (pass) => pass.setCondition(available('True')));
    const before = bench.verbs.length;
    await run(bench, (pass) => pass.setCondition(available('True')));
    expect(bench.verbs).toHaveLength(before);
  });

  it('stands also where others have filled the list: of theirs the end is left out', () => {
    const conditions = Array.from({ length: MOST_CONDITIONS }, (_, index) => ({
      ...{ type: `Aa${index}`, status: 'True' as const, reason: 'Forged', message: '' },
      lastTransitionTime: '2026-01-01T00:00:00Z',
    }));
    const object = { ...probe(), status: { conditions } };
    const verdict = settled('Active', 'it stands');
    const status = computeStatus(object, { reported: {}, stated: [available('True')], verdict }, 0);
    const types = status.conditions?.map(({ type }) => type) ?? [];
    expect(types).toEqual(expect.arrayContaining(['Ready', 'Available', 'Aa0']));
    expect(types).toHaveLength(MOST_CONDITIONS);
  });
});
