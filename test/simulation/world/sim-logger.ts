import type { LogFields, Logger } from '../../../src/core/ports/logger.ts';

export type LogSink = (level: string, message: string, fields: LogFields) => void;

/** Hands every line on; lines of level debug only where a trace is wanted. */
export class SimLogger implements Logger {
  readonly #sink: LogSink;
  readonly #fields: LogFields;

  constructor(sink: LogSink, fields: LogFields = {}) {
    this.#sink = sink;
    this.#fields = fields;
  }

  debug(message: string, fields: LogFields = {}): void {
    this.#sink('debug', message, { ...this.#fields, ...fields });
  }

  info(message: string, fields: LogFields = {}): void {
    this.#sink('info', message, { ...this.#fields, ...fields });
  }

  error(message: string, fields: LogFields = {}): void {
    this.#sink('error', message, { ...this.#fields, ...fields });
  }

  child(fields: LogFields): SimLogger {
    return new SimLogger(this.#sink, { ...this.#fields, ...fields });
  }
}
