import { describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import type { Command } from '../../../src/cli/command.ts';
import { COMMANDS } from '../../../src/cli/commands/commands.ts';
import { CommandError } from '../../../src/cli/errors.ts';
import { runCli } from './run-cli.ts';

function createCommand(run: Command['run']): Command {
  return {
    name: 'probe',
    summary: 'a command of this test',
    operands: { usage: '[NAME]', min: 0, max: 1 },
    examples: [{ line: 'probe x', what: 'probes x' }],
    options: { size: { type: 'string', value: 'N', help: 'its size' } },
    run,
  };
}

const echo = createCommand(async ({ operands, flags, output }) => {
  const data = { operands, namespace: flags.text('namespace'), size: flags.text('size') };
  output.print(data, () => `${operands.join(' ')}\n`);
  return 0;
});

describe('the command line', () => {
  it('takes options before and after the command', async () => {
    const args = ['-n', 'shop', 'probe', 'web', '--size=3', '-o', 'json'];
    const { exitCode, stdout } = await runCli(args, { commands: [echo] });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ operands: ['web'], namespace: 'shop', size: '3' });
  });

  it('prints the same as YAML', async () => {
    const { stdout } = await runCli(['probe', 'web', '-o', 'yaml'], { commands: [echo] });
    expect(stdout).toBe('operands:\n  - web\n');
  });

  const wrong: Readonly<Record<string, { readonly args: readonly string[]; says: string }>> = {
    'no such command': {
      args: ['stats'],
      says: 'there is no command "stats": albridge --help lists them',
    },
    'no command': { args: ['-A'], says: 'there is no command: albridge --help lists them' },
    'an option that no command has': {
      args: ['probe', '--colour'],
      says: "unknown option '--colour': albridge probe --help has the options",
    },
    'a value that is missing': {
      args: ['probe', '--size'],
      says: "option '--size <value>' argument missing: albridge probe --help has the options",
    },
    'a value that begins with a hyphen': {
      args: ['probe', '--size', '-5'],
      says: '--size takes a value; one that begins with a hyphen follows an equals sign (--size=-1): albridge probe --help has the options',
    },
    'an empty value': {
      args: ['probe', '--size='],
      says: '--size takes N: albridge probe --help has the options',
    },
    'another format': {
      args: ['probe', '-o', 'xml'],
      says: '--output takes table, json, yaml, not "xml"',
    },
    'too many arguments': {
      args: ['probe', 'a', 'b'],
      says: '"b" is one argument too many: albridge probe [NAME]',
    },
    'an argument of --version': {
      args: ['--version', 'probe'],
      says: '"probe" is one argument too many: albridge --version',
    },
    'an option that is given twice': {
      args: ['probe', '-n', 'a', '-n', 'b'],
      says: '--namespace is given twice: albridge probe --help has the options',
    },
    'a namespace that cannot be one': {
      args: ['probe', '-n', 'Foo/../Bar'],
      says: '--namespace takes the name of a namespace, not "Foo/../Bar"',
    },
    'two answers to one question': {
      args: ['probe', '-A', '-n', 'shop'],
      says: 'give either --namespace or --all-namespaces',
    },
  };

  it.each(Object.entries(wrong))('refuses %s with 64', async (_name, { args, says }) => {
    const { exitCode, stdout, stderr } = await runCli(args, { commands: [echo] });
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 64,
      stdout: '',
      stderr: `albridge: ${says}\n`,
    });
  });

  it.each([
    [['help', '--help'], 'Usage: albridge'],
    [['-A', '--version'], manifest.version],
  ])('answers a question wherever it stands: %j', async (args, says) => {
    const { exitCode, stdout } = await runCli(args, { commands: [echo] });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(says);
  });

  it('reports a failure in one line without control characters, and ends with 1', async () => {
    const fails = createCommand(async () => {
      throw new CommandError('web\u001b[2J\nis gone: look again');
    });
    const { exitCode, stderr } = await runCli(['probe'], { commands: [fails] });
    expect(exitCode).toBe(1);
    expect(stderr).toBe('albridge: web\\u001b[2J\\u000ais gone: look again\n');
  });

  it('reports a defect of its own without a stack', async () => {
    const fails = createCommand(() => Promise.reject(new RangeError('x is 3\n  at y')));
    const { exitCode, stderr } = await runCli(['probe'], { commands: [fails] });
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      'albridge: a defect of this command, please report it: RangeError: x is 3\n',
    );
  });

  it('says what to set where no kubeconfig leads to a cluster', async () => {
    const asks = createCommand(async ({ cluster }) => cluster().namespace?.length ?? 0);
    const { exitCode, stderr } = await runCli(['probe'], { commands: [asks] });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^albridge: no cluster: set KUBECONFIG to a kubeconfig.*\n$/);
  });

  it('blames no setting for a kubeconfig of --kubeconfig that is not there', async () => {
    const asks = createCommand(async ({ cluster }) => cluster().namespace?.length ?? 0);
    const args = ['probe', '--kubeconfig', '/nowhere'];
    const { stderr } = await runCli(args, { commands: [asks] });
    expect(stderr).toBe(
      'albridge: no kubeconfig at /nowhere: correct this path, or write the file\n',
    );
  });

  it.each(['0', '65536', '1e3', '-1'])('refuses port %s before it asks anything', async (port) => {
    const { exitCode, stderr } = await runCli(['ui', `--port=${port}`]);
    expect(exitCode).toBe(64);
    expect(stderr).toBe(`albridge: --port takes a number from 1 to 65535, not "${port}"\n`);
  });

  it('refuses a number of orphans that is none before it asks anything', async () => {
    const { exitCode, stderr } = await runCli(['orphans', '--delete', '--yes-delete', 'x']);
    expect(exitCode).toBe(64);
    expect(stderr).toMatch(/^albridge: --yes-delete takes the number .*, not "x"\n$/);
  });

  it('ends with 130 on Ctrl-C, whatever is still running', async () => {
    const interrupt = new AbortController();
    const hangs = createCommand(() => {
      interrupt.abort(new Error('interrupted'));
      return new Promise(() => {});
    });
    const options = { commands: [hangs], signal: interrupt.signal };
    expect(await runCli(['probe'], options)).toEqual({ exitCode: 130, stdout: '', stderr: '' });
  });

  it('has help with an example for every command', async () => {
    const overview = await runCli(['--help']);
    expect(overview.exitCode).toBe(0);
    for (const { name, summary, examples } of COMMANDS) {
      expect(overview.stdout).toContain(summary);
      const { stdout, exitCode } = await runCli([name, '--help']);
      expect(exitCode).toBe(0);
      expect(examples.length).toBeGreaterThan(0);
      for (const { line } of examples) expect(stdout).toContain(`albridge ${line}\n`);
      expect((await runCli(['help', name])).stdout).toBe(stdout);
    }
  });

  it.each(['', ...COMMANDS.map(({ name }) => name)])(
    'has help that fits in 80 columns: %s',
    async (name) => {
      const { stdout } = await runCli(name === '' ? ['--help'] : [name, '--help']);
      expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    },
  );

  it('prints its version', async () => {
    expect((await runCli(['--version'])).stdout).toBe(`${manifest.version}\n`);
  });
});
