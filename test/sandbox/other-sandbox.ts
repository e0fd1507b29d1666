import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isListening } from '../surroundings/listening.ts';

/** Throws where the control plane of another sandbox answers at the address in DIR/kubeconfig, which it needs until it ends. */
export async function refuseOtherSandbox(directory: string): Promise<void> {
  const kubeconfig = await readFile(join(directory, 'kubeconfig'), 'utf8').catch(() => '');
  const port = /server: https?:\/\/127\.0\.0\.1:(\d+)/.exec(kubeconfig)?.[1];
  if (port === undefined || !(await isListening(Number(port)))) return;
  throw new Error(
    `another sandbox runs with --dir ${directory}: stop it, or give another directory`,
  );
}
