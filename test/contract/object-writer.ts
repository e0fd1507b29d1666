import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject, ResourceKind } from '../../src/core/objects/kube-object.ts';
import { trimMetadata } from '../../src/core/objects/trim-metadata.ts';
import type { ObjectWriter } from '../../src/core/ports/writers.ts';
import type { KubeClient } from '../../src/kube/client/kube-client.ts';
import { buildResourcePath } from '../../src/kube/client/resource-path.ts';
import { createObjectWriter } from '../../src/kube/write/object-writer.ts';
import { post, read } from '../envtest/kube-access.ts';

/** The kind that has to be served: any spec and status, but for a `spec.size` over 9; conditions are a map by type. */
export const WIDGET: ResourceKind = {
  group: 'writer.albridge.test',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
};
export const WRITER_NAMESPACE = 'object-writer';
const OURS = 'albridge.io/load-balancer';
const THEIRS = 'example.com/theirs';

interface Widget extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly uid: string; readonly generation: number };
  readonly spec?: { readonly size?: number };
  readonly status?: { readonly phase?: string; readonly theirs?: string; readonly step?: object };
}

/** The operator's writer over any API server that serves WIDGET in WRITER_NAMESPACE. */
export function describeObjectWriter(title: string, open: () => Promise<KubeClient>): void {
  describe(title, () => {
    let client: KubeClient;
    let writer: ObjectWriter<Widget>;
    let name: string;
    let count = 0;

    beforeAll(async () => {
      client = await open();
      writer = createObjectWriter<Widget>(client, WIDGET);
    });

    beforeEach(() => {
      name = `widget-${++count}`;
    });

    function create(finalizers: readonly string[] = []): Promise<Widget> {
      const widget = {
        apiVersion: 'writer.albridge.test/v1',
        kind: 'Widget',
        metadata: { name, namespace: WRITER_NAMESPACE, finalizers },
        spec: { size: 1 },
      };
      return post<Widget>(client, WIDGET, widget);
    }

    /** Somebody else's merge patch. */
    function change(object: Widget, patch: object, subresource?: 'status'): Promise<Widget> {
      const address = { name: object.metadata.name, namespace: WRITER_NAMESPACE };
      return client.request<Widget>({
        method: 'PATCH',
        path: buildResourcePath(WIDGET, { ...address, ...(subresource && { subresource }) }),
        query: { fieldManager: 'somebody-else' },
        headers: { 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify(patch),
      });
    }

    function live(object: Widget): Promise<Widget> {
      return read<Widget>(client, WIDGET, object);
    }

    describe('a finalizer (behaviour 20)', () => {
      it('is stored beside 200 of others, of which the cache holds a part', async () => {
        const theirs = Array.from({ length: 200 }, (_, index) => `example.com/${index}`);
        const stored = await create(theirs);

        await writer.addFinalizer(trimMetadata(stored), OURS);

        expect((await live(stored)).metadata.finalizers).toEqual([...theirs, OURS]);
      });

      it('is removed from behind 200 of others', async () => {
        const theirs = Array.from({ length: 200 }, (_, index) => `example.com/${index}`);
        const stored = await create([...theirs, OURS]);

        await writer.removeFinalizer(trimMetadata(stored), OURS);

        expect((await live(stored)).metadata.finalizers).toEqual(theirs);
      });

      it('is not written twice', async () => {
        const added = await writer.addFinalizer(await create(), OURS);

        await writer.addFinalizer(added, OURS);

        expect((await live(added)).metadata.resourceVersion).toBe(added.metadata.resourceVersion);
      });

      it('that someone adds at the same time is not lost: ours is a conflict', async () => {
        const stale = await create();
        await change(stale, { metadata: { finalizers: [THEIRS] } });

        const adding = writer.addFinalizer(stale, OURS);

        await expect(adding).rejects.toMatchObject({ reason: 'Conflict', healedBy: 'time' });
        expect((await live(stale)).metadata.finalizers).toEqual([THEIRS]);
      });

      it('is removed alone, although the object has moved on', async () => {
        const stale = await create([THEIRS, OURS]);
        await change(stale, { spec: { size: 2 } });

        const after = await writer.removeFinalizer(stale, OURS);

        expect(after?.metadata.finalizers).toEqual([THEIRS]);
      });

      it.each([
        { did: 'put one before it', before: [OURS], meanwhile: [THEIRS, OURS], after: [THEIRS] },
        { did: 'put one after it', before: [OURS], meanwhile: [OURS, THEIRS], after: [THEIRS] },
        { did: 'took the first away', before: [THEIRS, OURS], meanwhile: [OURS], after: undefined },
        { did: 'took ours away', before: [THEIRS, OURS], meanwhile: [THEIRS], after: [THEIRS] },
      ])('is removed alone where someone $did meanwhile', async ({ before, meanwhile, after }) => {
        const stale = await create(before);
        await change(stale, { metadata: { finalizers: meanwhile } });

        await writer.removeFinalizer(stale, OURS);

        expect((await live(stale)).metadata.finalizers).toEqual(after);
      });

      it('is refused with the reason where the API server refuses the object itself', async () => {
        await expect(writer.addFinalizer(await create(), 'no finalizer')).rejects.toMatchObject({
          reason: 'Invalid',
          healedBy: 'person',
        });
      });
    });

    describe('a status (behaviours 21 and 22)', () => {
      it('leaves spec and the fields of others alone, and drops what it no longer says', async () => {
        const created = await create();
        await change(created, { status: { theirs: 'kept' } }, 'status');
        await writer.applyStatus(created, { phase: 'Active' });

        const after = await writer.applyStatus(created, {});

        expect(after?.status).toEqual({ theirs: 'kept' });
        expect(after?.spec).toEqual({ size: 1 });
      });

      it('drops a field that someone else has set, where the pass has seen it', async () => {
        const forged = { phase: 'Theirs', step: { name: 'kept', owner: 'theirs' } };
        const created = await change(await create(), { status: forged }, 'status');

        const after = await writer.applyStatus(created, { step: { name: 'kept' } });

        expect(after?.status).toEqual({ step: { name: 'kept' } });
        expect((await live(created)).status).toEqual({ step: { name: 'kept' } });
      });

      it('drops a condition that someone else has set, where the pass has seen it', async () => {
        const [ready, stalled] = [
          { type: 'Ready', status: 'True' },
          { type: 'Stalled', status: 'True' },
        ];
        const forged = { conditions: [ready, stalled] };
        const created = await change(await create(), { status: forged }, 'status');

        const after = await writer.applyStatus(created, { conditions: [ready] });

        expect(after?.status).toEqual({ conditions: [ready] });
        expect((await live(created)).status).toEqual({ conditions: [ready] });
      });

      it('takes a field that someone else has set', async () => {
        const created = await create();
        await change(created, { status: { phase: 'Theirs' } }, 'status');

        const after = await writer.applyStatus(created, { phase: 'Ours' });

        expect(after?.status?.phase).toBe('Ours');
      });

      it('goes onto a version that someone else has made meanwhile, if it fits that one', async () => {
        const created = await create();
        await change(created, { metadata: { labels: { edited: 'yes' } } });
        const fits = ({ status }: Widget): boolean => status === undefined;

        const after = await writer.applyStatus(created, { phase: 'Active' }, fits);

        expect(after?.status?.phase).toBe('Active');
        expect(after?.metadata.labels).toMatchObject({ edited: 'yes' });
      });

      it('is a conflict where it does not fit what another process has written meanwhile', async () => {
        const created = await create();
        await change(created, { status: { phase: 'Newer' } }, 'status');
        const fits = ({ status }: Widget): boolean => status === undefined;

        const writing = writer.applyStatus(created, { phase: 'Older' }, fits);

        await expect(writing).rejects.toMatchObject({ reason: 'Conflict' });
        expect((await live(created)).status?.phase).toBe('Newer');
      });
    });

    it('names the command where the kind is not installed', async () => {
      const missing = { ...WIDGET, group: 'missing.albridge.test' };
      const writing = createObjectWriter<Widget>(client, missing).applyStatus(await create(), {});

      await expect(writing).rejects.toMatchObject({ reason: 'KindNotInstalled' });
      await expect(writing).rejects.toThrow('kubectl apply --server-side -k crds');
    });
  });
}
