import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A program and its arguments, after everything that a shell does with a line. */
export type RecordedCommand = readonly [program: string, ...args: string[]];

// No program is found by this PATH, so each of them comes to the handler, also in a pipe or in $(…).
const RECORDER = `PATH=/nowhere
command_not_found_handle() { printf '%s\\0' "$@" $'\\1' >&3; }
`;

/** The programs that a block of commands would start; none is started. Throws if a shell cannot read the block. */
export function recordCommands(text: string): readonly RecordedCommand[] {
  const directory = mkdtempSync(join(tmpdir(), 'albridge-record-'));
  try {
    const { status, output } = spawnSync('/bin/bash', ['--norc', '-c', `${RECORDER}${text}\n:`], {
      cwd: directory,
      env: {},
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
    if (status !== 0) throw new Error(`a shell cannot read this:\n${text}${output[2]}`);
    return (output[3] ?? '')
      .split('\0\u0001\0')
      .slice(0, -1)
      .map((record) => record.split('\0') as unknown as RecordedCommand);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
