import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { KubeConfig } from '@kubernetes/client-node';
import { isFields } from '../../core/objects/fields.ts';

/** An ExecCredential has a few kilobytes; what a plugin reports beside it is kept by client-node too. */
const MOST_CHARACTERS = { stdout: 1_000_000, stderr: 16_000_000 } as const;

/**
 * client-node starts a credential plugin, waits for its end and keeps all that it prints. From now on a plugin of the
 * config ends when the signal aborts, when this process exits, and when it prints too much. The field is private in client-node: a test fails
 * where another version has none.
 */
export function limitPlugins(config: KubeConfig, signal: AbortSignal): void {
  const { authenticators } = config as unknown as { readonly authenticators: readonly unknown[] };
  for (const one of authenticators) {
    if (!isFields(one) || !('execFn' in one)) continue;
    const execFn = (command: string, args: readonly string[], options: SpawnOptions) =>
      limit(spawn(command, args, options), signal);
    Object.assign(one, { execFn });
  }
}

function limit(plugin: ChildProcess, signal: AbortSignal): ChildProcess {
  const onAbort = (): void => end(plugin);
  for (const name of ['stdout', 'stderr'] as const) {
    let count = 0;
    plugin[name]?.on('data', (text: string | Buffer) => {
      count += text.length;
      if (count <= MOST_CHARACTERS[name] || plugin.killed) return;
      const most = MOST_CHARACTERS[name] / 1_000_000;
      plugin.emit('error', new Error(`it printed more than ${most} MB to ${name}`));
      end(plugin);
    });
  }
  signal.addEventListener('abort', onAbort, { once: true });
  process.once('exit', onAbort);
  plugin.once('close', () => {
    signal.removeEventListener('abort', onAbort);
    process.off('exit', onAbort);
  });
  return plugin;
}

/** A process that the plugin has started may hold its output open, and is left behind. */
function end(plugin: ChildProcess): void {
  plugin.kill('SIGKILL');
  plugin.stdout?.destroy();
  plugin.stderr?.destroy();
}
