// Lives here: whether Secrets are read, their cache, and the key by which their data is hashed.
// May import it: src/setup.
// Start with: this file, then hash-key.ts.

import type { MonitorIndex } from '../../controllers/config-monitor/monitor-index.ts';
import type { SecretFault, SecretReader } from '../../controllers/config-monitor/scope.ts';
import type { TrimmedSource } from '../../controllers/config-monitor/sources/watched-source.ts';
import { createSecretTransform } from '../../controllers/config-monitor/transforms.ts';
import type { Key } from '../../core/objects/kube-object.ts';
import type { KeySource } from '../../core/queue/key-queue.ts';
import { secretKind } from '../../kube/client/built-in-kinds.ts';
import { createNewestReader } from '../../kube/watch/newest.ts';
import type { LateWatch, SetupContext } from '../context.ts';
import { type HashKeyPlace, identifyKey, obtainHashKey } from './hash-key.ts';

/**
 * Neither releases of Helm, which are large, nor tokens, which are nobody's configuration. Secrets can be
 * selected by type: https://kubernetes.io/docs/concepts/overview/working-with-objects/field-selectors/#list-of-supported-fields
 */
const FIELD_SELECTOR = 'type!=helm.sh/release.v1,type!=kubernetes.io/service-account-token';

export interface Secrets extends SecretReader {
  /** Enqueues the objects of a Secret that changes, and all of them once Secrets can be read. */
  ofMonitors(monitors: MonitorIndex): KeySource;
}

const SECRETS_OFF: Secrets = {
  keyId: '',
  get: () => undefined,
  findNewest: () => Promise.resolve(undefined),
  findFault: () => ({ kind: 'off' }),
  ofMonitors: () => () => () => undefined,
};

/** Secrets are watched where the component is installed, once there is a key to hash them with. */
export function setUpSecrets(context: SetupContext): Secrets {
  const { hashKey } = context.settings;
  return hashKey === undefined ? SECRETS_OFF : new SecretWatch(context, hashKey);
}

class SecretWatch implements Secrets {
  keyId = '';
  readonly #context: SetupContext;
  readonly #place: HashKeyPlace;
  readonly #synced: Promise<void>;
  #watch: LateWatch<TrimmedSource> | undefined;
  #readNewest: SecretReader['findNewest'] | undefined;
  #isSynced = false;
  #trouble = 'Secrets have not been read yet';

  constructor(context: SetupContext, place: HashKeyPlace) {
    this.#context = context;
    this.#place = place;
    this.#synced = this.#open();
    context.waitBriefly(this.#synced);
  }

  get(key: Key): TrimmedSource | undefined {
    return this.#watch?.cache.get(key);
  }

  findNewest(key: Key, signal: AbortSignal): Promise<TrimmedSource | undefined> {
    return this.#readNewest?.(key, signal) ?? Promise.resolve(undefined);
  }

  findFault(): SecretFault | undefined {
    if (this.#isSynced) return undefined;
    return { kind: 'unread', why: this.#watch?.findFault() ?? this.#trouble };
  }

  ofMonitors(monitors: MonitorIndex): KeySource {
    return (enqueue) => {
      let isStopped = false;
      let stop = (): void => {};
      void this.#synced.then(() => {
        if (isStopped || this.#watch === undefined) return;
        stop = monitors.ofSources(this.#watch.cache)(enqueue);
        for (const key of monitors.listWithSecrets()) enqueue(key);
      });
      return () => {
        isStopped = true;
        stop();
      };
    };
  }

  /** Stays pending if the process stops before. */
  async #open(): Promise<void> {
    const { client, ports, signal } = this.#context;
    const { clock, log, leadership } = ports;
    const onTrouble = (sentence: string): void => {
      this.#trouble = sentence;
    };
    const options = { ...this.#place, client, clock, log, leadership, signal, onTrouble };
    const key = await obtainHashKey(options).catch(() => undefined);
    if (key === undefined) return new Promise(() => {});
    this.keyId = identifyKey(key);
    const transform = createSecretTransform(key);
    const read = { fieldSelector: FIELD_SELECTOR, transform };
    this.#readNewest = createNewestReader(client, { kind: secretKind, ...read });
    this.#watch = this.#context.watchLate<TrimmedSource>(secretKind, read);
    await this.#watch.synced;
    this.#isSynced = true;
  }
}
