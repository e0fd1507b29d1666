import { type DestinationStream, destination, type Logger as PinoLogger, pino } from 'pino';
import type { Clock } from '../core/clock.ts';
import type { LogFields, Logger } from '../core/logger.ts';
import { OperatorError } from '../core/operator-error.ts';
import { redact } from './redaction.ts';

export type LogLevel = 'debug' | 'info' | 'error';
export type LogFormat = 'json' | 'pretty';

export interface LoggerOptions {
  readonly clock: Clock;
  readonly level: LogLevel;
  readonly destination: DestinationStream;
}

/**
 * The Logger port on pino: one JSON object a line with `level`, `time` (ISO 8601, UTC), the fields
 * of the child loggers, the line's own, and `msg` last. Fields pass `redact` first.
 */
export function createLogger(options: LoggerOptions): Logger {
  const { clock, level, destination: stream } = options;
  const settings = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
    // The fields are clean already; pino's own serializer of `err` would take them for an Error.
    serializers: { err: (err: unknown) => err },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const root = pino(settings, stream);
  return adapt(() => root);
}

/**
 * Where the lines go: standard output, written at once, so that the last line before a crash is
 * not lost. `pretty` is for development: pino-pretty is not among what ships, and OperatorError
 * LogFormatUnusable says so where it is missing.
 */
export async function openLogDestination(format: LogFormat): Promise<DestinationStream> {
  if (format === 'json') return destination({ dest: 1, sync: true });
  const pretty = await importPretty();
  return pretty({ destination: 1, sync: true, ignore: 'pid,hostname' });
}

type Pretty = (options: object) => DestinationStream;

async function importPretty(): Promise<Pretty> {
  // Not a literal, so that no bundler takes it along.
  const name = ['pino', 'pretty'].join('-');
  try {
    const { default: pretty } = (await import(name)) as { readonly default: Pretty };
    return pretty;
  } catch (cause) {
    throw new OperatorError({
      reason: 'LogFormatUnusable',
      message: 'LOG_FORMAT=pretty needs pino-pretty, a development tool: set LOG_FORMAT=json',
      healedBy: 'person',
      cause,
    });
  }
}

/** Every pass has a child logger, and most passes say nothing: it is made by its first line. */
function adapt(make: () => PinoLogger): Logger {
  let made: PinoLogger | undefined;
  const logger = (): PinoLogger => {
    made ??= make();
    return made;
  };
  return {
    debug: (message, fields) => logger().debug(clean(fields), message),
    info: (message, fields) => logger().info(clean(fields), message),
    error: (message, fields) => logger().error(clean(fields), message),
    child: (fields) => adapt(() => logger().child(clean(fields))),
  };
}

function clean(fields: LogFields = {}): object {
  return redact(fields) as object;
}
