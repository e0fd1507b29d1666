import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { parseYamlDocuments } from './yaml.ts';

/** Reads one kubeconfig, with absolute paths. Throws Error with a sentence without its subject. */
export function readKubeconfigFile(path: string): KubeConfig {
  const directory = dirname(path);
  const given = parse(readText(path));
  const config = new KubeConfig();
  try {
    config.loadFromString(JSON.stringify(nameTokenFiles(given, directory)));
  } catch (error) {
    throw new Error(`cannot be used, ${describe(error)}: correct or replace it`, { cause: error });
  }
  config.makePathsAbsolute(directory);
  return config;
}

/** client-node's name for "read the bearer token from this file". */
export function describeTokenFile(path: string): object {
  return { name: 'tokenFile', config: { tokenFile: path } };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EISDIR') throw new Error('is a directory: name a file in it', { cause: error });
    throw new Error(`cannot be read (${code ?? message}): correct its rights, or replace it`, {
      cause: error,
    });
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** An empty file is one without contexts, as for kubectl. */
function parse(text: string): Fields {
  const config = parseFirst(text) ?? {};
  if (isFields(config)) return config;
  const what = Array.isArray(config) ? 'a list' : 'a text';
  throw new Error(`is no kubeconfig, but ${what}: correct or replace it`);
}

function parseFirst(text: string): unknown {
  try {
    return parseYamlDocuments(text)[0];
  } catch (error) {
    throw new Error(`is not valid YAML, ${describe(error)}: correct or replace it`, {
      cause: error,
    });
  }
}

/**
 * `tokenFile` comes before `token`, and client-node knows it only as an auth-provider:
 * https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/#AuthInfo
 */
function nameTokenFiles(config: Fields, directory: string): Fields {
  const { users } = config;
  if (!Array.isArray(users)) return config;
  const named = users.map((one: unknown) => {
    const user = isFields(one) ? one['user'] : undefined;
    const path = isFields(user) ? user['tokenFile'] : undefined;
    if (!isFields(one) || !isFields(user) || typeof path !== 'string' || path === '') return one;
    const { token: _, ...rest } = user;
    const provider = describeTokenFile(resolve(directory, path));
    return { ...one, user: { ...rest, 'auth-provider': provider } };
  });
  return { ...config, users: named };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
