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

describe('an object without a status, as an older CRD without its default leaves it', () => {
  const metadata = { name: 'live', namespace: 'web', uid: 'u1', generation: 1 };
  const item = { apiVersion: 'demo.rtfm.co.ua/v1', kind: 'MyIngress', metadata, spec: {} };

  it('keeps plan -A from no other plan', async () => {
    expect(await run([item], '-A', '-o', 'json')).toEqual({
      exitCode: 0,
      stdout: '[]\n',
      stderr: '',
    });
  });

  it('has no plan', async () => {
    const body = JSON.stringify(item);
    const server = `http://${await place.answering(() => ({ status: 200, body }))}`;
    const env = { KUBECONFIG: place.writeKubeconfig({ server }) };
    const { exitCode, stderr } = await runCli(['plan', 'live', '-n', 'web'], { env });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('it is not in plan mode')]);
  });
});
