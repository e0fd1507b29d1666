import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What of a container the shell of this machine can do, too. */
export interface Container {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
}

export interface Printed {
  readonly out: string;
  readonly err: string;
}

/**
 * Runs command and args of a container here, in `directory`, with its environment as a kubelet makes
 * it, and gives all that they print. In place of the `sleep` that would never end there is one that
 * says so and ends.
 */
export async function runContainer(container: Container, directory: string): Promise<Printed> {
  await writeFile(join(directory, 'sleep'), '#!/bin/sh\necho "sleeps $1" >&2\n', { mode: 0o755 });
  const { command = [], args = [], env = [] } = container;
  // Every container has variables like these: https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
  const services = { KUBERNETES_SERVICE_HOST: '10.0.0.1', PATH: `${directory}:/usr/bin:/bin` };
  const own = Object.fromEntries(env.map(({ name, value }) => [name, expanded(value, services)]));
  const known = { ...services, ...own };
  const [program = '', ...rest] = [...command, ...args].map((word) => expanded(word, known));
  const child = spawn(program, rest, { cwd: directory, env: known });
  const printed = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (printed.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (printed.err += text));
  await once(child, 'close');
  return printed;
}

/**
 * What a kubelet makes of a value: `$$` is a dollar, `$(NAME)` a variable that it knows, and what it
 * does not know stays as it is.
 * https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#environment-variables
 */
function expanded(text: string, known: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\$|\$\(([^)]*)\)/g, (found, name: string | undefined) => {
    if (name === undefined) return '$';
    return known[name] ?? found;
  });
}
