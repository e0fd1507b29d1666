import { describe, expect, it } from 'vitest';
import { conditionOf, type Namespace, SharedPlace, type Stored } from './place.ts';

const place = new SharedPlace();

const KINDS = [
  {
    kind: 'MyApp',
    apiVersion: 'demo.rtfm.co.ua/v1',
    container: 'shop',
    pod: 'shop-pod',
  },
  {
    kind: 'ImmortalContainer',
    apiVersion: 'immortalcontainer.flugel.it/v1alpha1',
    container: 'acontainer',
    pod: 'shop-immortalpod',
  },
] as const;

describe.each(KINDS)(
  'a $kind with a pod template',
  { concurrent: true },
  ({ kind, apiVersion, container, pod }) => {
    function apply(namespace: Namespace, fields: object, image = 'nginx:1'): Promise<string> {
      const containers = [
        { name: container, ...fields },
        { name: 'proxy', image: 'envoy:1' },
      ];
      const podTemplate = { spec: { securityContext: { runAsNonRoot: true }, containers } };
      const spec = { image, podTemplate };
      return namespace.apply({ apiVersion, kind, metadata: { name: 'shop' }, spec });
    }

    const env = [{ name: 'MODE', value: 'fast' }];
    const resources = { requests: { cpu: 0.5 } };

    async function running(prefix: string): Promise<Namespace> {
      const namespace = await place.createNamespace(prefix);
      const level = 'pod-security.kubernetes.io/enforce=restricted';
      await place.cluster.kubectl(['label', 'namespace', namespace.name, level]);
      await apply(namespace, { env, resources });
      await namespace.whenReady(kind, 'shop');
      return namespace;
    }

    it('runs with its fields under Pod Security restricted, and is not written again', async () => {
      const namespace = await running('template-pod');
      const before = await namespace.get('pod', pod);
      expect(before.spec?.['containers']).toMatchObject([
        { name: container, image: 'nginx:1', env, resources: { requests: { cpu: '500m' } } },
        { name: 'proxy' },
      ]);
      const token = 'albridge.io/reconcile-requested-at=again';
      await namespace.kubectl(['annotate', kind, 'shop', token]);
      await namespace.when(
        kind,
        'shop',
        ({ status }) => status?.lastHandledReconcileAt === 'again',
      );
      const after = await namespace.get('pod', pod);
      expect(after.metadata.uid).toBe(before.metadata.uid);
      expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    });

    it('is replaced for an edit of the template', async () => {
      const namespace = await running('template-pod-edit');
      await apply(namespace, { env: [{ name: 'MODE', value: 'slow' }] });
      await namespace.when('pod', pod, ({ spec }) => JSON.stringify(spec).includes('slow'));
    });

    it('keeps its pod where the API server does not take the new template, and names the field', async () => {
      const namespace = await running('template-pod-wrong');
      const before = await namespace.get('pod', pod);
      await apply(namespace, { env: [{ name: 'MODE', value: 1 }] }, 'nginx:2');
      const stalled = await namespace.when(kind, 'shop', (seen: Stored) => {
        return conditionOf(seen, 'Stalled')?.status === 'True';
      });
      expect(conditionOf(stalled, 'Stalled')?.message).toContain('spec.containers.env.value');
      const after = await namespace.get('pod', pod);
      expect(after.metadata.uid).toBe(before.metadata.uid);
      expect(after.metadata.deletionTimestamp).toBeUndefined();
      await apply(namespace, { env });
      await namespace.whenReady(kind, 'shop');
    });
  },
);
