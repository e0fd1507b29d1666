import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';

/** What the figures were measured on. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  /** Processes that wanted a core, over the last minute, as the bench began. */
  readonly loadBefore: number;
}

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    loadBefore: load(),
  };
}

/** Over the last minute. */
export function load(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100;
}
