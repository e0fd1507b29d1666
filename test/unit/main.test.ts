import { expect, it } from 'vitest';
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
