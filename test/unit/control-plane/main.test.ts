import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryDirectory, writeExecutable } from './release-server.ts';

const main = fileURLToPath(new URL('../../control-plane/main.ts', import.meta.url));
let directory: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});

afterEach(() => rmSync(directory, { recursive: true }));

function run(...args: readonly string[]): {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  // Nothing is reachable and nothing installed: only what a test puts there is found.
  const env = {
    PATH: directory,
    XDG_CACHE_HOME: directory,
    ALBRIDGE_DOWNLOAD_BASE: 'http://127.0.0.1:1',
  };
  return spawnSync(process.execPath, [main, ...args], { env, encoding: 'utf8' });
}

describe('the command line', () => {
  it.each([[['--help']], [['-h']], [[]], [['fetch', '--help']]])(
    'explains itself with %j',
    (args) => {
      const { status, stdout } = run(...args);
      expect(status).toBe(0);
      expect(stdout).toContain('usage: npm run control-plane -- fetch');
      expect(stdout).toContain('Kubernetes 1.36.4, etcd 3.6.14');
    },
  );

  const mistakes = {
    'an unknown command': { args: ['get'], message: 'unknown command: get', why: '' },
    'an unknown binary': {
      args: ['fetch', 'kubelet'],
      message: 'unknown binary: kubelet',
      why: '',
    },
    'an unknown option': {
      args: ['fetch', '--force'],
      message: "unknown option '--force'",
      why: '',
    },
    'a directory that is none': {
      args: ['fetch', '--assets', '/nope', 'kubectl'],
      message: '--assets: /nope is no directory',
      why: '',
    },
    'an empty directory name': {
      args: ['fetch', '--assets=', 'kubectl'],
      message: '--assets takes a directory, not an empty text',
      why: '',
    },
  };
  it.each(Object.entries(mistakes))('refuses %s', (_name, { args, message }) => {
    const { status, stderr } = run(...args);
    expect(status).toBe(2);
    expect(stderr).toBe(`control-plane: ${message}; run with --help for usage\n`);
  });

  it('prints where each binary is', async () => {
    const path = await writeExecutable(join(directory, 'assets', 'etcd'), '');
    const { status, stdout } = run('fetch', '--assets', join(directory, 'assets'), 'etcd');
    expect({ status, stdout }).toEqual({ status: 0, stdout: `etcd\tassets\t${path}\n` });
  });

  it('takes prometheus from PATH, and says in one sentence where none can be had', async () => {
    const missing = run('fetch', 'promtool');
    expect(missing.status).toBe(1);
    expect(missing.stderr).toMatch(
      /^control-plane: cannot provide prometheus and promtool: apt-get update: .*; put it on PATH, or run apt-get update on Debian\n$/,
    );
    const path = await writeExecutable(join(directory, 'promtool'), '');
    const { status, stdout } = run('fetch', 'promtool');
    expect({ status, stdout }).toEqual({ status: 0, stdout: `promtool\tpath\t${path}\n` });
  });

  it('fails with every reason if a binary cannot be had', () => {
    const { status, stderr } = run('fetch', 'etcd');
    expect(status).toBe(1);
    expect(stderr).toContain('cannot provide etcd v3.6.14');
    expect(stderr).toContain('cannot reach 127.0.0.1:1');
  });
});
