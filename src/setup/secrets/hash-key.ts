import { createHash } from 'node:crypto';
import type { KubeObject } from '../../core/objects/kube-object.ts';
import { addJitter, type Clock, sleep } from '../../core/ports/clock.ts';
import type { Leadership } from '../../core/ports/leadership.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { readMessage } from '../../core/reconcile/operator-error.ts';
import type { KubeClient } from '../../kube/client/kube-client.ts';
import { isNotFound, KubeError } from '../../kube/client/kube-error.ts';

/** Where the key is stored, and how a new one is drawn: 32 bytes that nobody can guess. */
export interface HashKeyPlace {
  readonly namespace: string;
  readonly draw: () => Buffer;
}

export interface HashKeyOptions extends HashKeyPlace {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Of several processes the one that works creates the key. */
  readonly leadership: Leadership;
  readonly signal: AbortSignal;
  /** Called with one sentence while there is no key. */
  readonly onTrouble: (sentence: string) => void;
}

/** deploy/components/secrets grants this name alone. */
export const HASH_KEY_NAME = 'albridge-hash-key';
const TYPE = 'albridge.io/hash-key';
const KEY_BYTES = 32;
const RETRY_MS = 5_000;

type KeySecret = KubeObject & { readonly data?: Readonly<Record<string, string>> };

/**
 * The key by which the data of Secrets is hashed, created once for an installation. Goes on asking until it has
 * the key; rejects with the signal's reason.
 */
export async function obtainHashKey(options: HashKeyOptions): Promise<Buffer> {
  const { clock, log, signal, onTrouble } = options;
  let lastReported: string | undefined;
  for (;;) {
    try {
      const key = await readOrCreate(options);
      if (key !== undefined) return key;
      onTrouble(`waiting for the Secret ${HASH_KEY_NAME}, which the working replica creates`);
    } catch (error) {
      signal.throwIfAborted();
      const message = readMessage(error);
      onTrouble(
        `could not get the Secret ${HASH_KEY_NAME} of namespace ${options.namespace}: ${message}`,
      );
      if (message !== lastReported) log.error('could not get the hash key', { err: error });
      lastReported = message;
    }
    await sleep(clock, addJitter(clock, RETRY_MS, 0.2), signal);
  }
}

async function readOrCreate(options: HashKeyOptions): Promise<Buffer | undefined> {
  const key = await readKey(options);
  const { leadership } = options;
  const mayCreate = leadership.isLeader() && leadership.isObserver !== true;
  if (key !== undefined || !mayCreate) return key;
  await createKey(options);
  return readKey(options);
}

async function readKey({ client, namespace, signal }: HashKeyOptions): Promise<Buffer | undefined> {
  const path = `/api/v1/namespaces/${namespace}/secrets/${HASH_KEY_NAME}`;
  let secret: KeySecret;
  try {
    secret = await client.request<KeySecret>({ method: 'GET', path, signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
  const key = Buffer.from(secret.data?.['key'] ?? '', 'base64');
  if (key.length === KEY_BYTES) return key;
  throw new Error(`it has no key of ${KEY_BYTES} bytes; delete it`);
}

/** Another process may be first: its key counts. */
async function createKey({ client, namespace, draw, signal }: HashKeyOptions): Promise<void> {
  const body = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: HASH_KEY_NAME, namespace, labels: { 'app.kubernetes.io/name': 'albridge' } },
    type: TYPE,
    immutable: true,
    data: { key: draw().toString('base64') },
  });
  const path = `/api/v1/namespaces/${namespace}/secrets`;
  try {
    await client.request<unknown>({ method: 'POST', path, body, signal });
  } catch (error) {
    if (!(error instanceof KubeError && error.status === 409)) throw error;
  }
}

/** Eight hexadecimal digits that differ where the keys do. */
export function identifyKey(key: Buffer): string {
  return createHash('sha256').update('albridge hash key ').update(key).digest('hex').slice(0, 8);
}
