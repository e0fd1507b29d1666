import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/core/objects/kube-object.ts';
import type { ChildWriter } from '../../src/core/ports/writers.ts';
import type { KubeClient } from '../../src/kube/client/kube-client.ts';
import { buildResourcePath } from '../../src/kube/client/resource-path.ts';
import { createChildWriter } from '../../src/kube/write/child-writer.ts';
import { createApplyRequest, FIELD_MANAGER } from '../../src/kube/write/server-side-apply.ts';
import {
  CONFIG_MAP,
  createNamespace,
  post,
  read,
  startDeletingNamespace,
} from '../envtest/kube-access.ts';

export const CHILD_NAMESPACE = 'child-writer';

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
  readonly metadata: KubeObject['metadata'] & {
    readonly managedFields?: readonly { readonly manager: string; readonly operation: string }[];
  };
}

/** The operator's writer of children over any API server with CHILD_NAMESPACE. */
export function describeChildWriter(title: string, open: () => Promise<KubeClient>): void {
  describe(title, () => {
    let client: KubeClient;
    let writer: ChildWriter;
    let name: string;
    let count = 0;

    beforeAll(async () => {
      client = await open();
      writer = createChildWriter(client, [CONFIG_MAP]);
    });

    beforeEach(() => {
      name = `child-${++count}`;
    });

    function child(data: Readonly<Record<string, string>>, uid?: string): ConfigMap {
      const metadata = { name, namespace: CHILD_NAMESPACE, ...(uid && { uid }) };
      return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
    }

    function live(): Promise<ConfigMap> {
      return read<ConfigMap>(client, CONFIG_MAP, child({}));
    }

    function setByOther(data: Readonly<Record<string, string>>): Promise<unknown> {
      return client.request({
        method: 'PATCH',
        path: buildResourcePath(CONFIG_MAP, { namespace: CHILD_NAMESPACE, name }),
        query: { fieldManager: 'somebody-else' },
        headers: { 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify({ data }),
      });
    }

    describe('a child that is created', () => {
      it('is not there after a check of it, nor is one changed that is there', async () => {
        await writer.check(child({ a: '1' }));
        await expect(live()).rejects.toThrow();
        await post(client, CONFIG_MAP, { ...child({ a: 'theirs' }) });
        await writer.check(child({ a: '1' }));
        expect((await live()).data).toEqual({ a: 'theirs' });
      });

      it('waits for time in a namespace that is being deleted', async () => {
        const leaving = await createNamespace(client, 'child-writer-leaving');
        await startDeletingNamespace(client, leaving);
        const late = { ...child({}), metadata: { name, namespace: leaving } };

        await expect(writer.create(late)).rejects.toMatchObject({
          reason: 'NamespaceTerminating',
          healedBy: 'time',
        });
      });
    });

    describe('a child that is applied (behaviour 21)', () => {
      it('drops what it no longer lists, though a plain create had set it', async () => {
        const created = await writer.create(child({ a: '1', b: '2' }));
        await setByOther({ theirs: 'kept' });

        await writer.apply(child({ a: '1', c: '3' }, created?.metadata.uid));

        expect((await live()).data).toEqual({ a: '1', c: '3', theirs: 'kept' });
        await writer.apply(child({ c: '3' }, created?.metadata.uid));
        const after = await live();
        expect(after.data).toEqual({ c: '3', theirs: 'kept' });
        const ours = after.metadata.managedFields?.filter(
          ({ manager }) => manager === FIELD_MANAGER,
        );
        expect(ours).toMatchObject([{ operation: 'Apply' }]);
      });

      it('takes back what someone else has changed', async () => {
        const created = await writer.create(child({ a: '1' }));
        await setByOther({ a: 'edited' });

        await writer.apply(child({ a: '1' }, created?.metadata.uid));

        expect((await live()).data).toEqual({ a: '1' });
      });

      it('without force names who owns the field', async () => {
        await post(client, CONFIG_MAP, { ...child({ z: '1' }) });
        await setByOther({ a: 'theirs' });
        const path = buildResourcePath(CONFIG_MAP, { namespace: CHILD_NAMESPACE, name });
        const applying = client.request(
          createApplyRequest(path, child({ a: '1' }), { force: false }),
        );

        await expect(applying).rejects.toMatchObject({ status: 409, reason: 'Conflict' });
        await expect(applying).rejects.toThrow(/conflict with "somebody-else".*\.data\.a/);
      });
    });

    describe('a child that is deleted', () => {
      it('needs its UID', async () => {
        await writer.create(child({ a: '1' }));

        await expect(writer.delete(child({ a: '1' }))).rejects.toThrow('without a UID');
        await expect(writer.get(child({}))).resolves.toMatchObject({ data: { a: '1' } });
      });
    });

    it('refuses a kind that it was not given', async () => {
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: CHILD_NAMESPACE } };

      await expect(writer.get(pod)).rejects.toThrow('v1 Pod is not among the kinds');
    });
  });
}
