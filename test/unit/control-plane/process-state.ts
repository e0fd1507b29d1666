import { spawnSync } from 'node:child_process';

/** Whether a process runs; one that has ended and waits to be reaped does not. */
export function isRunning(pid: number): boolean {
  const state = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
  return state.trim() !== '' && !state.trim().startsWith('Z');
}
