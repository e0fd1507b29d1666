import { describe, expect, it } from 'vitest';
import {
  listUses,
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
  'a volume that nobody mounts': [withVolume({ secret: { secretName: 'db' } }), ['Secret/db']],
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
    expect(listUses(object)).toEqual(uses);
  });

  it('lose their keys when there are too many, and stay bounded', () => {
    const keys = Array.from({ length: 300 }, (_, at) => ({
      valueFrom: { secretKeyRef: { name: at < 150 ? 'a' : 'b', key: `k${at}` } },
    }));
    expect(listUses(pod({ containers: [{ env: keys }] }))).toEqual(['Secret/a', 'Secret/b']);
    const names = Array.from({ length: 300 }, (_, at) => ({ secretRef: { name: `s${at}` } }));
    expect(listUses(pod({ containers: [{ envFrom: names }] }))).toHaveLength(256);
    const long = [{ secretRef: { name: 'x'.repeat(600) } }];
    expect(listUses(pod({ containers: [{ envFrom: long }] }))).toEqual([]);
  });

  it('are one list for pods of one template', () => {
    const shared = new SharedUses();
    const [one, other] = [shared.share(['Secret/a']), shared.share(['Secret/a'])];
    expect(one).toBe(other);
    expect(shared.share(['Secret/b'])).toEqual(['Secret/b']);
  });
});

describe('a pod uses a source', () => {
  const uses = ['ConfigMap/cm:a', 'ConfigMap/cm:b', 'Secret/db'];
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
