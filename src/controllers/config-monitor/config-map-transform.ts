import { createHash } from 'node:crypto';
import { POD_DELETE_MATCH } from '../../apis/config-monitor.ts';
import { boundText } from '../../core/objects/digests.ts';
import type { KubeObject } from '../../core/objects/kube-object.ts';
import { boundAnnotations } from '../../core/objects/trim-metadata.ts';

/** A ConfigMap as it is held in memory: a hash stands for its data, which may be a megabyte. */
export interface TrimmedConfigMap extends KubeObject {
  /** SHA-256 of data and binaryData, 64 hexadecimal digits. */
  readonly hash: string;
}

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
}

/** Of podDeleteMatch, in characters: some ten labels. */
const LONGEST_LABEL_LIST = 1024;

/** The part of a ConfigMap that is kept in memory. */
export function trimConfigMap(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, data, binaryData } = object as ConfigMap;
  const { name, namespace = '', uid = '', resourceVersion = '', deletionTimestamp } = metadata;
  const annotations = trimAnnotations(metadata.annotations);
  const trimmed: TrimmedConfigMap = {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion,
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(annotations !== undefined && { annotations }),
    },
    hash: hashData(data, binaryData),
  };
  return trimmed;
}

function trimAnnotations(
  annotations: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> | undefined {
  const kept = boundAnnotations(annotations);
  const labels = annotations[POD_DELETE_MATCH];
  if (labels === undefined) return kept;
  return { ...kept, [POD_DELETE_MATCH]: boundText(labels, LONGEST_LABEL_LIST) };
}

/**
 * Each part stands behind its length, so that no two contents give one text: `{a: "1;b=2"}` and
 * `{a: "1", b: "2"}` must not. Frozen: it is compared with what older versions have stored.
 */
function hashData(data: ConfigMap['data'] = {}, binaryData: ConfigMap['binaryData'] = {}): string {
  const hash = createHash('sha256');
  for (const [name, fields] of [
    ['data', data],
    ['binaryData', binaryData],
  ] as const) {
    const keys = Object.keys(fields).toSorted();
    hash.update(`${name} ${keys.length}\n`);
    for (const part of keys.flatMap((key) => [key, fields[key] ?? ''])) {
      hash.update(`${Buffer.byteLength(part)}\n`).update(part);
    }
  }
  return hash.digest('hex');
}
