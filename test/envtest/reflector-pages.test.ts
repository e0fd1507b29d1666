import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import {
  type Connection,
  connect,
  type Editor,
  editIn,
  eventually,
  follow,
} from './reflector-harness.ts';

let plane: ControlPlane;
let admin: Connection;
let editor: Editor;

const namespace = 'reflector-pages';

beforeAll(async () => {
  // Pages come from etcd here, as they do wherever the server keeps no snapshots in memory.
  const gates = '--feature-gates=WatchList=false,ListFromCacheSnapshot=false';
  plane = await startControlPlane({ apiServerArgs: [gates] });
  admin = connect(plane);
  editor = await editIn(admin.client, namespace);
  await editor.createMany('many', 1200);
});

afterAll(async () => {
  await admin?.close();
  await plane?.stop();
});

describe('a reflector against an API server without WatchList', () => {
  it('behaviour 2: lists in pages of 500 after one refusal, and remembers', async () => {
    const connection = connect(plane);
    const { cache, reflector, seen } = follow(connection.client, { namespace });
    await reflector.synced;
    await eventually(() => expect(connection.asked).toHaveLength(5));
    expect(cache.list()).toHaveLength(1200);
    expect(new Set(seen).size).toBe(1200);
    expect(seen).toHaveLength(1200);
    const words = connection.asked.map((word) => word.replace(/[+@].*/, ''));
    expect(words).toEqual(['watch-list', 'list', 'list', 'list', 'watch']);
    expect(cache.list()[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    seen.length = 0;
    await editor.set('many-3', { changed: 'yes' });
    await eventually(() => expect(seen).toEqual([expect.stringMatching(/^updated many-3@/)]));
    await plane.restartApiServer();
    await editor.set('many-4', { changed: 'yes' });
    await eventually(() => expect(seen).toHaveLength(2), 40_000);
    expect(connection.asked.filter((word) => word === 'watch-list')).toHaveLength(1);
    await reflector.stop();
    await connection.close();
  });

  it('reads objects of half a megabyte in pages that memory can hold, none twice and none left out', async () => {
    const large = await editIn(admin.client, 'reflector-large');
    await large.createMany('large', 40);
    for (let index = 0; index < 40; index++) {
      await large.set(`large-${index}`, { large: 'x'.repeat(500_000) });
    }
    const connection = connect(plane);
    const { reflector, seen } = follow(connection.client, { namespace: 'reflector-large' });
    await reflector.synced;
    const names = Array.from({ length: 40 }, (_, index) => `added large-${index}`);
    const added = seen.map((change) => change.replace(/@.*/, ''));
    expect(added.toSorted()).toEqual(names.toSorted());
    await reflector.stop();
    await connection.close();
  });

  it('behaviour 5: reads in one piece when its pages were compacted away between two of them', async () => {
    let hasCompacted = false;
    const connection = connect(plane, {
      onRequest: async (request) => {
        if (request.query?.['continue'] !== undefined && !hasCompacted) {
          hasCompacted = true;
          await editor.create('added-between-pages');
          await plane.compactEtcd();
        }
        return request;
      },
    });
    const { cache, reflector } = follow(connection.client, { namespace });
    await reflector.synced;
    expect(hasCompacted).toBe(true);
    expect(connection.asked.map((word) => word.replace(/[+@].*/, '')).slice(0, 4)).toEqual([
      'watch-list',
      'list',
      'list',
      'full-list',
    ]);
    expect(cache.list()).toHaveLength(1201);
    await reflector.stop();
    await connection.close();
  });
});
