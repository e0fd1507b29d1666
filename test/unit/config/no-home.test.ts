import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { CliPlace } from '../cli/cli-place.ts';

const SOURCE = resolve(import.meta.dirname, '../../../src');

/** As Node has it without HOME, for a user without an entry in the user database. */
const WITHOUT_HOME = `data:text/javascript,${encodeURIComponent(
  `import os from 'node:os';
  import { syncBuiltinESMExports } from 'node:module';
  os.homedir = () => { throw new Error('uv_os_homedir returned ENOENT'); };
  syncBuiltinESMExports();`,
)}`;

const place = new CliPlace();

function run(program: string, ...args: readonly string[]): Promise<string> {
  return runWith({}, program, ...args);
}

function runWith(
  settings: NodeJS.ProcessEnv,
  program: string,
  ...args: readonly string[]
): Promise<string> {
  const all = ['--import', WITHOUT_HOME, resolve(SOURCE, program), ...args];
  const env = { PATH: process.env['PATH'], AWS_REGION: 'eu-central-1', ...settings };
  return new Promise((done) => {
    execFile(process.execPath, all, { env }, (_, stdout, stderr) => done(stdout + stderr));
  });
}

it('the command line runs without a home directory', async () => {
  expect(await run('cli/main.ts', '--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
});

it('the command line asks for a kubeconfig where there is no home directory', async () => {
  expect(await run('cli/main.ts', 'status')).toBe(
    'albridge: no cluster: set KUBECONFIG to a kubeconfig\n',
  );
});

it('the operator asks for a kubeconfig where there is no home directory', async () => {
  const output = await run('main.ts');
  expect(output).toContain('no cluster: set KUBECONFIG to a kubeconfig');
  expect(output).not.toContain('uv_os_homedir');
});

it('a command asks AWS without a home directory', async () => {
  const server = await place.answering((path) => {
    const system = { kind: 'Namespace', metadata: { name: 'kube-system', uid: 'u0' } };
    const found = path.endsWith('/kube-system') ? system : { metadata: {}, items: [] };
    return { status: path === '/' ? 403 : 200, body: JSON.stringify(found) };
  });
  const settings = {
    ...{ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' },
    AWS_ENDPOINT_URL: `http://${server}`,
    KUBECONFIG: place.writeKubeconfig({ server: `http://${server}` }),
  };
  const output = await runWith(settings, 'cli/main.ts', 'orphans');
  expect(output).toMatch(/^albridge: describe /);
  expect(output).not.toContain('uv_os_homedir');
});
