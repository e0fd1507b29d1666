import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const src = resolve(import.meta.dirname, '../../../src');

/** Logs two lines in a process of its own and kills it at once, as a crash would. */
function crash(format: 'json' | 'pretty'): string {
  const script = `
    import { createLogger, openLogDestination } from '${src}/telemetry/logger.ts';
    import { systemClock as clock } from '${src}/system-clock.ts';
    const destination = await openLogDestination('${format}');
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
      import { openLogDestination } from '${directory}/src/telemetry/logger.ts';
      await openLogDestination('json');
      await openLogDestination('pretty').catch((error) => console.log(error.reason, error.message));`;
    const run = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      encoding: 'utf8',
    });
    rmSync(directory, { recursive: true });
    expect(run.stdout, run.stderr).toBe(
      'LogFormatUnusable LOG_FORMAT=pretty needs pino-pretty, a development tool: set LOG_FORMAT=json\n',
    );
  });
});
