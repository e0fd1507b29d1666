import { type Clock, sleep } from '../../core/ports/clock.ts';
import { OperatorError } from '../../core/reconcile/operator-error.ts';
import { CommandError, describeError } from '../errors.ts';
import { escapeText } from '../output/escape.ts';
import {
  findOrphan,
  type Objects,
  type Orphan,
  type Owned,
  type OwnedKind,
} from './find-orphans.ts';

/** AWS and the cluster, as a deletion needs them. */
export interface OrphanPorts {
  /** The tags as they are now; undefined: AWS does not know the resource. */
  readTags(orphan: Orphan, signal: AbortSignal): Promise<Owned['tags'] | undefined>;
  /** The object that the tags name, as it is now. */
  readObjects(orphan: Orphan, signal: AbortSignal): Promise<Objects>;
  readonly delete: Readonly<Record<OwnedKind, (id: string) => Promise<void>>>;
  readonly clock: Clock;
  /** Gets a line where a resource is waited for. */
  say(line: string): void;
}

export interface Deletion {
  readonly orphan: Orphan;
  readonly result: 'deleted' | 'gone';
}

/**
 * Deletes them in their order. Each is checked again right before: its tags, and that no object has come.
 * Throws CommandError at the first one that is not as it was listed, or that AWS refuses; those after it stay.
 */
export async function deleteOrphans(
  orphans: readonly Orphan[],
  ports: OrphanPorts,
  signal: AbortSignal,
): Promise<readonly Deletion[]> {
  const done: Deletion[] = [];
  for (const orphan of orphans) {
    try {
      done.push({ orphan, result: await deleteOne(orphan, ports, signal) });
    } catch (error) {
      if (signal.aborted) throw error;
      const count = `${done.length} of ${orphans.length} are deleted`;
      const message = `stopped at ${orphan.kind} ${orphan.id}: ${describeError(error)}; ${count}, the rest is as it was`;
      throw new CommandError(message, error);
    }
  }
  return done;
}

async function deleteOne(
  orphan: Orphan,
  ports: OrphanPorts,
  signal: AbortSignal,
): Promise<Deletion['result']> {
  const startMs = ports.clock.monotonicMs();
  for (;;) {
    if (!(await isStillOrphan(orphan, ports, signal))) return 'gone';
    signal.throwIfAborted();
    try {
      await ports.delete[orphan.kind](orphan.id);
      return 'deleted';
    } catch (error) {
      const waitedMs = ports.clock.monotonicMs() - startMs;
      if (!isInUse(error) || waitedMs >= LONGEST_WAIT_MS) throw error;
    }
    ports.say(
      escapeText(`${orphan.kind} ${orphan.id} is in use by what was deleted before it, waiting`),
    );
    await sleep(ports.clock, POLL_MS, signal);
  }
}

/** Network interfaces of a deleted balancer hold its security group for some minutes. */
const LONGEST_WAIT_MS = 300_000;
const POLL_MS = 10_000;

function isInUse(error: unknown): boolean {
  if (!(error instanceof OperatorError)) return false;
  return error.reason === 'StillInUse' || error.reason === 'DependencyViolation';
}

/** False: it is gone. Throws CommandError where it has changed, or has an object now. */
async function isStillOrphan(
  orphan: Orphan,
  ports: OrphanPorts,
  signal: AbortSignal,
): Promise<boolean> {
  const tags = await ports.readTags(orphan, signal);
  if (tags === undefined) return false;
  // Later than the tags: an object is there before anything of it is.
  const objects = await ports.readObjects(orphan, signal);
  const again = findOrphan({ ...orphan, tags }, objects);
  if (again?.key === orphan.key && !again.isAdopted) return true;
  throw new CommandError(
    'it is no longer an orphan, since its tags have changed or its object exists again: run albridge orphans again',
  );
}
