import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Poison, preparePoison } from '../surroundings/poison.ts';
import { Program } from '../surroundings/program.ts';
import { StandInControl } from '../surroundings/stand-in-control.ts';
import { quietFor, until } from '../surroundings/until.ts';

const NOTHING = { processes: [], files: [] };
let poison: Poison;
let directory: string;
let program: Program;

beforeEach(async () => {
  poison = await preparePoison();
  directory = await mkdtemp(join(tmpdir(), 'albridge-sandbox-'));
});

afterEach(async () => {
  await program.discard();
  await poison.remove();
  await rm(directory, { recursive: true, force: true });
});

async function sandbox(...args: readonly string[]): Promise<void> {
  const entry = 'test/sandbox/main.ts';
  program = await Program.start(entry, ['--dir', directory, ...args], poison.environment);
}

/** DIR/env, once it is there: whoever waits for it may begin. */
async function environmentFile(): Promise<Readonly<Record<string, string>>> {
  const isThere = async (): Promise<boolean> => (await readdir(directory)).includes('env');
  await until('DIR/env', isThere, 180_000);
  const text = await readFile(join(directory, 'env'), 'utf8');
  expect(text).toMatch(/^(\w+=.*\n)+$/);
  return Object.fromEntries(
    text
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

async function kubectl(
  environment: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<string> {
  const path = environment['KUBECTL'] as string;
  const kubeconfig = join(directory, 'kubeconfig');
  const { stdout } = await promisify(execFile)(path, ['--kubeconfig', kubeconfig, ...args]);
  return stdout;
}

/** What the sandbox prints to be typed next, but the last line, which goes on watching. */
async function firstSteps(): Promise<string> {
  const isPrinted = (): Promise<boolean> => Promise.resolve(program.output.includes('--watch'));
  await until('the first steps', isPrinted);
  const [, steps = ''] = /in another terminal:\n\n([\s\S]*)\n.*--watch/.exec(program.output) ?? [];
  return steps;
}

async function paste(lines: string): Promise<void> {
  expect(lines).toContain('kubectl apply -f');
  await promisify(execFile)('sh', ['-ec', lines], { cwd: directory });
}

async function applyOne(
  environment: Readonly<Record<string, string>>,
  name = 'web',
  traffic: object = {},
): Promise<void> {
  const subnets = environment['ALBRIDGE_SUBNETS']?.split(',') as readonly string[];
  const path = environment['KUBECTL'] as string;
  const args = ['--kubeconfig', join(directory, 'kubeconfig'), 'apply', '-f', '-'];
  const applying = promisify(execFile)(path, args);
  const object = {
    apiVersion: 'demo.rtfm.co.ua/v1',
    kind: 'MyIngress',
    metadata: { name, namespace: 'default' },
    spec: { subnets: subnets.slice(0, 2), ...traffic },
  };
  applying.child.stdin?.end(JSON.stringify(object));
  await applying;
}

/** What the pod says that the printed line leads to. */
async function followPrintedLine(): Promise<string> {
  await program.printed('curl --insecure');
  expect(program.output).toMatch(
    /MyIngress default\/\S+: listener \d+ is open:\n\n {2}curl --insecure/,
  );
  const [line = ''] = /curl --insecure.*/.exec(program.output) ?? [];
  let said = '';
  await until('a pod answers', async () => {
    said = (await promisify(execFile)('sh', ['-ec', `${line} --silent`])).stdout;
    return said.startsWith('pod=');
  });
  return said;
}

describe('npm run sandbox', () => {
  it("gives what is needed to try albridge, far from the caller's cluster and account", async () => {
    await sandbox('--provisioning-ms', '0');
    const environment = await environmentFile();

    expect(Object.keys(environment).sort()).toEqual(
      [
        'ALBRIDGE_ARTICLE_SUBNETS',
        'ALBRIDGE_AWS_BUDGET',
        'ALBRIDGE_CERTIFICATES',
        'ALBRIDGE_SAME_ZONE_SUBNETS',
        'ALBRIDGE_SECRETS',
        'ALBRIDGE_SECURITY_GROUPS',
        'ALBRIDGE_SUBNETS',
        'ALBRIDGE_VPC',
        'AWS_ACCESS_KEY_ID',
        'AWS_EC2_METADATA_DISABLED',
        'AWS_ENDPOINT_URL',
        'AWS_REGION',
        'AWS_SECRET_ACCESS_KEY',
        'KUBECTL',
        'POD_NAMESPACE',
      ].sort(),
    );
    expect(environment).toMatchObject({
      AWS_ENDPOINT_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      AWS_REGION: 'us-east-1',
      ALBRIDGE_AWS_BUDGET: 'off',
      ALBRIDGE_SUBNETS: expect.stringMatching(/^subnet-\w+(,subnet-\w+){2}$/),
    });
    for (const name of ['kubeconfig', 'env']) {
      expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
    }

    await applyOne(environment);
    await kubectl(environment, 'wait', '--for=condition=Ready', '--timeout=60s', 'myingress/web');
    await paste(await firstSteps());
    await kubectl(environment, 'wait', '--for=condition=Ready', '--timeout=60s', 'myingress/myapp');
    const standIn = new StandInControl(environment['AWS_ENDPOINT_URL'] as string);
    expect(await standIn.balancersOf('default', 'web')).toHaveLength(1);
    await kubectl(environment, 'delete', 'myingress/myapp');
    await kubectl(environment, 'apply', '-f', 'examples/webapp-02-defaults.yaml');
    await kubectl(environment, 'wait', '--for=condition=Ready', '--timeout=60s', 'webapp/small');
    const certificates = environment['ALBRIDGE_CERTIFICATES']?.split(',').slice(0, 1);
    await applyOne(environment, 'secure', {
      backends: [{ name: 'small', service: { name: 'small', port: 80 } }],
      listeners: [{ port: 8443, protocol: 'HTTPS', certificates }],
    });
    expect(await followPrintedLine()).toMatch(/^pod=small-\S+ namespace=default path=\/\n$/);

    await kubectl(environment, 'apply', '-f', 'examples/11-nodes.yaml');
    for (const condition of ['Ready', 'TargetsHealthy']) {
      const waiting = `--for=condition=${condition}`;
      await kubectl(environment, 'wait', waiting, '--timeout=60s', 'myingress/overlay');
    }

    program.signal('SIGTERM');
    expect(await program.exited).toBe(0);
    expect(await readdir(directory)).toEqual([]);
    expect(await program.remains()).toEqual(NOTHING);
    expect(poison.visits()).toBe(0);
  });

  it('leaves the operator out on request, and keeps the limits of AWS', async () => {
    await sandbox('--no-operator', '--budget', 'aws', '--nodes', '0');
    const environment = await environmentFile();
    expect(environment['ALBRIDGE_AWS_BUDGET']).toBe('aws');
    const standIn = new StandInControl(environment['AWS_ENDPOINT_URL'] as string);
    expect((await standIn.state()).settings.budget).toBe('aws');

    await applyOne(environment);
    await quietFor(1000);
    const observed = 'jsonpath={.status.observedGeneration}';
    expect(await kubectl(environment, 'get', 'myingress', 'web', '-o', observed)).toBe('-1');
    const operators = (await program.running()).filter((line) => line.includes('src/main.ts'));
    expect(operators).toEqual([]);
    expect(await standIn.balancers()).toEqual([]);

    program.signal('SIGINT');
    expect(await program.exited).toBe(0);
    expect(await program.remains()).toEqual(NOTHING);
  });

  it('ends everything with itself, even by SIGKILL', async () => {
    await sandbox();
    await environmentFile();
    program.signal('SIGKILL');
    expect(await program.exited).toBe('SIGKILL');
    expect(await program.remains()).toEqual(NOTHING);
  });

  it.each([
    ['--budget', 'infinite', '--budget takes aws or off'],
    ['--nodes', 'two', '--nodes takes a whole number from 0'],
  ])('says what is wrong with its flags: %s %s', async (flag, value, says) => {
    await sandbox(flag, value);
    expect(await program.exited).toBe(2);
    expect(program.output).toContain(says);
  });
});
