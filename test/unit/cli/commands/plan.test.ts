import { describe, expect, it } from 'vitest';
import { CliPlace } from '../cli-place.ts';
import { type CliRun, runCli } from '../run-cli.ts';

const place = new CliPlace();

/** In a cluster with these objects. */
async function run(items: readonly object[], ...args: readonly string[]): Promise<CliRun> {
  const body = JSON.stringify({ metadata: { resourceVersion: '1' }, items });
  const server = `http://${await place.answering(() => ({ status: 200, body }))}`;
  return runCli(['plan', ...args], { env: { KUBECONFIG: place.writeKubeconfig({ server }) } });
}

const LIVE = { metadata: { name: 'live', namespace: 'web', uid: 'u1' }, spec: {}, status: {} };

describe('plan -A where no object is in plan mode', () => {
  it.each([
    ['json', '[]\n'],
    ['yaml', '[]\n'],
    [
      'table',
      'no MyIngress is in plan mode: kubectl annotate myingress NAME albridge.io/mode=plan\n',
    ],
  ])('prints %s, and nothing would change', async (format, stdout) => {
    const desired = { exitCode: 0, stdout, stderr: '' };
    expect(await run([LIVE], '-A', '-o', format)).toEqual(desired);
    expect(await run([], '-A', '-o', format)).toEqual(desired);
  });
});
