import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/core/objects/kube-object.ts';
import { type Namespace, SharedPlace } from './place.ts';

const place = new SharedPlace();

interface LivePod extends KubeObject {
  readonly spec: {
    readonly containers: readonly { readonly volumeMounts?: readonly object[] }[];
  };
}

const EXAMPLES = ['immortalcontainer', 'myapp', 'webapp'];

/** What kubectl warned of. */
async function label(namespace: Namespace, ...args: readonly string[]): Promise<string> {
  return (await place.cluster.kubectl(['label', 'namespace', namespace.name, ...args])).stderr;
}

async function apply(namespace: Namespace, kind: string): Promise<void> {
  const path = resolve(import.meta.dirname, `../../examples/${kind}-01-article.yaml`);
  const manifest = (await readFile(path, 'utf8')).replace(/^ +namespace:.*\n/m, '');
  await namespace.apply(manifest);
  await namespace.kubectl(['wait', kind, '--all', '--for=condition=Ready', '--timeout=120s']);
}

describe('pods made from an image alone', { concurrent: true }, () => {
  it.each(EXAMPLES)(
    'of kind %s get no token, and run under Pod Security baseline',
    async (kind) => {
      const namespace = await place.createNamespace(`limits-${kind}`);
      await label(namespace, 'pod-security.kubernetes.io/enforce=baseline');
      await apply(namespace, kind);
      const pods = await namespace.list<LivePod>('pods');
      expect(pods.length).toBeGreaterThan(0);
      const containers = pods.flatMap(({ spec }) => spec.containers);
      expect(containers.flatMap(({ volumeMounts = [] }) => volumeMounts)).toEqual([]);
    },
  );

  it.each(EXAMPLES)(
    'of kind %s miss Pod Security restricted by root alone, which the articles need',
    async (kind) => {
      const namespace = await place.createNamespace(`limits-${kind}`);
      await apply(namespace, kind);
      const restricted = 'pod-security.kubernetes.io/enforce=restricted';
      const warnings = await label(namespace, restricted, '--dry-run=server');
      expect(warnings).toMatch(
        /^Warning: \S+( \(and \d+ other pods\))?: unrestricted capabilities, runAsNonRoot != true$/m,
      );
    },
  );
});
