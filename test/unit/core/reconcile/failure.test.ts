import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reasonsByKind } from '../../../../docs/reasons.ts';
import { createFailure } from '../../../../src/core/reconcile/failure.ts';

const reasons = {
  Running: { healedBy: 'nobody', next: 'enjoy' },
  BackOff: { healedBy: 'time', next: 'check kubectl logs <pod>, or delete pod <pod>' },
  SpecMissing: { healedBy: 'person', next: 'set spec.image' },
} as const;

describe('a failure', () => {
  it('is what was observed, then what its table says to do next, and healed as the table says', () => {
    const failure = createFailure(reasons, 'SpecMissing', { observed: 'no image' });
    expect(failure).toMatchObject({ reason: 'SpecMissing', healedBy: 'person' });
    expect(failure.message).toBe('no image; set spec.image');
  });

  it('names what the table leaves blank', () => {
    const observed = 'pod shop has ended';
    const failure = createFailure(reasons, 'BackOff', {
      observed,
      fill: { pod: 'shop' },
      retryAfterMs: 5,
    });
    expect(failure).toMatchObject({ healedBy: 'time', retryAfterMs: 5 });
    expect(failure.message).toBe(`${observed}; check kubectl logs shop, or delete pod shop`);
  });

  it('with a blank that nothing fills, or of a reason that nothing has to heal, does not compile', () => {
    // @ts-expect-error: `fill` is missing
    expect(createFailure(reasons, 'BackOff', { observed: 'x' }).message).toContain('<pod>');
    // @ts-expect-error: nothing is to heal
    createFailure(reasons, 'Running', { observed: 'x' });
  });

  it.each(Object.entries(reasonsByKind))('of a %s can be built of each reason', (_kind, table) => {
    const rows = Object.entries(table.reasons).filter(([, { healedBy }]) => healedBy !== 'nobody');
    expect(rows.length).toBeGreaterThan(4);
    for (const [reason, { healedBy, next }] of rows) {
      const failure = createFailure({ [reason]: { healedBy: healedBy as 'time', next } }, reason, {
        observed: 'this was observed',
        fill: {},
      });
      expect(failure).toMatchObject({ reason, healedBy, message: `this was observed; ${next}` });
    }
  });

  it('is built from the table of its kind alone', () => {
    const root = resolve(import.meta.dirname, '../../../..');
    const paths = globSync('src/controllers/**/*.ts', { cwd: root });
    const texts = paths.map((path) => [path, readFileSync(resolve(root, path), 'utf8')] as const);
    const byHand = texts.filter(([, text]) => text.includes('new OperatorError('));
    // They take healing and next action from the table of MyIngress, or name a defect of ours.
    const excused = ['my-ingress/failure.ts', 'targets/flusher.ts'];
    expect(byHand.map(([path]) => path).toSorted()).toEqual(
      excused.map((path) => `src/controllers/${path}`),
    );
    const built = texts.flatMap(([, text]) => text.match(/createFailure\(\s*\w+Reasons,/g) ?? []);
    expect(built.length).toBeGreaterThanOrEqual(15);
  });
});
