import { addJitter, sleep } from '../../core/ports/clock.ts';
import { KeyQueue } from '../../core/queue/key-queue.ts';
import { OperatorError } from '../../core/reconcile/operator-error.ts';
import { BACKGROUND, type GroupWork, targetsMetrics } from './flusher.ts';
import type { Group } from './group.ts';

/** Each is free again after a rest: 2 reads a second, a fifth of what AWS allows the account. */
const POLLS_AT_ONCE = 10;
const REST_MS = 5_000;
/** Reads of settled groups: each in half an hour, */
const AUDIT_MS = 1_800_000;
/** and 0.83 of them in a second where there are very many groups. */
const AUDIT_MS_PER_GROUP = 1_200;
const JITTER = 0.2;

/**
 * Reads the health of groups: soon and again where something changes, rarely where all is settled. Each in its turn:
 * groups that never become healthy would else keep all slots, and settled ones would never be read again.
 */
export class HealthPolls {
  readonly #options: GroupWork;
  readonly #queue: KeyQueue;
  readonly #stopping = new AbortController();

  constructor(options: GroupWork) {
    this.#options = options;
    this.#queue = new KeyQueue(options.clock);
  }

  /** `leastMs`: not before. */
  schedule(group: Group, leastMs = 0): void {
    if (!group.isKnown) return;
    const { clock } = this.#options;
    const inMs = group.nextPollInMs ?? chooseAuditMs(this.#options.groups.size);
    this.#queue.add(group.key, { afterMs: Math.max(leastMs, addJitter(clock, inMs, JITTER)) });
  }

  /** Resolves after `stop`, when the reads that are under way have ended. */
  async run(): Promise<void> {
    await Promise.all(Array.from({ length: POLLS_AT_ONCE }, () => this.#runSlot()));
  }

  stop(reason: Error): void {
    this.#queue.shutDown();
    this.#stopping.abort(reason);
  }

  async #runSlot(): Promise<void> {
    const { clock, groups } = this.#options;
    const { signal } = this.#stopping;
    for (let taken = await this.#queue.take(); taken; taken = await this.#queue.take()) {
      const group = groups.get(taken.key);
      if (group?.isKnown) await this.#poll(group);
      this.#queue.done(taken.key);
      if (group) await sleep(clock, REST_MS, signal).catch(() => undefined);
    }
  }

  async #poll(group: Group): Promise<void> {
    const failure = await this.#read(group).catch((error: unknown) => error);
    if (group.signal.aborted) return;
    const { retryAfterMs } = failure instanceof OperatorError ? failure : {};
    this.schedule(group, retryAfterMs);
    this.#options.onChange(group);
  }

  /** No answer is no news: what was known stays. */
  async #read(group: Group): Promise<void> {
    const { connect, log } = this.#options;
    const { owner, namespace } = group;
    const isAudit = group.nextPollInMs === undefined;
    const payer = { namespace: isAudit ? BACKGROUND : namespace, log: log.child({ key: owner }) };
    const read = group.health.beginRead();
    const answer = await connect(payer).readHealth(group.served.arn, group.signal);
    if (answer === undefined) return group.recordAbsence();
    const drifted = group.recordHealth(answer, read);
    if (drifted > 0) this.#recordDrift(group, drifted);
  }

  #recordDrift(group: Group, drifted: number): void {
    const { log, metrics } = this.#options;
    const { owner, served } = group;
    metrics.count(targetsMetrics.drifted, {}, drifted);
    log.info('targets were changed outside albridge', {
      key: owner,
      targetGroupARN: served.arn,
      drifted,
    });
  }
}

/** Between two reads of a settled group, by the number of all groups. */
export function chooseAuditMs(groups: number): number {
  return Math.max(AUDIT_MS, groups * AUDIT_MS_PER_GROUP);
}
