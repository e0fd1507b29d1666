import { classifyOutcome } from '../../aws/client/aws-errors.ts';
import { type Clock, sleep } from '../../core/ports/clock.ts';
import type { LogFields, Logger } from '../../core/ports/logger.ts';
import { OperatorError } from '../../core/reconcile/operator-error.ts';
import { CommandError, describeError } from '../errors.ts';
import { escapeText } from '../output/escape.ts';
import type { TextStream } from '../surroundings.ts';
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
  /** `in use`: AWS refuses to delete it for that, and it stays. */
  readonly result: 'deleted' | 'gone' | 'in use';
}

/**
 * Deletes them in their order. Each is checked again right before: its tags, and that no object has come.
 * One that is in use by what stays is passed over. Throws CommandError at the first one that is not as it was listed, or
 * that AWS refuses for another reason; those after it stay.
 */
export async function deleteOrphans(
  orphans: readonly Orphan[],
  ports: OrphanPorts,
  signal: AbortSignal,
): Promise<readonly Deletion[]> {
  const run: Run = { orphans, done: [], isSent: false };
  // The command ends at once, while a deletion that is sent goes on.
  const onAbort = (): void => ports.say(escapeText(describeInterruption(run)));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    for (const orphan of orphans) {
      run.done.push({ orphan, result: await deleteOrStop(run, orphan, { ports, signal }) });
    }
    return run.done;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

interface Run {
  readonly orphans: readonly Orphan[];
  readonly done: Deletion[];
  /** A deletion of the one under way may have been carried out. */
  isSent: boolean;
}

interface Means {
  readonly ports: OrphanPorts;
  readonly signal: AbortSignal;
}

async function deleteOrStop(run: Run, orphan: Orphan, means: Means): Promise<Deletion['result']> {
  try {
    return await deleteOne(run, orphan, means);
  } catch (error) {
    if (means.signal.aborted) throw error;
    const where = `stopped at ${orphan.kind} ${orphan.id}`;
    throw new CommandError(`${where}: ${describeError(error)}; ${describeRest(run)}`, error);
  }
}

function describeInterruption(run: Run): string {
  const { kind, id } = run.orphans[run.done.length] ?? {};
  return `interrupted at ${kind} ${id}; ${describeRest(run)}`;
}

function describeRest({ orphans, done, isSent }: Run): string {
  const gone = done.filter(({ result }) => result !== 'in use').length;
  const count = `${gone} of ${orphans.length} are deleted`;
  if (!isSent) return `${count}, the rest is as it was`;
  return `${count}, and whether this one was is not known: run albridge orphans again`;
}

async function deleteOne(
  run: Run,
  orphan: Orphan,
  { ports, signal }: Means,
): Promise<Deletion['result']> {
  const startMs = ports.clock.monotonicMs();
  for (;;) {
    if (!(await isStillOrphan(orphan, ports, signal))) return 'gone';
    signal.throwIfAborted();
    run.isSent = true;
    try {
      await ports.delete[orphan.kind](orphan.id);
      run.isSent = false;
      return 'deleted';
    } catch (error) {
      run.isSent = isAmbiguous(error);
      if (!isInUse(error)) throw error;
      const waitedMs = ports.clock.monotonicMs() - startMs;
      if (!mayBeFreed(orphan, run) || waitedMs >= LONGEST_WAIT_MS) {
        ports.say(escapeText(describeUse(orphan)));
        return 'in use';
      }
    }
    ports.say(
      escapeText(`${orphan.kind} ${orphan.id} is in use by what was deleted before it, waiting`),
    );
    await sleep(ports.clock, POLL_MS, signal);
  }
}

/** A balancer of its object was deleted: a moment ago, or before this run, which security groups show for minutes. */
function mayBeFreed({ kind, key, adopted }: Orphan, { done }: Run): boolean {
  const isFreed = done.some(({ orphan }) => orphan.kind === 'load-balancer' && orphan.key === key);
  return isFreed || (kind === 'security-group' && adopted === undefined);
}

function describeUse(orphan: Orphan): string {
  const what = `${orphan.kind} ${orphan.id} is in use and stays`;
  return `${what}: ${describeWayOut(orphan)}, then run albridge orphans --delete again`;
}

function describeWayOut({ kind, adopted }: Orphan): string {
  if (kind === 'target-group') {
    const whose = adopted === undefined ? '' : ` of the adopted load balancer ${adopted}`;
    return `delete the listeners and rules${whose} that name it`;
  }
  return adopted === undefined
    ? 'remove what uses it or refers to it'
    : `give the adopted load balancer ${adopted} other security groups`;
}

/** Network interfaces of a deleted balancer hold its security group for some minutes. */
const LONGEST_WAIT_MS = 300_000;
const POLL_MS = 10_000;

/** No answer, or none that says what became of the request. */
function isAmbiguous(error: unknown): boolean {
  if (!(error instanceof OperatorError)) return false;
  if (error.reason === 'AwsError') return classifyOutcome(error.cause).statusCode === 0;
  return ['AwsUnavailable', 'AwsUnreachable', 'AwsUnreadable'].includes(error.reason);
}

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

/** One line on `stream` for each write to AWS when it is sent: the time, the operation and its input. */
export function createAuditLog(
  clock: Pick<Clock, 'now'>,
  stream: Pick<TextStream, 'write'>,
): Logger {
  const log: Logger = {
    debug: () => undefined,
    error: () => undefined,
    info: (_message, fields) => {
      const line = describeWrite(fields ?? {});
      if (line !== undefined) stream.write(`${new Date(clock.now()).toISOString()} ${line}\n`);
    },
    child: () => log,
  };
  return log;
}

/** Every write is logged with these fields, in src/aws/client/aws-call.ts. */
function describeWrite({ operation, input }: LogFields): string | undefined {
  if (typeof operation !== 'string') return undefined;
  return escapeText(`${operation} ${JSON.stringify(input)}`);
}
