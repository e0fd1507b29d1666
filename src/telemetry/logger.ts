import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import type { Clock } from '../core/ports/clock.ts';
import type { LogFields, Logger } from '../core/ports/logger.ts';
import type { Metrics } from '../core/ports/metrics.ts';
import { type LogFormat, logMetrics, openLogDestination } from './log-destination.ts';
import { redact } from './redaction.ts';

export type LogLevel = 'debug' | 'info' | 'error';

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

/** The log on standard output; what it cannot take is counted. */
export async function openLog(
  { format, level }: { readonly format: LogFormat; readonly level: LogLevel },
  { clock, metrics }: { readonly clock: Clock; readonly metrics: Metrics },
): Promise<Logger> {
  const onLost = (cause: string): void => metrics.count(logMetrics.lost, { cause });
  const destination = await openLogDestination({ format, clock, onLost });
  return createLogger({ clock, level, destination });
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
