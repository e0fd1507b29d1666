import { awsReasons, type Target, type Targets } from '../../aws/elbv2/traffic.ts';
import type { Key } from '../../core/objects/kube-object.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { MetricDefinition, Metrics } from '../../core/ports/metrics.ts';
import { Backoff } from '../../core/queue/backoff.ts';
import { KeyQueue } from '../../core/queue/key-queue.ts';
import { createFailure } from '../../core/reconcile/failure.ts';
import {
  CoreReason,
  hasReason,
  OperatorError,
  readMessage,
} from '../../core/reconcile/operator-error.ts';
import type { Group, Write } from './group.ts';
import type { Action } from './problems.ts';
import { type Refusal, sendInParts } from './target-batches.ts';

/** Targets over AWS, paid for by a namespace and logged by `log`. */
export type Connect = (payer: { readonly namespace: string; readonly log: Logger }) => Targets;

/** Shared by all work on published groups. */
export interface GroupWork {
  readonly connect: Connect;
  /** Those that are published, by their keys. */
  readonly groups: ReadonlyMap<Key, Group>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Called after each step that may have changed what is known of the group. */
  readonly onChange: (group: Group) => void;
}

export const targetsMetrics = {
  writeSeconds: {
    type: 'histogram',
    name: 'albridge_target_write_delay_seconds',
    help: "From the change of an endpoint to AWS's answer that its target is registered or deregistered.",
    use: 'How long AWS does not know yet that a pod started or stopped.',
    labels: ['write'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300],
  },
  drifted: {
    type: 'counter',
    name: 'albridge_target_drift_total',
    help: 'Targets that others have registered or deregistered, as the audit has found.',
    use: 'Grows: another person or program registers targets in the groups of albridge.',
    labels: [],
  },
} as const satisfies Record<string, MetricDefinition>;

/** Whose turn in the budget no change waits for has a queue of its own: no namespace has a slash. */
export const BACKGROUND = 'targets/background';

/**
 * AWS states no bound for targets of one call; its controller sends 200, a number of the ELB team.
 * https://github.com/kubernetes-sigs/aws-load-balancer-controller/pull/1342
 */
const MOST_TARGETS = 200;
/** Beyond them groups wait for each other; the budget lets far fewer through in a second. */
const FLUSHES_AT_ONCE = 16;
const BACKOFF = { firstMs: 1_000, maxMs: 60_000 } as const;
/** Of a target that AWS has refused: a person must act. */
const REFUSED_BACKOFF = { firstMs: 60_000, maxMs: 300_000 } as const;

/** Brings what AWS has registered to what is desired: one flush of a group at a time, groups side by side. */
export class Flusher {
  readonly #work: GroupWork;
  readonly #queue: KeyQueue;
  readonly #backoff: Backoff;
  readonly #refusedBackoff: Backoff;

  constructor(work: GroupWork) {
    this.#work = work;
    this.#queue = new KeyQueue(work.clock);
    this.#backoff = new Backoff(work.clock, BACKOFF);
    this.#refusedBackoff = new Backoff(work.clock, REFUSED_BACKOFF);
  }

  /** Flushes the group when it is due. */
  schedule(group: Group): void {
    const { flushDueMs, priority } = group;
    if (flushDueMs === undefined) return;
    this.#queue.add(group.key, { priority, afterMs: flushDueMs - this.#work.clock.monotonicMs() });
  }

  forget({ key }: Group): void {
    for (const action of ['read', 'register', 'deregister'] as const) {
      this.#backoff.forget(`${key}/${action}`);
    }
    this.#refusedBackoff.forget(key);
  }

  /** Resolves after `stop`, when the flushes that are under way have ended. */
  async run(): Promise<void> {
    await Promise.all(Array.from({ length: FLUSHES_AT_ONCE }, () => this.#runWorker()));
  }

  stop(): void {
    this.#queue.shutDown();
  }

  async #runWorker(): Promise<void> {
    for (let taken = await this.#queue.take(); taken; taken = await this.#queue.take()) {
      const group = this.#work.groups.get(taken.key);
      if (group !== undefined) await this.#flush(group);
      this.#queue.done(taken.key);
    }
  }

  async #flush(group: Group): Promise<void> {
    if (group.isKnown || (await this.#attempt(group, 'read', () => this.#read(group)))) {
      await this.#writeAll(group, 'register');
      await this.#writeAll(group, 'deregister');
    }
    if (group.signal.aborted) return;
    // A read counts as a success only where the writes behind it have found the group too.
    if (group.isKnown) this.#backoff.forget(`${group.key}/read`);
    this.schedule(group);
    this.#work.onChange(group);
  }

  async #read(group: Group): Promise<void> {
    const namespace = group.isUrgent ? group.namespace : BACKGROUND;
    const read = group.health.beginRead();
    const { arn } = group.served;
    const answer = await this.#connect(group, namespace).readHealth(arn, group.signal);
    if (answer === undefined) throw describeAbsence(arn);
    group.recordHealth(answer, read);
  }

  /** Endpoints change meanwhile: what is then to be registered goes before what is still to be deregistered. */
  async #writeAll(group: Group, write: Write): Promise<void> {
    for (;;) {
      if (write === 'deregister' && group.listDue('register').length > 0) return;
      const isFull = group.problems.findReason(write) === 'QuotaExceeded';
      const batch = group.listDue(write).slice(0, isFull ? 1 : MOST_TARGETS);
      if (batch.length === 0) return;
      if (!(await this.#attempt(group, write, () => this.#writeBatch(group, write, batch)))) return;
    }
  }

  async #writeBatch(group: Group, write: Write, batch: readonly Target[]): Promise<void> {
    const refusals = await this.#sendAll(group, write, batch).catch(async (error: unknown) => {
      if (write === 'deregister' || !hasReason(error, 'QuotaExceeded')) throw error;
      const surplus = group.listSurplus();
      if (surplus.length > 0) await this.#makeRoom(group, surplus);
      else await this.#registerFitting(group, batch, error);
      return [];
    });
    for (const { targets, error } of refusals) {
      group.recordRefused(targets);
      const drawMs = (): number => this.#refusedBackoff.drawDelayMs(group.key);
      const isNew =
        write === 'deregister' || group.problems.recordRefused(targets, error, drawMs());
      if (isNew) this.#report(group, write, error);
    }
    if (refusals.length === 0) this.#refusedBackoff.forget(group.key);
  }

  async #sendAll(
    group: Group,
    write: Write,
    batch: readonly Target[],
  ): Promise<readonly Refusal[]> {
    const send = (part: readonly Target[]): Promise<void> => this.#send(group, write, part);
    return sendInParts(batch, send, write === 'register' ? group.bounds : undefined);
  }

  /**
   * A quota is no reason to keep what is not desired; half of it goes at a time, and the room is used before more
   * goes, so that the group is not empty.
   */
  async #makeRoom(group: Group, surplus: readonly Target[]): Promise<void> {
    const count = Math.min(MOST_TARGETS, Math.ceil(surplus.length / 2));
    await this.#send(group, 'deregister', surplus.slice(0, count));
    const batch = group.listDue('register').slice(0, count);
    if (batch.length > 0) await this.#writeBatch(group, 'register', batch);
  }

  /** All of them do not fit into the quota: finds by halves how many do. Throws the refusal of the others. */
  async #registerFitting(
    group: Group,
    batch: readonly Target[],
    error: OperatorError,
  ): Promise<void> {
    if (batch.length === 1) throw error;
    const half = Math.ceil(batch.length / 2);
    await this.#writeBatch(group, 'register', batch.slice(0, half));
    await this.#registerFitting(group, batch.slice(half), error);
  }

  async #send(group: Group, write: Write, targets: readonly Target[]): Promise<void> {
    const client = this.#connect(group, group.namespace);
    const signal = group.beginWrite(write, targets);
    try {
      await client[write](group.served.arn, targets, signal);
      for (const waitedMs of group.recordWritten(write, targets)) {
        this.#work.metrics.observe(targetsMetrics.writeSeconds, { write }, waitedMs / 1000);
      }
    } catch (error) {
      // The call became wrong while it waited: the next batch is planned from what is desired now.
      if (group.signal.aborted || error !== signal.reason) throw error;
    } finally {
      group.endWrite();
      this.#work.onChange(group);
    }
  }

  /** False: it failed, and is not tried again before its time. */
  async #attempt(group: Group, action: Action, act: () => Promise<void>): Promise<boolean> {
    try {
      await act();
    } catch (error) {
      if (!group.signal.aborted) this.#fail(group, action, toOperatorError(error));
      return false;
    }
    if (action !== 'read') this.#backoff.forget(`${group.key}/${action}`);
    group.problems.recordSuccess(action);
    return true;
  }

  #fail(group: Group, action: Action, error: OperatorError): void {
    const isAbsent = error.reason === 'TargetGroupNotFound';
    if (isAbsent) group.recordAbsence();
    const failed = isAbsent ? 'read' : action;
    if (action === 'read' && !group.isUrgent && error.retryAfterMs !== undefined) {
      return group.problems.postpone(action, error.retryAfterMs);
    }
    const delayMs =
      error.retryAfterMs ?? this.#backoff.drawDelayMs(`${group.key}/${failed}`, error.notBeforeMs);
    if (group.problems.recordFailure(failed, error, delayMs)) this.#report(group, action, error);
  }

  #report(group: Group, action: Action, error: OperatorError): void {
    const { details = {} } = error;
    const log = this.#getLog(group);
    const fields = { action, reason: error.reason, err: error, ...details };
    if (error.healedBy === 'person') log.error('targets are not up to date', fields);
    else log.info('targets are not up to date', fields);
  }

  #connect(group: Group, namespace: string): Targets {
    return this.#work.connect({ namespace, log: this.#getLog(group) });
  }

  #getLog({ owner, namespace, served }: Group): Logger {
    const { backend, arn } = served;
    return this.#work.log.child({ key: owner, namespace, backend, targetGroupARN: arn });
  }
}

function describeAbsence(arn: string): OperatorError {
  return createFailure(awsReasons, 'TargetGroupNotFound', {
    observed: `target group ${arn} does not exist`,
  });
}

function toOperatorError(error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  const message = `targets: ${readMessage(error)}`;
  return new OperatorError({
    reason: CoreReason.InternalError,
    message,
    healedBy: 'time',
    cause: error,
  });
}
