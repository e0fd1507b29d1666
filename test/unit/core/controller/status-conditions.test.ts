import { describe, expect, it } from 'vitest';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { settled } from '../../../../src/core/reconcile/outcome.ts';
import type { Pass } from '../../../../src/core/reconcile/reconciler.ts';
import { LifecycleBench } from './lifecycle-bench.ts';

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
});
