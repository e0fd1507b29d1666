import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { isolatedEnvironment } from '../control-plane/environment.ts';
import { locateBinaries } from '../control-plane/locate.ts';
import { type CommandResult, runCommand } from '../control-plane/run-command.ts';

export const ROOT = resolve(import.meta.dirname, '../..');
export const CHART = resolve(ROOT, 'deploy/chart');

/** What the chart needs at least. */
export const COMPLETE = ['region=eu-central-1', 'image.repository=albridge'] as const;

export function setAll(sets: readonly string[]): readonly string[] {
  return sets.flatMap((one) => ['--set', one]);
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** The real helm, with nothing of the caller's: neither plugins nor repositories nor a kubeconfig. */
export class Helm {
  readonly #path: string;
  readonly #home: string;
  readonly #kubeconfig: readonly string[];

  private constructor(path: string, home: string, kubeconfig: readonly string[]) {
    this.#path = path;
    this.#home = home;
    this.#kubeconfig = kubeconfig;
  }

  static async open(kubeconfigPath?: string): Promise<Helm> {
    const { helm } = await locateBinaries(['helm']);
    const home = await mkdtemp(join(tmpdir(), 'albridge-helm-'));
    const kubeconfig = kubeconfigPath === undefined ? [] : ['--kubeconfig', kubeconfigPath];
    return new Helm(helm.path, home, kubeconfig);
  }

  try(args: readonly string[]): Promise<CommandResult> {
    const env = isolatedEnvironment(process.env, this.#home);
    return runCommand(this.#path, [...args, ...this.#kubeconfig], { env, cwd: ROOT });
  }

  /** Returns what helm printed; throws its own words if it fails. */
  async run(args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.try(args);
    if (code !== 0) throw new Error(`helm ${args.join(' ')}: ${stderr.trim()}`);
    return stdout;
  }

  /** What an installation would apply. */
  async template(
    args: readonly string[],
    version: '1.1' | '1.2' = '1.2',
  ): Promise<readonly Manifest[]> {
    const text = await this.run(['template', 'albridge', CHART, ...args]);
    return parseAllDocuments(text, { version }).flatMap((document) => {
      if (document.errors[0] !== undefined) throw document.errors[0];
      const object = document.toJS() as Manifest | null;
      return object === null ? [] : [object];
    });
  }

  close(): Promise<void> {
    return rm(this.#home, { recursive: true, force: true });
  }
}
