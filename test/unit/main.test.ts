import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { startOperatorProcess } from '../surroundings/operator-process.ts';
import { CliPlace } from './cli/cli-place.ts';

/** The addresses of probes and metrics take their time. */
const SLOW_START = `data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module';
  const source = 'export function startHttpServer() { return new Promise((done) => setTimeout(done, 60_000)); }';
  registerHooks({
    load: (url, context, next) =>
      url.endsWith('/src/telemetry/http-server.ts')
        ? { format: 'module', source, shortCircuit: true }
        : next(url, context),
  });`,
)}`;

const place = new CliPlace();

/** Process 1 of a container is not ended by a signal for which it has no handler: the code would be null here. */
it.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends an operator that is still starting',
  async (signal) => {
    const operator = startOperatorProcess({
      environment: {
        ALBRIDGE_KINDS: 'configmonitor',
        KUBECONFIG: place.writeKubeconfig({ server: 'http://127.0.0.1:1' }),
      },
      nodeFlags: ['--import', SLOW_START],
    });
    await operator.waitForLine(({ msg }) => msg === 'starting');

    operator.signal(signal);

    expect(await operator.exited).toBe(0);
  },
);

it('a credential plugin does not outlive the operator', async () => {
  const trace = join(place.directory, 'trace');
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: 'sh',
    args: ['-c', `while echo >> '${trace}'; do sleep 0.05; done`],
  };
  const server = 'http://127.0.0.1:1';
  const operator = startOperatorProcess({
    environment: {
      ...{ PATH: process.env['PATH'] ?? '', ALBRIDGE_KINDS: 'configmonitor' },
      ...{ ALBRIDGE_METRICS_ADDRESS: 'off', ALBRIDGE_HEALTH_ADDRESS: 'off' },
      KUBECONFIG: place.writeKubeconfig({ server }, undefined, { exec }),
    },
  });
  await vi.waitFor(() => expect(existsSync(trace)).toBe(true), 10_000);

  expect(await operator.stop()).toBe(0);

  const { size } = statSync(trace);
  await setTimeout(500);
  expect(statSync(trace).size).toBe(size);
});

it.each([
  ['{ "$@"; echo $? >&2; } | true', '141\n'],
  [
    '"$@" > /dev/full; echo $? >&2',
    'albridge: the output cannot be written (ENOSPC): check where it goes\n1\n',
  ],
])('the help that cannot be written ends with a code, and without a stack: %s', (line, says) => {
  const help = [process.execPath, resolve('src/main.ts'), '--help'];
  const { stderr } = spawnSync('sh', ['-c', line, 'sh', ...help], { encoding: 'utf8' });

  expect(stderr).toBe(says);
});
