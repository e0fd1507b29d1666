import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { KubeConfig } from '@kubernetes/client-node';
import { isFields } from '../../core/objects/fields.ts';

/** An ExecCredential has a few kilobytes. */
const MOST_CHARACTERS = 1_000_000;

/**
 * client-node starts a credential plugin, waits for its end and keeps all that it prints. From now on a plugin of the
 * config ends when the signal aborts, and when it prints too much. The field is private in client-node: a test fails
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
  let count = 0;
  const add = (text: string | Buffer): void => {
    count += text.length;
    if (count <= MOST_CHARACTERS || plugin.killed) return;
    plugin.emit('error', new Error('it printed more than 1 MB, which is no ExecCredential'));
    end(plugin);
  };
  plugin.stdout?.on('data', add);
  plugin.stderr?.on('data', add);
  signal.addEventListener('abort', onAbort, { once: true });
  plugin.once('close', () => signal.removeEventListener('abort', onAbort));
  return plugin;
}

/** A process that the plugin has started may hold its output open, and is left behind. */
function end(plugin: ChildProcess): void {
  plugin.kill('SIGKILL');
  plugin.stdout?.destroy();
  plugin.stderr?.destroy();
}
