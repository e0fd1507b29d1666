import { chmod, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { isolatedEnvironment } from '../control-plane/environment.ts';
import { runCommand } from '../control-plane/run-command.ts';
import type { DeployPlace } from './place.ts';

type Strings = Readonly<Record<string, string>>;

interface ReaderOptions {
  /** Programs on the PATH, by name, as scripts of `sh`; of `kubectl` one that stands before it. */
  readonly scripts?: Strings;
  readonly environment?: Strings;
}

/** Somebody with a shell, kubectl and a clone, who pastes what a page says. */
export class Reader {
  readonly #place: DeployPlace;
  readonly #clone: string;
  readonly #bin: string;
  readonly #environment: Strings;

  private constructor(
    place: DeployPlace,
    clone: string,
    { bin, environment }: { readonly bin: string; readonly environment: Strings },
  ) {
    this.#place = place;
    this.#clone = clone;
    this.#bin = bin;
    this.#environment = environment;
  }

  static async in(
    place: DeployPlace,
    clone: string,
    { scripts = {}, environment = {} }: ReaderOptions = {},
  ): Promise<Reader> {
    const bin = await place.openDirectory();
    if (scripts['kubectl'] === undefined)
      await symlink(place.cluster.kubectlPath, join(bin, 'kubectl'));
    for (const [name, script] of Object.entries(scripts)) {
      await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
      await chmod(join(bin, name), 0o755);
    }
    return new Reader(place, clone, { bin, environment });
  }

  /** What it printed; throws that where a command failed. */
  async paste(text: string): Promise<string> {
    const { cluster } = this.#place;
    const env = isolatedEnvironment(process.env, cluster.directory);
    const path = [this.#bin, env['PATH'] ?? ''].join(delimiter);
    // Bash takes a socket at stdin for a remote shell, and would read the machine's settings.
    const args = ['--norc', '-euo', 'pipefail', '-c', text];
    const { code, stdout, stderr } = await runCommand('bash', args, {
      env: { ...env, ...this.#environment, PATH: path, KUBECONFIG: cluster.kubeconfigPath },
      cwd: this.#clone,
    });
    if (code === 0) return stdout;
    throw new Error(`${text}ended with ${code}:\n${stdout}${stderr}`);
  }
}
