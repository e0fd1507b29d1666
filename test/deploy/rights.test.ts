import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { arnOf, isReady, type MyIngresses } from '../surroundings/my-ingresses.ts';
import { until } from '../surroundings/until.ts';
import { DeployPlace } from './place.ts';
import type { PlayedPod } from './played-pod.ts';
import type { Pod } from './pod-environment.ts';
import { type ShippedRight, shippedRights } from './shipped-rights.ts';

/** Each verb of the Roles taken away in turn: the operator says which one, and never loops in silence. */

let place: DeployPlace;
let pod: Pod;
const rights = await shippedRights();

beforeAll(async () => {
  // An API server without WatchList makes the operator list, so that this verb counts too.
  place = await DeployPlace.start(['--feature-gates=WatchList=false']);
  await place.apply('deploy');
  [pod] = (await place.pods()) as readonly [Pod];
});

afterAll(() => place?.stop());
afterEach(() => place.stopPods());

/**
 * What MyIngress, its events, the Lease and the cluster id need, and the watches of the other kinds,
 * which the same code speaks for in the same way whatever the verb.
 */
const ROLES = ['albridge', 'albridge-cluster-id', 'albridge-leader-election'];
const KINDS = /\.(example\.com|rtfm\.co\.ua|flugel\.it|magalix\.com)$/;
const ours = Object.entries(rights).filter(
  ([, { role, verb, group }]) =>
    ROLES.includes(role[1] ?? '') || (KINDS.test(group) && ['list', 'watch'].includes(verb)),
);

async function setVerb({ role, verbPath }: ShippedRight, verb: string): Promise<void> {
  const patch = JSON.stringify([{ op: 'replace', path: verbPath, value: verb }]);
  await place.kubectl(['patch', ...role, '--type=json', '-p', patch]);
}

/** A life in which everything happens that needs a right, as far as it gets before `over`. */
async function live(objects: MyIngresses, over: AbortSignal): Promise<void> {
  await objects.create('web', { subnets: place.aws.network.articleSubnets, tags: { team: 'web' } });
  const ready = await objects.when('web', (object) => over.aborted || isReady(object), 60_000);
  // The same event twice is one event with a count, which takes a patch.
  for (let time = 1; time <= 2; time++) {
    over.throwIfAborted();
    await place.outsider.setTags(arnOf(ready), { team: 'other' });
    await until('the tag', async () => {
      return over.aborted || (await place.outsider.tags(arnOf(ready)))['team'] === 'web';
    });
  }
  over.throwIfAborted();
  await moveFinalizersWhileDeleting(objects);
}

/** The place of our finalizer moves under the pass that takes it off, so it reads the object anew. */
async function moveFinalizersWhileDeleting(objects: MyIngresses): Promise<void> {
  const ours = 'albridge.io/load-balancer';
  await objects.patch('web', { metadata: { finalizers: ['example.com/other', ours] } });
  await place.standIn.addFault({ operation: 'DeleteLoadBalancer', effect: { kind: 'hold' } });
  await objects.startDeleting('web');
  await place.standIn.whenHeld('DeleteLoadBalancer');
  await objects.patch('web', { metadata: { finalizers: [ours] } });
  await place.standIn.release();
}

/** Nobody has held the Lease yet; for the rights of a standby, somebody else holds it. */
async function prepareLease({ verb, resource }: ShippedRight): Promise<void> {
  const lease = ['lease', 'albridge', '-n', 'albridge-system'];
  await place.kubectl(['delete', ...lease, '--ignore-not-found']);
  if (resource !== 'leases' || !['list', 'watch'].includes(verb)) return;
  const now = `${new Date().toISOString().slice(0, -1)}000Z`;
  const times = { acquireTime: now, renewTime: now, leaseDurationSeconds: 3600 };
  const held = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'albridge', namespace: 'albridge-system' },
    spec: { holderIdentity: 'another', ...times },
  };
  await place.kubectl(['create', '-f', '-'], JSON.stringify(held));
}

async function named(played: PlayedPod, { verb, resource }: ShippedRight): Promise<string> {
  const says = new RegExp(`may not ${verb} ${resource} |cannot ${verb} resource "${resource}"`);
  const readiness = await until(
    `readiness names ${verb} ${resource}`,
    async () => {
      const { status, body } = await played.probe('/readyz?verbose');
      return status === 500 && says.test(body) && body;
    },
    60_000,
  );
  const errors = played.operator.log.filter(({ level }) => level === 'error');
  expect(errors.map((line) => JSON.stringify(line).replaceAll('\\', '')).join('\n')).toMatch(says);
  return readiness;
}

describe('without the right to', () => {
  it('check, there are rights to take away', () => {
    expect(ours.length).toBeGreaterThan(10);
  });

  it.each(ours)('%s, log and readiness name verb and resource', async (name, right) => {
    await setVerb(right, 'none');
    await prepareLease(right);
    const objects = await place.createNamespace(`no-${name.toLowerCase().replaceAll(/\W+/g, '-')}`);
    const played = await place.play(pod, {
      injected: { ...place.aws.environment, ALBRIDGE_SWEEP_INTERVAL: '1s' },
    });
    const over = new AbortController();
    const lived = live(objects, over.signal).catch(() => {}); // it gets as far as it gets
    try {
      const readiness = await named(played, right);
      const repeats = played.operator.log.filter(({ msg }) => readiness.includes(msg));
      expect(repeats.length).toBeLessThan(4);
    } finally {
      over.abort();
      await setVerb(right, right.verb);
      await place.standIn.release();
      await place.standIn.clearFaults();
    }
    await place.stopPods();
    await lived;
  });

  it('anything that was granted since, readiness is back within seconds', async () => {
    const right = rights['create events.k8s.io/events'] as ShippedRight;
    await setVerb(right, 'none');
    await prepareLease(right);
    const objects = await place.createNamespace('granted');
    const played = await place.work(pod);
    await objects.create('web', { subnets: place.aws.network.articleSubnets });
    await named(played, right);
    await setVerb(right, right.verb);
    await until('ready', async () => (await played.probe('/readyz')).status === 200, 20_000);
  });
});
