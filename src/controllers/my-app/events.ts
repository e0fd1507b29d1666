import type { OwnedChange } from '../../core/children/owned-objects.ts';
import { draftRepair } from '../../core/children/repair.ts';
import type { KubeObject } from '../../core/objects/kube-object.ts';
import type { ChildWriter } from '../../core/ports/writers.ts';
import { rewordError } from '../../core/reconcile/operator-error.ts';
import type { Pass } from '../../core/reconcile/reconciler.ts';
import type { Replacement } from './replacement.ts';

/** Records one event and one log line for each write to a pod that had an effect. */
export function recordChange(pass: Pass, change: OwnedChange): void {
  const { name } = change.child.metadata;
  switch (change.kind) {
    case 'created': {
      const note = `Pod ${name} created.`;
      // oxlint-disable-next-line albridge/log-messages-are-constant -- the article's sentence
      pass.log.info(note);
      return pass.recordEvent({ type: 'Normal', reason: 'PodCreated', action: 'Create', note });
    }
    case 'deleted': {
      const note = `Pod ${name} deleted: it is above spec.replicas`;
      pass.log.info('Deleted pod', { pod: name });
      return pass.recordEvent({ type: 'Normal', reason: 'PodDeleted', action: 'Delete', note });
    }
    case 'updated':
    case 'repaired': {
      pass.log.info('Repaired pod', { pod: name, fields: change.differences });
      return pass.recordEvent(draftRepair(`pod ${name}`, change.differences));
    }
    default:
      return change satisfies never;
  }
}

export function recordReplacement(pass: Pass, { pod, why }: Replacement): void {
  const { name } = pod.metadata;
  const note = `Replacing pod ${name}: ${why}`;
  pass.log.info('Replacing pod', { pod: name, why });
  pass.recordEvent({ type: 'Normal', reason: 'PodReplaced', action: 'Replace', note });
}

/** The same writer, with the article's words before the reason of a pod that could not be created. */
export function describeCreateFailures(writer: ChildWriter): ChildWriter {
  return {
    ...writer,
    create: (child) => describeFailure(child, writer.create(child)),
    check: (child) => describeFailure(child, writer.check(child)),
  };
}

async function describeFailure<T>(child: KubeObject, writing: Promise<T>): Promise<T> {
  try {
    return await writing;
  } catch (error) {
    throw rewordError(error, (why) => `Failed to create pod ${child.metadata.name}: ${why}`);
  }
}
