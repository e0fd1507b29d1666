import { type EventDraft, REPAIR } from '../ports/events.ts';

/** The event about a child that others had changed: `Repaired pod web-1: spec.image`. */
export function draftRepair(child: string, differences: readonly string[]): EventDraft {
  const note = `Repaired ${child}${listDifferences(differences)}`;
  return { type: 'Normal', reason: 'DriftRepaired', action: REPAIR, note };
}

/** The end of a note; empty where a field was only to be removed. */
export function listDifferences(differences: readonly string[]): string {
  return differences.length === 0 ? '' : `: ${differences.join(', ')}`;
}
