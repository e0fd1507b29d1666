import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Resident memory of a process, in MB (10^6 bytes). */
export async function residentMB(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return (Number(stdout.trim()) * 1024) / 1e6;
}
