import type { Key, KubeObject } from '../../core/objects/kube-object.ts';
import type { Transform } from '../../core/objects/trim-metadata.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { translateErrors } from '../client/kube-error.ts';
import { type Collection, listAll } from './list.ts';

export interface Newest extends Pick<Collection, 'kind' | 'fieldSelector'> {
  readonly transform: Transform;
}

/**
 * Makes a reader of single objects past every cache. It lists: the operator's role may list and watch, not get. A list
 * without a resourceVersion shows the newest state:
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list
 */
export function createNewestReader<T extends KubeObject>(
  client: KubeClient,
  { fieldSelector, kind, transform }: Newest,
): (key: Key, signal: AbortSignal) => Promise<T | undefined> {
  return (key, signal) =>
    translateErrors(`read ${kind.kind} ${key}`, async () => {
      const [namespace = '', name] = key.split('/');
      const terms = [`metadata.name=${name}`, ...(fieldSelector ? [fieldSelector] : [])];
      let found: T | undefined;
      await listAll({
        client,
        collection: { kind, namespace, fieldSelector: terms.join(',') },
        signal,
        onItem: (item) => {
          found = transform(item as KubeObject) as T;
        },
        onRestart: () => {
          found = undefined;
        },
      });
      return found;
    });
}
