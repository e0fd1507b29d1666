import { describe, expect, it } from 'vitest';
import { CliPlace } from '../cli-place.ts';
import { runCli } from '../run-cli.ts';

const place = new CliPlace();

async function readEventsOf(events: { readonly status: number; readonly body: object }) {
  const metadata = { name: 'web', namespace: 'shop', uid: 'u1', generation: 1 };
  const server = `http://${await place.answering((path) => {
    const isEvents = path.includes('/events');
    const body = isEvents ? events.body : { kind: 'MyIngress', metadata, spec: {}, status: {} };
    return { status: isEvents ? events.status : 200, body: JSON.stringify(body) };
  })}`;
  const env = { KUBECONFIG: place.writeKubeconfig({ server }) };
  const { stdout } = await runCli(['why', 'myingress/web', '-n', 'shop', '-o', 'json'], { env });
  return (JSON.parse(stdout) as { readonly events: unknown }).events;
}

describe('the events of albridge why -o json', () => {
  it('are none where there are none', async () => {
    const body = { metadata: { resourceVersion: '1' }, items: [] };
    expect(await readEventsOf({ status: 200, body })).toEqual([]);
  });

  it('are null where the caller may not list them', async () => {
    const body = { kind: 'Status', code: 403, reason: 'Forbidden', message: 'no events' };
    expect(await readEventsOf({ status: 403, body })).toBeNull();
  });
});
