import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { loadAll } from 'js-yaml';
import { isFields } from '../../core/objects/fields.ts';
import { readMessage } from '../../core/reconcile/operator-error.ts';

/**
 * Reads one kubeconfig, with absolute paths. Throws Error with a sentence without its subject, and without anything of
 * the file, which may be secret.
 */
export function readKubeconfigFile(path: string): KubeConfig {
  const directory = dirname(path);
  const given = parse(readText(path));
  const config = new KubeConfig();
  try {
    config.loadFromString(JSON.stringify(mapUsers(given, (user) => readUser(user, directory))));
  } catch (error) {
    throw new Error(`cannot be used, ${describe(error)}: correct or replace it`, { cause: error });
  }
  config.makePathsAbsolute(directory);
  keepExtensions(config, given);
  return config;
}

/** client-node's name for "read the bearer token from this file". */
export function describeTokenFile(path: string): object {
  return { name: 'tokenFile', config: { tokenFile: path } };
}

function readText(path: string): string {
  try {
    return readBounded(path);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EISDIR') throw new Error('is a directory: name a file in it', { cause: error });
    throw new Error(`cannot be read (${code ?? message}): correct its rights, or replace it`, {
      cause: error,
    });
  }
}

const MOST_BYTES = 4_000_000;
const CHUNK_BYTES = 65_536;

/** The texts of pipes, as a shell gives them: these can be read once. */
const pipes = new Map<string, string>();

function readBounded(path: string): string {
  const known = pipes.get(path);
  if (known !== undefined) return known;
  const file = openSync(path, 'r');
  try {
    const text = readUntilEnd(file);
    if (!fstatSync(file).isFile()) pipes.set(path, text);
    return text;
  } finally {
    closeSync(file);
  }
}

/** Throws RangeError, such as for a device that has no end. */
function readUntilEnd(file: number): string {
  const chunks: Buffer[] = [];
  for (let size = 0; size <= MOST_BYTES; ) {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    const count = readSync(file, chunk);
    if (count === 0) return Buffer.concat(chunks).toString('utf8');
    chunks.push(chunk.subarray(0, count));
    size += count;
  }
  throw new RangeError('is longer than 4 MB, as no kubeconfig is: name another file');
}

type Fields = Readonly<Record<string, unknown>>;

/** An empty file is one without contexts, and of several documents the first one counts, as for kubectl. */
function parse(text: string): Fields {
  const config = parseFirst(text) ?? {};
  if (isFields(config)) return refuseOtherTypes(config);
  const what = Array.isArray(config) ? 'a list' : 'a text';
  throw new Error(`is no kubeconfig, but ${what}: correct or replace it`);
}

/** The fields that are texts, by the list and the field of its entries that has them. */
const TEXTS = {
  clusters: [
    'cluster',
    ['server', 'certificate-authority', 'certificate-authority-data', 'tls-server-name'],
    ['proxy-url'],
  ],
  contexts: ['context', ['cluster', 'user']],
  users: [
    'user',
    ['client-certificate', 'client-certificate-data', 'client-key', 'client-key-data'],
    ['token', 'tokenFile', 'username', 'password', 'as'],
  ],
} as const;

/** client-node takes what is no list for none, and fields as they come. */
function refuseOtherTypes(config: Fields): Fields {
  refuseNoText(config, ['current-context'], '');
  for (const [name, [inner, ...texts]] of Object.entries(TEXTS)) {
    const list = config[name] ?? [];
    if (!Array.isArray(list)) throw createTypeError(name, 'list');
    for (const [index, entry] of (list as readonly unknown[]).entries()) {
      const path = `${name}[${index}]`;
      if (!isFields(entry)) throw createTypeError(path, 'mapping');
      refuseNoText(entry, ['name'], `${path}.`);
      const fields = entry[inner] ?? {};
      if (!isFields(fields)) throw createTypeError(`${path}.${inner}`, 'mapping');
      refuseNoText(fields, texts.flat(), `${path}.${inner}.`);
    }
  }
  return config;
}

function refuseNoText(fields: Fields, names: readonly string[], path: string): void {
  const wrong = names.find((name) => typeof (fields[name] ?? '') !== 'string');
  if (wrong !== undefined) throw createTypeError(`${path}${wrong}`, 'text');
}

function createTypeError(path: string, type: string): Error {
  const step = type === 'text' ? 'put it in quotes, or correct it' : 'correct or replace it';
  return new Error(`cannot be used, ${path} is no ${type}: ${step}`);
}

function parseFirst(text: string): unknown {
  try {
    return loadAll(text)[0];
  } catch (error) {
    const { mark } = error as { readonly mark?: { readonly line?: number } };
    const where = mark?.line === undefined ? '' : ` in line ${mark.line + 1}`;
    throw new Error(`is not valid YAML${where}: correct or replace it`, { cause: error });
  }
}

function mapUsers(config: Fields, change: (user: Fields) => Fields): Fields {
  const { users } = config;
  if (!Array.isArray(users)) return config;
  const changed = users.map((one: unknown) => {
    const user = isFields(one) ? one['user'] : undefined;
    return isFields(one) && isFields(user) ? { ...one, user: change(user) } : one;
  });
  return { ...config, users: changed };
}

/**
 * Adds to a user what client-node does not know: the token in `tokenFile` comes before `token`, and the command of a
 * credential plugin that has a slash is a path below the directory of the kubeconfig. The kubeconfig is read again with
 * each read of the credentials.
 * https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/#AuthInfo
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#configuration
 */
function readUser(user: Fields, directory: string): Fields {
  const { exec, tokenFile } = user;
  const known = isText(tokenFile) ? readTokenFile(user, resolve(directory, tokenFile)) : user;
  if (!isFields(exec) || !isText(exec['command']) || !exec['command'].includes(sep)) return known;
  return { ...known, exec: { ...exec, command: resolve(directory, exec['command']) } };
}

/** client-node drops them, and a credential plugin may need one: see `informPlugin`. */
function keepExtensions(config: KubeConfig, { clusters }: Fields): void {
  for (const { name, cluster } of (clusters ?? []) as readonly Fields[]) {
    if (!isFields(cluster) || !Array.isArray(cluster['extensions'])) continue;
    Object.assign(config.getCluster(String(name)) ?? {}, { extensions: cluster['extensions'] });
  }
}

/** A file without a token is named only where the user is needed. */
function readTokenFile(user: Fields, path: string): Fields {
  const token = readIfThere(path);
  if (isText(token)) return { ...user, token };
  return isText(user['token']) ? user : { ...user, 'auth-provider': describeTokenFile(path) };
}

function readIfThere(path: string): string | undefined {
  try {
    return hasEnd(path) ? readFileSync(path, 'utf8').trim() : undefined;
  } catch {
    return undefined;
  }
}

/** Certificates and tokens have some kilobytes. */
const MOST_NAMED_BYTES = 1_000_000;

/** False for what a read may never end of, such as a pipe or a device; true for what cannot be read, which its reader names. */
export function hasEnd(path: string): boolean {
  try {
    const file = statSync(path);
    return file.isDirectory() || (file.isFile() && file.size <= MOST_NAMED_BYTES);
  } catch {
    return true;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function describe(error: unknown): string {
  const text = readMessage(error);
  return text.split('\n', 1)[0] ?? '';
}
