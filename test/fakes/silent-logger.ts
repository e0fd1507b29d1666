import type { LogFields, Logger } from '../../src/core/ports/logger.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'error';
  readonly message: string;
  /** The line's own fields over those of the loggers that it was made from. */
  readonly fields: LogFields;
}

/** Prints nothing and keeps every line, those of its children included. */
export class SilentLogger implements Logger {
  readonly lines: LogLine[];
  readonly #fields: LogFields;

  constructor(fields: LogFields = {}, lines: LogLine[] = []) {
    this.#fields = fields;
    this.lines = lines;
  }

  /** Lines that people see with the default level. */
  get shown(): readonly LogLine[] {
    return this.lines.filter(({ level }) => level !== 'debug');
  }

  debug(message: string, fields?: LogFields): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write('info', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#write('error', message, fields);
  }

  child(fields: LogFields): SilentLogger {
    return new SilentLogger({ ...this.#fields, ...fields }, this.lines);
  }

  #write(level: LogLine['level'], message: string, fields: LogFields = {}): void {
    this.lines.push({ level, message, fields: { ...this.#fields, ...fields } });
  }
}
