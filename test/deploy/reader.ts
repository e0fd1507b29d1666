import { symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { isolatedEnvironment } from '../control-plane/environment.ts';
import { runCommand } from '../control-plane/run-command.ts';
import type { DeployPlace } from './place.ts';

/** Somebody with a shell, kubectl and a clone, who pastes what a page says. */
export class Reader {
  readonly #place: DeployPlace;
  readonly #clone: string;
  readonly #bin: string;

  private constructor(place: DeployPlace, clone: string, bin: string) {
    this.#place = place;
    this.#clone = clone;
    this.#bin = bin;
  }

  static async in(place: DeployPlace, clone: string): Promise<Reader> {
    const bin = await place.openDirectory();
    await symlink(place.cluster.kubectlPath, join(bin, 'kubectl'));
    return new Reader(place, clone, bin);
  }

  /** What it printed; throws that where a command failed. */
  async paste(text: string): Promise<string> {
    const { cluster } = this.#place;
    const env = isolatedEnvironment(process.env, cluster.directory);
    const path = [this.#bin, env['PATH'] ?? ''].join(delimiter);
    // Bash takes a socket at stdin for a remote shell, and would read the machine's settings.
    const args = ['--norc', '-euo', 'pipefail', '-c', text];
    const { code, stdout, stderr } = await runCommand('bash', args, {
      env: { ...env, PATH: path, KUBECONFIG: cluster.kubeconfigPath },
      cwd: this.#clone,
    });
    if (code === 0) return stdout;
    throw new Error(`${text}ended with ${code}:\n${stdout}${stderr}`);
  }
}
