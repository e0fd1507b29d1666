import type { KubeObject } from '../core/objects/kube-object.ts';
import { addJitter, type Clock, sleep } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import { readMessage } from '../core/reconcile/operator-error.ts';
import type { KubeClient } from '../kube/client/kube-client.ts';

export interface ClusterIdOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

const RETRY_MS = 5_000;

/**
 * The UID of the namespace kube-system, which lives as long as the cluster: the customary id of a
 * cluster that has no other (https://opentelemetry.io/docs/specs/semconv/resource/k8s/#cluster).
 * Goes on asking until it is answered; rejects with the signal's reason.
 */
export async function readClusterId(options: ClusterIdOptions): Promise<string> {
  const { client, clock, log, signal } = options;
  let lastReported: string | undefined;
  for (;;) {
    try {
      const path = '/api/v1/namespaces/kube-system';
      const namespace = await client.request<KubeObject>({ method: 'GET', path, signal });
      if (namespace.metadata.uid !== undefined) return namespace.metadata.uid;
    } catch (error) {
      signal.throwIfAborted();
      const message = readMessage(error);
      if (message !== lastReported) {
        log.error(
          'the namespace kube-system could not be read for the cluster id; allow it, or set ALBRIDGE_CLUSTER_ID',
          { err: error },
        );
      }
      lastReported = message;
    }
    await sleep(clock, addJitter(clock, RETRY_MS, 0.2), signal);
  }
}
