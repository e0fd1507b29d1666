import { fstatSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import type { DestinationStream } from 'pino';
import type { Clock } from '../core/ports/clock.ts';
import type { MetricDefinition } from '../core/ports/metrics.ts';
import { OperatorError } from '../core/reconcile/operator-error.ts';

export type LogFormat = 'json' | 'pretty';

export interface LogDestinationOptions {
  readonly format: LogFormat;
  readonly clock: Clock;
  /** Called for each line that is lost; `cause` is `blocked` or the system's code, ENOSPC for example. */
  readonly onLost: (cause: string) => void;
}

export const logMetrics = {
  lost: {
    type: 'counter',
    name: 'albridge_log_lines_lost_total',
    help: 'Log lines that could not be written: standard output is not read, or is full.',
    use: 'Any increase: the log has gaps.',
    labels: ['cause'],
  },
} as const satisfies Record<string, MetricDefinition>;

const STDOUT = 1;
/** Bytes that wait for a slow reader; beyond it lines are dropped. */
const MOST_WAITING_BYTES = 1_048_576;
const LAST_LINES_MS = 200;

/**
 * Opens standard output for lines, written at once where it takes them, so that the last line
 * before a crash is not lost. A log that cannot be written is no reason to stop the work: lines are
 * lost then, counted, and their number is logged when lines are written again. `pretty` is for
 * development: pino-pretty is not among what ships, and OperatorError LogFormatUnusable says so where
 * it is missing.
 */
export async function openLogDestination(
  options: LogDestinationOptions,
): Promise<DestinationStream> {
  if (options.format === 'pretty') {
    const pretty = await importPretty();
    return pretty({ destination: STDOUT, sync: true, ignore: 'pid,hostname' });
  }
  const isFile = !isatty(STDOUT) && !isPipe(STDOUT);
  const attempt = isFile ? writeToFile(STDOUT) : writeToStream(process.stdout, options.onLost);
  return countLost(attempt, options);
}

/** Exits once standard output has taken all lines, or after a moment: its reader may be gone. */
export function exitOnceWritten(clock: Clock, exitCode: number): void {
  process.stdout.write('', () => process.exit(exitCode));
  clock.setTimer(LAST_LINES_MS, () => process.exit(exitCode));
}

/** Writes a line; answers why it could not. */
type Attempt = (line: string) => string | undefined;

function countLost(attempt: Attempt, { clock, onLost }: LogDestinationOptions): DestinationStream {
  let lost = 0;
  return {
    write(line) {
      const cause = attempt(lost > 0 ? formatLostLine(clock, lost) + line : line);
      if (cause === undefined) {
        lost = 0;
        return;
      }
      lost++;
      onLost(cause);
    },
  };
}

function formatLostLine(clock: Clock, lost: number): string {
  const time = new Date(clock.now()).toISOString();
  return `${JSON.stringify({ level: 'error', time, lost, msg: 'log lines were lost' })}\n`;
}

/** A disk that is full may take half a line: the next one begins a line of its own. */
function writeToFile(fd: number): Attempt {
  let isTorn = false;
  return (line) => {
    try {
      const bytes = Buffer.from(isTorn ? `\n${line}` : line);
      isTorn = writeSync(fd, bytes) < bytes.length;
      return isTorn ? 'ENOSPC' : undefined;
    } catch (error) {
      return getCode(error);
    }
  };
}

/**
 * Node writes to a pipe or socket at once as long as it takes bytes, and keeps the rest; nothing waits
 * for a reader: https://nodejs.org/api/process.html#a-note-on-process-io
 */
function writeToStream(stream: Writable, onLost: (cause: string) => void): Attempt {
  // A write that fails tells its callback; without a listener the process would end.
  stream.on('error', () => undefined);
  return (line) => {
    if (stream.writableLength > MOST_WAITING_BYTES) return 'blocked';
    stream.write(line, (error) => {
      if (error) onLost(getCode(error));
    });
    return undefined;
  };
}

function isPipe(fd: number): boolean {
  const status = fstatSync(fd);
  return status.isFIFO() || status.isSocket();
}

function getCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown';
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
