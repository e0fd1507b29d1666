import { describe, expect, it } from 'vitest';
import { computeStatus, hasSameStatus } from '../../../../src/core/controller/status.ts';
import type { Verdict } from '../../../../src/core/controller/verdict.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { settled } from '../../../../src/core/reconcile/outcome.ts';
import { type Probe, type ProbeStatus, probe } from './probe.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const DONE = settled('Active', 'it stands');

describe('computeStatus', () => {
  it('speaks for the generation that the pass has seen', () => {
    const status = computeStatus(
      object({ generation: 3 }),
      { reported: {}, verdict: DONE },
      NOW_MS,
    );
    expect(status.observedGeneration).toBe(3);
    expect(status.conditions).toMatchObject([{ type: 'Ready', observedGeneration: 3 }]);
  });

  it('replaces the default of a fresh object', () => {
    const fresh = { ...object({ generation: 1 }), status: { observedGeneration: -1 } };
    expect(computeStatus(fresh, { reported: {}, verdict: DONE }, NOW_MS).observedGeneration).toBe(
      1,
    );
  });

  it('keeps what earlier passes reported, overwrites what this one did, drops what is undefined', () => {
    const before = { ...object(), status: { arn: 'old', dns: 'dns', zone: 'z' } as ProbeStatus };
    const status = computeStatus(
      before,
      { reported: { arn: 'new', zone: undefined }, verdict: DONE },
      NOW_MS,
    );
    expect(status).toMatchObject({ arn: 'new', dns: 'dns' });
    expect(status).not.toHaveProperty('zone');
  });

  it('echoes the newest request for a pass, also from a pass that failed', () => {
    const asked = object({ annotations: { 'albridge.io/reconcile-requested-at': 'now' } });
    for (const verdict of [DONE, failed()]) {
      expect(computeStatus(asked, { reported: {}, verdict }, NOW_MS).lastHandledReconcileAt).toBe(
        'now',
      );
    }
  });

  it('does not echo a request that the pause has left undone', () => {
    const asked = object({ annotations: { 'albridge.io/reconcile-requested-at': 'now' } });
    const status = computeStatus(
      asked,
      { reported: {}, verdict: { kind: 'paused', isBeingDeleted: false, by: 'annotation' } },
      NOW_MS,
    );
    expect(status).not.toHaveProperty('lastHandledReconcileAt');
  });

  it('adds only what was reported where the verdict says nothing of the object', () => {
    const before = { ...object({ generation: 2 }), status: { observedGeneration: 1 } };
    const status = computeStatus(
      before,
      { reported: { arn: 'a' }, verdict: { kind: 'aborted' } },
      NOW_MS,
    );
    expect(status).toEqual({ observedGeneration: 1, arn: 'a' });
  });
});

describe('hasSameStatus', () => {
  it('is true for the status of a second pass, whatever the order of its fields', () => {
    const first = computeStatus(object(), { reported: { arn: 'a' }, verdict: DONE }, NOW_MS);
    const stored = Object.fromEntries(Object.entries(first).reverse());
    const seen = { ...object(), status: stored };
    expect(
      hasSameStatus(
        seen,
        computeStatus(seen, { reported: { arn: 'a' }, verdict: DONE }, NOW_MS + 60_000),
      ),
    ).toBe(true);
  });

  it('is false for anything that people or machines could read', () => {
    const seen = {
      ...object(),
      status: computeStatus(object(), { reported: { arn: 'a' }, verdict: DONE }, NOW_MS),
    };
    const later = [
      computeStatus(seen, { reported: { arn: 'b' }, verdict: DONE }, NOW_MS),
      computeStatus(seen, { reported: {}, verdict: settled('Active', 'another sentence') }, NOW_MS),
      computeStatus(seen, { reported: {}, verdict: failed() }, NOW_MS),
    ];
    for (const status of later) expect(hasSameStatus(seen, status)).toBe(false);
  });

  it('takes no status for an empty one', () => {
    expect(hasSameStatus(object(), {})).toBe(true);
  });
});

function object(metadata: Partial<Probe['metadata']> = {}): Probe {
  return probe('one', { generation: 1, ...metadata });
}

function failed(): Verdict {
  const error = new OperatorError({ reason: 'Throttled', message: 'slow', healedBy: 'time' });
  return { kind: 'failed', error, isReadyDisproved: false };
}
