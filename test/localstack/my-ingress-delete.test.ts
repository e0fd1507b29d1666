import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { arnOf, conditionOf, readyOf } from '../surroundings/my-ingresses.ts';
import { until } from '../surroundings/until.ts';
import { linesOnce, sharedPlace } from './setup-place.ts';

const place = sharedPlace();
const { network, outsider, standIn } = place;
const subnets = network.articleSubnets;
const PROTECTION = 'deletion_protection.enabled';
const FINALIZER = 'albridge.io/load-balancer';

describe('a deleted object', { concurrent: true }, () => {
  it('exists until its balancer is deleted, and kubectl waits for that', async () => {
    const objects = await place.createNamespace('delete');
    await objects.create('web', { subnets });
    const arn = arnOf(await objects.whenReady('web'));
    const said = await place.kubectl([
      'delete',
      'myingress',
      'web',
      '-n',
      objects.namespace,
      '--timeout=120s',
    ]);
    expect(said).toContain('deleted');
    expect(await standIn.balancer(arn)).toBeUndefined();
    const deleted = await objects.event('web', 'DeletedALB');
    expect(deleted.note).toMatch(/^Deleted ALB: web-alb-/);
    const lines = await linesOnce(objects, 'web', ({ reason }) => reason === 'DeletedALB');
    expect(lines.at(-1)).toMatchObject({ msg: 'event occurred', note: deleted.note });
  });

  it('stays while deletion protection is on, says what to do, and is deleted when it is off', async () => {
    const objects = await place.createNamespace('protected');
    await objects.create('web', { subnets, attributes: { [PROTECTION]: 'true' } });
    const arn = arnOf(await objects.whenReady('web'));
    await objects.startDeleting('web');
    const blocked = await objects.whenReason('web', 'DeletionBlocked');
    expect(conditionOf(blocked, 'Stalled')?.status).toBe('True');
    expect(readyOf(blocked)?.message).toContain('deletion_protection.enabled to "false"');
    expect((await objects.event('web', 'DeletionBlocked')).type).toBe('Warning');
    expect(blocked.metadata.finalizers).toContain(FINALIZER);

    await objects.edit('web', { attributes: { [PROTECTION]: 'false' } });
    await objects.isGone('web');
    expect(await standIn.balancer(arn)).toBeUndefined();
  });

  it('stays while others protect its balancer', async () => {
    const objects = await place.createNamespace('guarded');
    await objects.create('web', { subnets });
    const arn = arnOf(await objects.whenReady('web'));
    await outsider.setAttributes(arn, { [PROTECTION]: 'true' });
    await objects.startDeleting('web');
    await objects.whenReason('web', 'DeletionBlocked');
    expect((await standIn.balancer(arn))?.attributes).toMatchObject({ [PROTECTION]: 'true' });

    await outsider.setAttributes(arn, { [PROTECTION]: 'false' });
    await objects.annotate('web', { 'albridge.io/reconcile-requested-at': 'unprotected' });
    await objects.isGone('web');
    expect(await standIn.balancer(arn)).toBeUndefined();
  });

  it('leaves its balancer in AWS without our tags under deletionPolicy Retain', async () => {
    const objects = await place.createNamespace('retain');
    await objects.create('web', { subnets, deletionPolicy: 'Retain', tags: { team: 'web' } });
    const arn = arnOf(await objects.whenReady('web'));
    await objects.startDeleting('web');
    await objects.isGone('web');
    expect((await standIn.balancer(arn))?.tags).toEqual({ team: 'web' });
    expect((await objects.event('web', 'RetainedALB')).note).toContain('stays in AWS');
  });

  it('follows a policy that was changed at the last moment', async () => {
    const objects = await place.createNamespace('policy');
    await objects.create('web', { subnets });
    const arn = arnOf(await objects.whenReady('web'));
    await objects.edit('web', { deletionPolicy: 'Retain' });
    await objects.startDeleting('web');
    await objects.isGone('web');
    expect(await standIn.balancer(arn)).toBeDefined();
  });

  it('that never had a balancer is deleted too, whatever its spec', async () => {
    const objects = await place.createNamespace('never');
    await objects.create('web', {
      subnets: ['subnet-0000000000000000f', 'subnet-0000000000000000e'],
    });
    await objects.whenReason('web', 'SubnetNotFound');
    await objects.startDeleting('web');
    await objects.isGone('web');
    expect(await standIn.balancersOf(objects.namespace)).toEqual([]);
  });

  it('whose balancer no longer exists is deleted at once', async () => {
    const objects = await place.createNamespace('empty');
    await objects.create('web', { subnets });
    const arn = arnOf(await objects.whenReady('web'));
    await place.outsider.deleteBalancer(arn);
    await objects.startDeleting('web');
    await objects.isGone('web');
    expect(await standIn.balancersOf(objects.namespace)).toEqual([]);
  });

  it('created and deleted within milliseconds leaves nothing behind, at any interval', async () => {
    const objects = await place.createNamespace('breath');
    for (let index = 0; index < 60; index++) {
      const name = `web-${index}`;
      await objects.create(name, { subnets });
      // Where the finalizer is stored while the API server deletes, it holds nothing.
      await setTimeout((index % 30) / 3);
      await objects.startDeleting(name);
    }
    await objects.create('last', { subnets });
    await objects.whenReady('last');
    await objects.startDeleting('last');
    for (let index = 0; index < 60; index++) await objects.isGone(`web-${index}`);
    await objects.isGone('last');
    await until('no balancer is left', async () => {
      return (await standIn.balancersOf(objects.namespace)).length === 0;
    });
  });

  it('keeps the finalizers of others, and waits for them', async () => {
    const objects = await place.createNamespace('others');
    await objects.create('web', { subnets });
    const arn = arnOf(await objects.whenReady('web'));
    await objects.patch('web', { metadata: { finalizers: [FINALIZER, 'example.com/other'] } });
    await objects.startDeleting('web');
    const left = await objects.when(
      'web',
      ({ metadata }) => metadata.finalizers?.join() === 'example.com/other',
    );
    expect(left.metadata.deletionTimestamp).toBeDefined();
    expect(await standIn.balancer(arn)).toBeUndefined();
    await objects.patch('web', { metadata: { finalizers: [] } });
    await objects.isGone('web');
  });
});

describe('the finalizer', { concurrent: true }, () => {
  it('is stored again when it is removed by hand', async () => {
    const objects = await place.createNamespace('finalizer');
    await objects.create('web', { subnets });
    await objects.whenReady('web');
    await objects.patch('web', { metadata: { finalizers: [] } });
    const object = await objects.when('web', ({ metadata }) =>
      Boolean(metadata.finalizers?.includes('albridge.io/load-balancer')),
    );
    expect(readyOf(object)?.status).toBe('True');
  });
});

describe('a paused object', { concurrent: true }, () => {
  const PAUSED = 'albridge.io/paused';

  it('is not created, and reports that, until the annotation is removed', async () => {
    const objects = await place.createNamespace('paused');
    await objects.create('web', { subnets }, { [PAUSED]: 'true' });
    const paused = await objects.whenReason('web', 'Paused');
    expect(readyOf(paused)).toMatchObject({
      status: 'Unknown',
      message: expect.stringContaining('remove'),
    });
    expect(await standIn.balancersOf(objects.namespace)).toEqual([]);
    await objects.annotate('web', { [PAUSED]: null });
    await objects.whenReady('web');
  });

  it('is neither edited, repaired nor deleted', async () => {
    const objects = await place.createNamespace('halted');
    await objects.create('web', { subnets, tags: { team: 'web' } });
    const arn = arnOf(await objects.whenReady('web'));
    await objects.annotate('web', { [PAUSED]: 'true' });
    await objects.whenReason('web', 'Paused');
    const before = await standIn.writesOn(arn);

    await outsider.setTags(arn, { team: 'other' });
    await objects.edit('web', { tags: { team: 'shop' } });
    await objects.when('web', ({ metadata, status }) =>
      Boolean(status.observedGeneration === metadata.generation),
    );
    await objects.startDeleting('web');
    await objects.when('web', (object) =>
      Boolean(readyOf(object)?.message.includes('the deletion waits')),
    );
    expect(await standIn.writesOn(arn)).toEqual(before);

    await objects.annotate('web', { [PAUSED]: null });
    await objects.isGone('web');
    expect(await standIn.balancer(arn)).toBeUndefined();
  });
});

describe('a requested reconcile', { concurrent: true }, () => {
  it('reads AWS again, and its token is echoed', async () => {
    const objects = await place.createNamespace('requested');
    await objects.create('web', { subnets });
    await objects.whenReady('web');
    await objects.annotate('web', { 'albridge.io/reconcile-requested-at': 'token-1' });
    const object = await objects.when(
      'web',
      ({ status }) => status.lastHandledReconcileAt === 'token-1',
    );
    expect(readyOf(object)?.status).toBe('True');
  });

  it('repairs drift without waiting for the drift scan', async () => {
    const objects = await place.createNamespace('prompt');
    await objects.create('web', { subnets, attributes: { 'idle_timeout.timeout_seconds': '90' } });
    const arn = arnOf(await objects.whenReady('web'));
    await outsider.setAttributes(arn, { 'idle_timeout.timeout_seconds': '30' });
    await objects.annotate('web', { 'albridge.io/reconcile-requested-at': 'token-2' });
    await objects.when('web', ({ status }) => status.lastHandledReconcileAt === 'token-2');
    const balancer = await standIn.balancer(arn);
    expect(balancer?.attributes).toMatchObject({ 'idle_timeout.timeout_seconds': '90' });
  });
});
