import { describe, expect, it } from 'vitest';
import { shouldReconcile } from '../../../../src/core/controller/controller.ts';
import type { Change } from '../../../../src/core/ports/cache.ts';
import { PROBE_FINALIZER, type Probe, probe } from './probe.ts';

interface Case {
  readonly why: string;
  readonly change: Change<Probe>;
  readonly isWorth: boolean;
}

const BEFORE = probe('one', { uid: 'u1', generation: 1, resourceVersion: '7' });

const cases: Record<string, Case> = {
  added: { why: 'new', change: { kind: 'added', object: BEFORE, isInitial: false }, isWorth: true },
  'added at the start': {
    why: 'it may have changed while we were away',
    change: { kind: 'added', object: BEFORE, isInitial: true },
    isWorth: true,
  },
  deleted: {
    why: 'memory of it is dropped',
    change: { kind: 'deleted', object: BEFORE },
    isWorth: true,
  },
  'status alone': {
    why: 'our own write must not cause the next pass',
    change: updated({ resourceVersion: '8' }, { status: { observedGeneration: 1 } }),
    isWorth: false,
  },
  'another generation': { why: 'an edit', change: updated({ generation: 2 }), isWorth: true },
  'another uid': {
    why: 'deleted and made anew between two looks',
    change: updated({ uid: 'u2' }),
    isWorth: true,
  },
  'marked as being deleted': {
    why: 'the clean-up begins',
    change: updated({ deletionTimestamp: '2026-01-01T00:00:00Z' }),
    isWorth: true,
  },
  'another annotation': {
    why: 'pause, resume, a request for a pass',
    change: updated({ annotations: { 'albridge.io/paused': 'true' } }),
    isWorth: true,
  },
  'another label': {
    why: 'nothing in the world follows from it',
    change: updated({ labels: { team: 'web' } }),
    isWorth: false,
  },
  'our finalizer put on': {
    why: 'our own write',
    change: updated({ finalizers: [PROBE_FINALIZER] }),
    isWorth: false,
  },
  'our finalizer taken off by someone': {
    why: 'it must come back',
    change: {
      kind: 'updated',
      previous: probe('one', { ...BEFORE.metadata, finalizers: [PROBE_FINALIZER] }),
      object: BEFORE,
    },
    isWorth: true,
  },
  'another finalizer taken off': {
    why: 'not ours',
    change: {
      kind: 'updated',
      previous: probe('one', { ...BEFORE.metadata, finalizers: ['example.com/other'] }),
      object: BEFORE,
    },
    isWorth: false,
  },
};

describe('shouldReconcile', () => {
  it.each(Object.entries(cases))('%s', (_name, { change, isWorth, why }) => {
    expect(shouldReconcile(change, PROBE_FINALIZER), why).toBe(isWorth);
  });

  it('does not miss a finalizer where there is none to keep', () => {
    const { change } = cases['our finalizer taken off by someone'] as Case;
    expect(shouldReconcile(change)).toBe(false);
  });
});

function updated(metadata: Partial<Probe['metadata']>, over: Partial<Probe> = {}): Change<Probe> {
  const object = { ...probe('one', { ...BEFORE.metadata, ...metadata }), ...over };
  return { kind: 'updated', previous: BEFORE, object };
}
