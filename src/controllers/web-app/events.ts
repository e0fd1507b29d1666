import type { OwnedChange } from '../../core/children/owned-objects.ts';
import { draftRepair, listDifferences } from '../../core/children/repair.ts';
import type { EventDraft } from '../../core/ports/events.ts';
import type { Pass } from '../../core/reconcile/reconciler.ts';

/** Records one event and one log line for each write to a child that had an effect. */
export function recordChange(pass: Pass, change: OwnedChange): void {
  const { kind, metadata } = change.child;
  // The article's sentence and its words for the operation.
  // oxlint-disable-next-line albridge/log-messages-are-constant -- the article's sentence
  pass.log.info(`Reconciled ${kind}`, { operation: nameOperation(change), ...listFields(change) });
  pass.recordEvent({ type: 'Normal', ...draftEvent(change, `${kind} ${metadata.name}`) });
}

const REASONS = {
  Deployment: {
    created: 'DeploymentCreated',
    updated: 'DeploymentUpdated',
    deleted: 'DeploymentDeleted',
  },
  Service: { created: 'ServiceCreated', updated: 'ServiceUpdated', deleted: 'ServiceDeleted' },
} as const;

function draftEvent(change: OwnedChange, what: string): Omit<EventDraft, 'type'> {
  const reasons = change.child.kind === 'Service' ? REASONS.Service : REASONS.Deployment;
  switch (change.kind) {
    case 'created':
      return { reason: reasons.created, action: 'Create', note: `Created ${what}` };
    case 'updated':
      return {
        reason: reasons.updated,
        action: 'Update',
        note: `Updated ${what}${listDifferences(change.differences)}`,
      };
    case 'repaired':
      return draftRepair(what, change.differences);
    case 'deleted':
      return { reason: reasons.deleted, action: 'Delete', note: `Deleted ${what}` };
    default:
      return change satisfies never;
  }
}

function nameOperation({ kind }: OwnedChange): string {
  return kind === 'repaired' ? 'updated' : kind;
}

function listFields(change: OwnedChange): object {
  return 'differences' in change ? { why: change.kind, fields: change.differences } : {};
}
