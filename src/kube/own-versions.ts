import { compareVersions, type KubeObject } from '../core/kube-object.ts';
import { forgetOldest } from './bounded-map.ts';

/**
 * The versions that our writes made: a pass that stores a finalizer and then a status holds the
 * object as it was before both.
 */
export interface OwnVersions<T extends KubeObject> {
  remember(written: Promise<T>): Promise<T>;
  remember(written: Promise<T | undefined>): Promise<T | undefined>;
  /** `object` with the latest version that we know of it. */
  latest(object: T): T;
}

const MAX_OWN_VERSIONS = 4096;

export function createOwnVersions<T extends KubeObject>(): OwnVersions<T> {
  const byUid = new Map<string, string>();
  const remember = async <R extends T | undefined>(writing: Promise<R>): Promise<R> => {
    const written = await writing;
    const { uid, resourceVersion } = written?.metadata ?? {};
    if (!uid || !resourceVersion) return written;
    byUid.delete(uid);
    byUid.set(uid, resourceVersion);
    if (byUid.size > MAX_OWN_VERSIONS) forgetOldest(byUid);
    return written;
  };
  const latest = (object: T): T => {
    const { uid = '', resourceVersion = '' } = object.metadata;
    const own = byUid.get(uid);
    if (own === undefined || compareVersions(own, resourceVersion) <= 0) return object;
    return { ...object, metadata: { ...object.metadata, resourceVersion: own } };
  };
  return { remember, latest };
}
