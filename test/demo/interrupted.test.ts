import { afterEach, describe, expect, it } from 'vitest';
import { discardDemos, NOTHING, startDemo } from './demo-program.ts';

afterEach(discardDemos);

const moments: Readonly<Record<string, string>> = {
  'while the control plane starts': '',
  'while the operator starts': '✓ start a real control plane',
  'while balancers are set up': '✓ apply the article',
  'while drift is repaired': '✓ every MyIngress is READY=True',
  'while requests are sent': '✓ curl by the DNS name',
  'while pods are restarted': "✓ apply the other articles' manifests",
};

describe('Ctrl-C', () => {
  it.each(Object.entries(moments))('%s leaves nothing behind', async (_, text) => {
    const program = await startDemo();
    if (text === '') await expect.poll(() => program.running(), wait).toEqual(etcdIsThere);
    else await program.printed(text, 300_000);
    program.signal('SIGINT');
    expect(await program.exited).toBe(130);
    expect(program.output).toContain('SIGINT: stopping what was started');
    expect(await program.remains()).toEqual(NOTHING);
  });
});

const wait = { timeout: 60_000, interval: 50 };
const etcdIsThere = expect.toSatisfy((commands: readonly string[]) =>
  commands.some((command) => command.includes('etcd ')),
);
