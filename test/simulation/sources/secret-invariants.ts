import type { TrimmedSource } from '../../../src/controllers/config-monitor/sources/watched-source.ts';
import { trimConfigMap } from '../../../src/controllers/config-monitor/transforms.ts';
import type { LogFields } from '../../../src/core/ports/logger.ts';
import type { KubeRequest } from '../../../src/kube/client/kube-transport.ts';
import { SECRETS } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import { keyOfStored } from '../api-model/stored-object.ts';
import type { Stage } from '../world/stage.ts';
import { HASH_KEY } from './data-hashes.ts';
import { MARKER } from './people.ts';

/** As many digits of a hash as status has. */
const DIGITS = 16;

/** Nothing of a Secret leaves the operator: no value, no hash that can be guessed, nor the key of the others. */
export class SecretInvariants {
  readonly #stage: Stage;
  readonly #hidden = new Set<string>([MARKER, Buffer.from(MARKER).toString('base64')]);

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  onCommit({ kind, type, object }: Commit): void {
    if (kind !== SECRETS || type === 'DELETED') return;
    const { key } = object['data'] as { readonly key?: string };
    if (keyOfStored(object) === HASH_KEY) this.#hidden.add(key ?? MARKER);
    else this.#hidden.add((trimConfigMap(object) as TrimmedSource).hash.slice(0, DIGITS));
  }

  /** A request of the operator; the key is written once, into its own Secret. */
  onSent({ method, path, query = {}, body = '' }: KubeRequest): void {
    if (method === 'POST' && path.endsWith('/secrets')) return;
    this.#judge(`${method} ${path}`, `${JSON.stringify(query)} ${body}`);
  }

  onLog(message: string, fields: LogFields): void {
    this.#judge('the log', `${message} ${JSON.stringify(fields, withErrors)}`);
  }

  #judge(where: string, text: string): void {
    if (this.#stage.settings.secrets !== true) return;
    const told = [...this.#hidden].find((one) => text.includes(one));
    if (told !== undefined) this.#stage.report('secrets-stay', `${where} has ${told} in it`);
  }
}

function withErrors(_name: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { message, stack, cause } = value;
  return { message, stack, cause };
}
