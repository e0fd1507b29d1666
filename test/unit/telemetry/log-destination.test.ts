import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, cpSync, mkdirSync, mkdtempSync, openSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';

const src = resolve(import.meta.dirname, '../../../src');

/** Logs two lines in a process of its own and kills it at once, as a crash would. */
function crash(format: 'json' | 'pretty'): string {
  const script = `
    import { openLogDestination } from '${src}/telemetry/log-destination.ts';
    import { createLogger } from '${src}/telemetry/logger.ts';
    import { systemClock as clock } from '${src}/system-clock.ts';
    const destination = await openLogDestination({ format: '${format}', clock, onLost() {} });
    const log = createLogger({ clock, level: 'info', destination });
    log.info('first');
    log.error('last words', { controller: 'myingress' });
    process.kill(process.pid, 'SIGKILL');`;
  const run = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  expect(run.signal, run.stderr).toBe('SIGKILL');
  return run.stdout;
}

describe('openLogDestination', () => {
  it('has written the last line before a crash', () => {
    const [, last = ''] = crash('json').trim().split('\n');
    expect(JSON.parse(last)).toMatchObject({ level: 'error', msg: 'last words' });
  });

  it('writes lines for people where asked', () => {
    const output = crash('pretty');
    expect(output).toMatch(/INFO.*first/);
    expect(output).toMatch(/ERROR.*last words/);
    expect(output).not.toContain('{"level"');
  });

  it('says what to set where pino-pretty is not installed, as in the image', () => {
    const directory = mkdtempSync(join(tmpdir(), 'albridge-image-'));
    for (const part of ['core', 'telemetry']) {
      cpSync(join(src, part), join(directory, 'src', part), { recursive: true });
    }
    mkdirSync(join(directory, 'node_modules'));
    symlinkSync(resolve(src, '../node_modules/pino'), join(directory, 'node_modules/pino'));
    const script = `
      import { openLogDestination } from '${directory}/src/telemetry/log-destination.ts';
      await openLogDestination({ format: 'json' });
      await openLogDestination({ format: 'pretty' }).catch((error) => console.log(error.reason, error.message));`;
    const run = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      encoding: 'utf8',
    });
    rmSync(directory, { recursive: true });
    expect(run.stdout, run.stderr).toBe(
      'LogFormatUnusable LOG_FORMAT=pretty needs pino-pretty, a development tool: set LOG_FORMAT=json\n',
    );
  });
});

/** Logs 4 MB in a process of its own, then what `after` says; on standard error it says what was lost. */
const flood = (after = '') => `
  import { openLogDestination } from '${src}/telemetry/log-destination.ts';
  import { createLogger } from '${src}/telemetry/logger.ts';
  import { systemClock as clock } from '${src}/system-clock.ts';
  const lost = {};
  const onLost = (cause) => (lost[cause] = (lost[cause] ?? 0) + 1);
  const destination = await openLogDestination({ format: 'json', clock, onLost });
  const log = createLogger({ clock, level: 'info', destination });
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  for (let i = 0; i < 4000; i++) {
    log.info('flood', { i, padding: 'x'.repeat(1000) });
    if (i % 100 === 0) await pause(0);
  }
  ${after}
  process.stderr.write(JSON.stringify(lost) + '\\n', () => process.exit(0));`;

interface Flooded {
  readonly code: number | null;
  readonly lost: Readonly<Record<string, number>>;
}

async function flooded(child: ChildProcess): Promise<Flooded> {
  let errors = '';
  child.stderr?.on('data', (chunk) => (errors += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, lost: JSON.parse(errors) as Flooded['lost'] };
}

function startFlood(stdout: number | 'pipe', after?: string): ChildProcess {
  const args = ['--input-type=module', '--eval', flood(after)];
  return spawn(process.execPath, args, { stdio: ['pipe', stdout, 'pipe'] });
}

describe('a log that cannot be written', () => {
  it('for want of room ends nothing, and its lines are counted', async () => {
    const full = openSync('/dev/full', 'w');
    const { code, lost } = await flooded(startFlood(full));
    closeSync(full);
    expect(code).toBe(0);
    expect(lost).toEqual({ ENOSPC: 4000 });
  });

  it('because its reader is gone ends nothing, and its lines are counted', async () => {
    const child = startFlood('pipe');
    child.stdout?.destroy();
    const { code, lost } = await flooded(child);
    expect(code).toBe(0);
    expect(lost['EPIPE']).toBeGreaterThan(3000);
  });

  it('because no process reads it stops nothing, and says what was lost once one does', async () => {
    // The reader begins when the flood is over, which it is told by the process itself.
    const after = `
      process.stderr.write(JSON.stringify(lost) + ' ');
      await new Promise((done) => process.stdin.once('data', done));
      while (process.stdout.writableLength > 0) await pause(10);
      log.info('read again');
      await new Promise((done) => process.stdout.write('', done));`;
    const child = startFlood('pipe', after);
    const [said] = (await once(child.stderr as Readable, 'data')) as [Buffer];
    const { blocked = 0 } = JSON.parse(String(said)) as Flooded['lost'];
    expect(blocked).toBeGreaterThan(1000);

    const lines: Record<string, unknown>[] = [];
    createInterface(child.stdout as Readable).on('line', (line) => lines.push(JSON.parse(line)));
    child.stdin?.end('go on');
    const [code] = (await once(child, 'close')) as [number | null];
    expect(code).toBe(0);
    // More than one where the reader took its first bytes amid the flood.
    const notes = lines.filter(({ msg }) => msg === 'log lines were lost');
    expect(notes).not.toHaveLength(0);
    expect(notes.map(({ level }) => level)).toEqual(notes.map(() => 'error'));
    expect(notes.reduce((sum, { lost }) => sum + Number(lost), 0)).toBe(blocked);
    expect(lines.at(-1)).toMatchObject({ msg: 'read again' });
    expect(lines).toHaveLength(4000 - blocked + notes.length + 1);
  });
});
