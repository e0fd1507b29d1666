import type { Clock } from '../../core/ports/clock.ts';
import type { LogFields, Logger } from '../../core/ports/logger.ts';
import { escapeText } from '../output/escape.ts';
import type { TextStream } from '../surroundings.ts';

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
