import type { EventDraft } from '../../core/events.ts';
import type { OwnedChange } from '../../core/owned-objects.ts';
import type { Pass } from '../../core/reconciler.ts';

/** What people are told of a child: one event and one log line for each write that had an effect. */
export function tellChange(pass: Pass, change: OwnedChange): void {
  const { kind, metadata } = change.child;
  // The article's sentence and its words for the operation.
  pass.log.info(`Reconciled ${kind}`, { operation: operationOf(change), ...fieldsOf(change) });
  pass.event({ type: 'Normal', ...draftOf(change, `${kind} ${metadata.name}`) });
}

const REASONS = {
  Deployment: {
    created: 'DeploymentCreated',
    updated: 'DeploymentUpdated',
    deleted: 'DeploymentDeleted',
  },
  Service: { created: 'ServiceCreated', updated: 'ServiceUpdated', deleted: 'ServiceDeleted' },
} as const;

function draftOf(change: OwnedChange, what: string): Omit<EventDraft, 'type'> {
  const reasons = change.child.kind === 'Service' ? REASONS.Service : REASONS.Deployment;
  switch (change.kind) {
    case 'created':
      return { reason: reasons.created, action: 'Create', note: `Created ${what}` };
    case 'updated':
      return {
        reason: reasons.updated,
        action: 'Update',
        note: `Updated ${what}${listOf(change.differences)}`,
      };
    case 'repaired':
      return {
        reason: 'DriftRepaired',
        action: 'Repair',
        note: `Repaired ${what}${listOf(change.differences)}`,
      };
    case 'deleted':
      return { reason: reasons.deleted, action: 'Delete', note: `Deleted ${what}` };
    default:
      return change satisfies never;
  }
}

function operationOf({ kind }: OwnedChange): string {
  return kind === 'repaired' ? 'updated' : kind;
}

function fieldsOf(change: OwnedChange): object {
  return 'differences' in change ? { why: change.kind, fields: change.differences } : {};
}

function listOf(differences: readonly string[]): string {
  return differences.length === 0 ? '' : `: ${differences.join(', ')}`;
}
