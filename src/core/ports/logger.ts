export type LogFields = Readonly<Record<string, unknown>>;

/** info: the world changed. error: a person should act. debug: decisions, off by default. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  child(fields: LogFields): Logger;
}
