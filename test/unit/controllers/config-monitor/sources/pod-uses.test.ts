import { describe, expect, it } from 'vitest';
import {
  listUses,
  type PodUses,
  SharedUses,
  usesSource,
} from '../../../../../src/controllers/config-monitor/sources/pod-uses.ts';
import type { KubeObject } from '../../../../../src/core/objects/kube-object.ts';

function pod(spec: object): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec } as KubeObject;
}

function withVolume(volume: object, ...mounts: readonly object[]): KubeObject {
  const volumeMounts = mounts.map((mount) => ({ name: 'v', mountPath: '/etc/v', ...mount }));
  return pod({ containers: [{ volumeMounts }], volumes: [{ name: 'v', ...volume }] });
}

/** `Secret/db` for all keys, `Secret/db:password` for one. */
function print(uses: PodUses): readonly string[] {
  return [...uses].flatMap(([source, keys]) =>
    keys === 'all' ? [source] : [...keys].map((key) => `${source}:${key}`),
  );
}

function secrets(count: number): readonly object[] {
  return Array.from({ length: count }, (_, at) => ({ secret: { name: `s${at}` } }));
}

function manyItems(count: number): readonly object[] {
  return Array.from({ length: count }, (_, at) => ({ key: `k${at}`, path: `p${at}/x` }));
}

/** Counts how often anything in the pod is read. */
function countReads(object: KubeObject): {
  readonly pod: KubeObject;
  readonly reads: () => number;
} {
  let reads = 0;
  const wrap = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(of, name, receiver) {
        reads += 1;
        const value: unknown = Reflect.get(of, name, receiver);
        return typeof value === 'object' && value !== null ? wrap(value) : value;
      },
    });
  return { pod: wrap(object), reads: () => reads };
}

const items = [
  { key: 'a', path: 'etc/a' },
  { key: 'b', path: 'etc/b' },
  { key: 'c', path: 'c' },
];

const cases: Readonly<Record<string, readonly [KubeObject, readonly string[]]>> = {
  nothing: [pod({ containers: [{ env: [{ name: 'A', value: 'x' }] }] }), []],
  'a key of a ConfigMap in env, optional': [
    pod({
      containers: [
        { env: [{ valueFrom: { configMapKeyRef: { name: 'cm', key: 'a', optional: true } } }] },
      ],
    }),
    ['ConfigMap/cm:a'],
  ],
  'a key of a Secret in env of a sidecar': [
    pod({
      initContainers: [
        {
          restartPolicy: 'Always',
          env: [{ valueFrom: { secretKeyRef: { name: 'db', key: 'p' } } }],
        },
      ],
    }),
    ['Secret/db:p'],
  ],
  envFrom: [
    pod({ containers: [{ envFrom: [{ prefix: 'X_', configMapRef: { name: 'cm' } }] }] }),
    ['ConfigMap/cm'],
  ],
  'envFrom of a Secret in an init container': [
    pod({ initContainers: [{ envFrom: [{ secretRef: { name: 'db' } }] }] }),
    ['Secret/db'],
  ],
  'a key and the whole': [
    pod({
      containers: [
        { env: [{ valueFrom: { configMapKeyRef: { name: 'cm', key: 'a' } } }] },
        { envFrom: [{ configMapRef: { name: 'cm' } }] },
      ],
    }),
    ['ConfigMap/cm'],
  ],
  'a volume': [withVolume({ configMap: { name: 'cm' } }, {}), ['ConfigMap/cm']],
  'a volume without a mount': [withVolume({ secret: { secretName: 'db' } }), ['Secret/db']],
  'items of a volume': [
    withVolume({ secret: { secretName: 'db', items } }, {}),
    ['Secret/db:a', 'Secret/db:b', 'Secret/db:c'],
  ],
  'a subPath': [withVolume({ configMap: { name: 'cm' } }, { subPath: 'a' }), ['ConfigMap/cm:a']],
  'a subPath next to the whole': [
    withVolume({ configMap: { name: 'cm' } }, { subPath: 'a' }, {}),
    ['ConfigMap/cm'],
  ],
  'a subPath of an expression': [
    withVolume({ configMap: { name: 'cm' } }, { subPathExpr: '$(POD)' }),
    ['ConfigMap/cm'],
  ],
  'a subPath of a directory of items': [
    withVolume({ configMap: { name: 'cm', items } }, { subPath: 'etc' }),
    ['ConfigMap/cm:a', 'ConfigMap/cm:b'],
  ],
  'a subPath of a directory that no item has': [
    withVolume({ configMap: { name: 'cm', items } }, { subPath: 'other' }),
    ['ConfigMap/cm:a', 'ConfigMap/cm:b', 'ConfigMap/cm:c'],
  ],
  ...Object.fromEntries(
    ['./etc/a', 'etc/a/', 'etc//a'].map((subPath) => [
      `the subPath ${subPath} of an item`,
      [withVolume({ configMap: { name: 'cm', items } }, { subPath }), ['ConfigMap/cm:a']] as const,
    ]),
  ),
  ...Object.fromEntries(
    ['.', '..data/a', 'x/../a', './', 'a b'].map((subPath) => [
      `the subPath ${subPath} of the whole`,
      [withVolume({ configMap: { name: 'cm' } }, { subPath }), ['ConfigMap/cm']] as const,
    ]),
  ),
  'a key with a dot before it': [
    withVolume({ secret: { secretName: 'db' } }, { subPath: '.dockerconfigjson' }),
    ['Secret/db:.dockerconfigjson'],
  ],
  'projected sources': [
    withVolume(
      {
        projected: {
          sources: [
            { configMap: { name: 'cm', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            { secret: { name: 'db' } },
            { serviceAccountToken: { path: 'token' } },
          ],
        },
      },
      {},
    ),
    ['ConfigMap/cm:ca.crt', 'Secret/db'],
  ],
  'imagePullSecrets and CSI, which are no use': [
    pod({
      imagePullSecrets: [{ name: 'registry' }],
      volumes: [{ name: 'v', csi: { driver: 'x', nodePublishSecretRef: { name: 's' } } }],
    }),
    [],
  ],
};

describe('the uses of a pod', () => {
  it.each(Object.entries(cases))('are found: %s', (_name, [object, uses]) => {
    expect(print(listUses(object))).toEqual(uses);
  });

  it('lose their keys when there are too many, and stay bounded', () => {
    const keys = Array.from({ length: 300 }, (_, at) => ({
      valueFrom: { secretKeyRef: { name: at < 150 ? 'a' : 'b', key: `k${at}` } },
    }));
    expect(print(listUses(pod({ containers: [{ env: keys }] })))).toEqual(['Secret/a', 'Secret/b']);
    const names = Array.from({ length: 300 }, (_, at) => ({ secretRef: { name: `s${at}` } }));
    expect(listUses(pod({ containers: [{ envFrom: names }] })).size).toBe(128);
    const long = [{ secretRef: { name: 'x'.repeat(600) } }];
    expect(listUses(pod({ containers: [{ envFrom: long }] })).size).toBe(0);
  });

  it.each([
    ['400 projected sources with 8,000 mounts', { projected: { sources: secrets(400) } }, 8_000],
    [
      '12,000 items with 12,000 mounts',
      { secret: { secretName: 'db', items: manyItems(12_000) } },
      12_000,
    ],
  ])('take no time by the product of what a pod names: %s', (_name, volume, mounts) => {
    const paths = Array.from({ length: mounts }, (_, at) => ({ subPath: `k${at}` }));
    const work = countReads(withVolume(volume, ...paths));
    listUses(work.pod);
    expect(work.reads()).toBeLessThan(10 * mounts + 100_000);
  });

  it('are one object for pods of one template, and for no other', () => {
    const shared = new SharedUses();
    const of = (...names: readonly string[]): PodUses =>
      shared.share(
        listUses(
          pod({ containers: [{ envFrom: names.map((name) => ({ secretRef: { name } })) }] }),
        ),
      );
    expect(of('a')).toBe(of('a'));
    expect(print(of('b', 'c'))).toEqual(['Secret/b', 'Secret/c']);
    // A name of a volume is checked by nobody until the pod is to start.
    const forged = withVolume({ secret: { secretName: 'd,Secret/e' } });
    expect(print(shared.share(listUses(forged)))).toEqual([]);
    expect(print(of('d', 'e'))).toEqual(['Secret/d', 'Secret/e']);
  });
});

describe('a pod uses a source', () => {
  const uses: PodUses = new Map<string, ReadonlySet<string> | 'all'>([
    ['ConfigMap/cm', new Set(['a', 'b'])],
    ['Secret/db', 'all'],
  ]);
  it.each([
    ['by any key', { kind: 'ConfigMap', name: 'cm' }, true],
    ['by a key that counts', { kind: 'ConfigMap', name: 'cm', keys: ['x', 'b'] }, true],
    ['not by other keys', { kind: 'ConfigMap', name: 'cm', keys: ['x'] }, false],
    ['as a whole', { kind: 'Secret', name: 'db', keys: ['x'] }, true],
    ['not another kind of that name', { kind: 'Secret', name: 'cm' }, false],
    ['not one whose name begins so', { kind: 'ConfigMap', name: 'c' }, false],
  ] as const)('%s', (_name, source, isUsed) => {
    expect(usesSource(uses, source)).toBe(isUsed);
  });
});
