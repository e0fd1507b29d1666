import { beforeEach, describe, expect, it } from 'vitest';
import type { MyIngress } from '../../../../../src/apis/my-ingress.ts';
import type {
  AttachingObject,
  SourceRef,
} from '../../../../../src/controllers/my-ingress/attaching/attaching-object.ts';
import { Attachments } from '../../../../../src/controllers/my-ingress/attaching/attachments.ts';
import { NamespaceLabels } from '../../../../../src/controllers/my-ingress/attaching/namespace-labels.ts';
import { draftApp, PLAIN } from './app.ts';

type Put = (ref: SourceRef, object: AttachingObject | undefined) => void;

const SHARED = {
  metadata: { namespace: 'web', name: 'shared', uid: 'u', generation: 1 },
  spec: PLAIN,
} as unknown as MyIngress;

let put: Put;
let enqueued: string[];

beforeEach(async () => {
  const synced = Promise.resolve();
  const follow = (onChange: Put) => {
    put = onChange;
    return () => {};
  };
  const cache = { get: () => SHARED, list: () => [SHARED], subscribe: () => () => {} };
  const labels = new NamespaceLabels(undefined);
  const attachments = new Attachments({
    ...{ cache, labels, namespaces: [] },
    sources: [{ synced, follow, recall: () => [] }],
  });
  attachments.start();
  enqueued = [];
  attachments.source((key) => void enqueued.push(key));
  await attachments.known;
  await synced;
  enqueued.length = 0;
});

describe('an event of an object that attaches routes', () => {
  it('wakes its MyIngress where the routes are others', () => {
    const app = draftApp('shop');
    put(app, app);
    put(app, draftApp('shop', { paths: ['/cart'] }));
    put(app, undefined);
    expect(enqueued).toEqual(['web/shared', 'web/shared', 'web/shared']);
  });

  it('wakes nothing where they are the same, as when only its status has changed', () => {
    const app = draftApp('shop');
    put(app, app);
    put(app, draftApp('shop'));
    put(draftApp('other'), undefined);
    expect(enqueued).toEqual(['web/shared']);
  });

  it('wakes nothing where it may not attach, whatever it asks for', () => {
    const app = draftApp('shop');
    for (const attached of [[], [app]]) {
      for (const one of attached) put(one, one);
      enqueued.length = 0;
      const guest = draftApp('guest', { namespace: 'team' });
      put(guest, guest);
      put(guest, draftApp('guest', { namespace: 'team', hosts: ['shop.example.com'] }));
      put(guest, undefined);
      expect(enqueued).toEqual([]);
    }
  });

  it('wakes its MyIngress where another refusal is to be reported', () => {
    const [app, late] = [draftApp('app'), draftApp('late', { hosts: ['app.example.com'] })];
    put(app, app);
    put(late, late);
    put(late, draftApp('late', { hosts: ['app.example.com'], listeners: [443] }));
    put(late, undefined);
    expect(enqueued).toHaveLength(4);
  });
});
