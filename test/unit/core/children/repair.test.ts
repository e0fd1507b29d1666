import { describe, expect, it } from 'vitest';
import { draftRepair } from '../../../../src/core/children/repair.ts';
import { REPAIR } from '../../../../src/core/ports/events.ts';

describe('the event about a repair', () => {
  it('names the child and each field that differed, and is counted as a repair', () => {
    const event = draftRepair('pod web-1', ['metadata.labels.app', 'spec.image']);
    const note = 'Repaired pod web-1: metadata.labels.app, spec.image';
    expect(event).toEqual({ type: 'Normal', reason: 'DriftRepaired', action: REPAIR, note });
  });

  it('ends after the child if a field was only to be removed', () => {
    expect(draftRepair('pod web-1', []).note).toBe('Repaired pod web-1');
  });
});
