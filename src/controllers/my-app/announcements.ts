import type { ChildWriter } from '../../core/object-store.ts';
import { reworded } from '../../core/operator-error.ts';
import type { OwnedChange } from '../../core/owned-objects.ts';
import type { Pass } from '../../core/reconciler.ts';
import type { Replacement } from './replacement.ts';

/** What people are told of a pod: one event and one log line for each write that had an effect. */
export function tellChange(pass: Pass, change: OwnedChange): void {
  const { name } = change.child.metadata;
  switch (change.kind) {
    case 'created': {
      // The article's sentence.
      const note = `Pod ${name} created.`;
      pass.log.info(note);
      return pass.event({ type: 'Normal', reason: 'PodCreated', action: 'Create', note });
    }
    case 'deleted': {
      const note = `Pod ${name} deleted: it is not wanted any more`;
      pass.log.info(note);
      return pass.event({ type: 'Normal', reason: 'PodDeleted', action: 'Delete', note });
    }
    case 'updated':
    case 'repaired': {
      const note = `Mended pod ${name}: ${change.differences.join(', ')}`;
      pass.log.info('Mended pod', { pod: name, fields: change.differences });
      return pass.event({ type: 'Normal', reason: 'PodMended', action: 'Mend', note });
    }
    default:
      return change satisfies never;
  }
}

export function tellReplacement(pass: Pass, { pod, why }: Replacement): void {
  const { name } = pod.metadata;
  const note = `Pod ${name} is replaced: ${why}`;
  pass.log.info(note);
  pass.event({ type: 'Normal', reason: 'PodReplaced', action: 'Replace', note });
}

/** The same writer, with the article's words before the reason of a pod that could not be created. */
export function tellingFailures(writer: ChildWriter): ChildWriter {
  return {
    ...writer,
    create: async (child) => {
      try {
        return await writer.create(child);
      } catch (error) {
        throw reworded(error, (why) => `Failed to create pod ${child.metadata.name}: ${why}`);
      }
    },
  };
}
