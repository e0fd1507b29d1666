import type { Logger } from '../../core/ports/logger.ts';
import { OperatorError, readMessage } from '../../core/reconcile/operator-error.ts';
import { toOperatorError } from '../client/kube-error.ts';
import { formatResourceName } from '../client/resource-path.ts';
import type { Collection } from './list.ts';
import type { Recovery } from './recovery.ts';
import { WatchSilent } from './watch.ts';

/** The present trouble of one reflector. It is logged once, however often it repeats, and once when it is over. */
export class WatchTrouble {
  readonly #log: Logger;
  readonly #step: string;
  #sentence: string | undefined;
  #cause: unknown;
  /** The last watch was silent, which is on record. */
  #wasSilent = false;

  constructor({ kind, namespace }: Collection, log: Logger) {
    this.#log = log;
    this.#step = `watch ${formatResourceName(kind)}${namespace === undefined ? '' : ` in namespace ${namespace}`}`;
  }

  /** Names the resource and what is wrong; undefined while all is well. */
  get sentence(): string | undefined {
    return this.#sentence;
  }

  /** The failure behind the sentence. */
  get cause(): unknown {
    return this.#cause;
  }

  describe(what: string): string {
    return `${this.#step}: ${what}`;
  }

  recordFailure(error: unknown, recovery: Recovery, delayMs: number): void {
    const sentence = this.#describeError(error);
    this.#log.debug('watch ended', { sentence, ...recovery, delayMs });
    if (error instanceof WatchSilent) this.#recordSilence(error);
    if (delayMs === 0 || sentence === this.#sentence) return;
    this.#sentence = sentence;
    this.#cause = error;
    if (recovery.pace === 'patient') this.#log.error('cannot watch', { err: error, sentence });
    else this.#log.info('watch interrupted', { sentence, delayMs });
  }

  recordGoodEnd(): void {
    this.#wasSilent = false;
  }

  recordRecovery(): void {
    if (this.#sentence !== undefined) this.#log.info('watching again', { after: this.#sentence });
    this.#sentence = undefined;
    this.#cause = undefined;
  }

  /** Changes may have been missed until now; where each watch goes silent, the first says so. */
  #recordSilence({ silentMs }: WatchSilent): void {
    if (!this.#wasSilent) this.#log.info('watch was silent, opening it again', { silentMs });
    this.#wasSilent = true;
  }

  #describeError(error: unknown): string {
    const translated = toOperatorError(this.#step, error);
    if (translated instanceof OperatorError) return translated.message;
    return this.describe(readMessage(error));
  }
}
