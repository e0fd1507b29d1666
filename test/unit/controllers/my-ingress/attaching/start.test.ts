import { expect, it } from 'vitest';
import type { MyIngress } from '../../../../../src/apis/my-ingress.ts';
import type { AttachingObject } from '../../../../../src/controllers/my-ingress/attaching/attaching-object.ts';
import { Attachments } from '../../../../../src/controllers/my-ingress/attaching/attachments.ts';
import { digestClaim } from '../../../../../src/controllers/my-ingress/attaching/claims.ts';
import { decideAttachments } from '../../../../../src/controllers/my-ingress/attaching/decide.ts';
import { findDecision } from '../../../../../src/controllers/my-ingress/attaching/joined.ts';
import { NamespaceLabels } from '../../../../../src/controllers/my-ingress/attaching/namespace-labels.ts';
import { DeclaredBackends } from '../../../../../src/controllers/my-ingress/declared-backends.ts';
import { FakeKube } from '../../../../fakes/fake-kube.ts';
import { draftOf } from '../drafts.ts';
import { draftApp, PLAIN } from './app.ts';

/** A new process whose caches were filled before it starts: it gets one object after the other. */
async function restart(
  object: MyIngress,
  apps: readonly AttachingObject[],
): Promise<{ readonly attachments: Attachments; readonly known: readonly boolean[] }> {
  const known: boolean[] = [];
  const cache = { get: () => object, list: () => [object], subscribe: () => () => {} };
  const synced = Promise.resolve();
  const attachments = new Attachments({
    ...{ cache, labels: new NamespaceLabels(undefined), namespaces: [] },
    sources: [
      {
        synced,
        follow: (onChange) => {
          for (const app of apps) {
            onChange(app, app);
            known.push(findDecision(attachments.join(object))?.isKnown ?? true);
          }
          return () => {};
        },
        recall: () => [],
      },
    ],
  });
  await attachments.known;
  await synced;
  attachments.start();
  await attachments.known;
  await synced;
  return { attachments, known };
}

it('a restart decides nothing before it has all objects, and leaves a host with its holder', async () => {
  const holder = draftApp('holder', { createdAt: '2026-01-02T00:00:00Z' });
  const { digests, holders } = decideAttachments(PLAIN, [holder], { held: new Map() });
  const { kind, namespace, name } = holder;
  const digest = digests.get('WebApp/web/holder') ?? '';
  const holds = [...holders.keys()].map(digestClaim);
  const object = {
    metadata: { namespace: 'web', name: 'shared', uid: 'u', generation: 1 },
    spec: PLAIN,
    status: {
      alb: { arn: 'arn:alb' },
      attached: [{ kind, namespace, name, digest, holds, reason: 'Attached' }],
    },
  } as unknown as MyIngress;
  // Older, and edited while no operator was there.
  const older = draftApp('older', { hosts: ['holder.example.com'] });
  const { attachments, known } = await restart(object, [older, holder]);
  expect(known).toEqual([false, false]);
  expect(attachments.read(older)).toMatchObject({ kind: 'refused', reason: 'HostAndPathTaken' });
  expect(attachments.read(holder)).toEqual({ kind: 'attached' });
});

it('the backends that pods wait for have those of attached routes once all is decided', async () => {
  const kube = new FakeKube();
  kube.create({ ...draftOf('shared'), spec: PLAIN } as unknown as MyIngress);
  const app = draftApp('app');
  const attachments = new Attachments({
    cache: kube.cache<MyIngress>('MyIngress'),
    ...{ labels: new NamespaceLabels(undefined), namespaces: [] },
    sources: [
      {
        synced: Promise.resolve(),
        follow: (onChange) => {
          onChange(app, app);
          return () => {};
        },
        recall: () => [],
      },
    ],
  });
  const declared = new DeclaredBackends(attachments, Promise.resolve());
  attachments.start();
  declared.follow(() => {});
  expect(declared.list('web')).toEqual([]);
  await declared.known();
  expect(declared.list('web')).toMatchObject([{ owner: 'web/shared', service: { name: 'app' } }]);
});
