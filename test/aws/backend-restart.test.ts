import { afterAll, beforeAll, describe, expect, inject } from 'vitest';
import { type Backend, startBackend } from '../../localstack/backends/backend.ts';
import { seedNetwork } from '../../localstack/seed.ts';
import { CREDENTIALS } from '../surroundings/aws-stand-in.ts';
import { arnOf, type MyIngresses, readyOf } from '../surroundings/my-ingresses.ts';
import type { OperatorProcess } from '../surroundings/operator-process.ts';
import { type Place, startPlace } from './place.ts';
import { itLikeAwsIfAtAll } from './under-test.ts';

const provided = inject('awsBackend');
const name = provided.kind === 'serving' ? provided.name : undefined;
const OBJECTS = ['one', 'two', 'three'];
/** Our own last write must have settled before a balancer may be believed gone, and then comes a sweep. */
const RECREATED_MS = 90_000;

/** A backend that is this file's alone, to be killed. Somebody else's is not ours to kill. */
describe.skipIf(name === undefined)('a backend that dies and comes back empty', () => {
  let backend: Backend;
  let place: Place;
  let operator: OperatorProcess;
  let objects: MyIngresses;
  beforeAll(async () => {
    const embedded = { budget: 'off', provisioningMs: 0 } as const;
    backend = await startBackend(name ?? 'embedded', { embedded });
    place = await startPlace({ url: backend.url, network: await seed() });
    operator = await place.startOperator({ ALBRIDGE_SWEEP_INTERVAL: '2s' });
    objects = await place.createNamespace('reborn');
  });
  afterAll(async () => {
    await place?.stop();
    await backend?.stop();
  });

  const seed = () =>
    seedNetwork({ endpoint: backend.url, region: backend.region, credentials: CREDENTIALS });

  itLikeAwsIfAtAll('custom-subnet-ids', 'gets every balancer again', async () => {
    const subnets = place.network.articleSubnets;
    for (const one of OBJECTS) await objects.create(one, { subnets, scheme: 'internal' });
    const before = new Map<string, string>();
    for (const one of OBJECTS) before.set(one, arnOf(await objects.whenReady(one)));

    await place.relay.close();
    await objects.annotate('one', { 'albridge.io/reconcile-requested-at': 'while it is away' });
    const cut = await objects.when(
      'one',
      ({ status }) => status.conditions?.some(({ reason }) => reason === 'AwsUnreachable') ?? false,
    );
    // Not reachable is not absent.
    expect(arnOf(cut)).toBe(before.get('one'));
    await backend.restart();
    expect((await seed()).articleSubnets).toEqual(subnets);
    expect(await place.outsider.balancers()).toEqual([]);
    await place.relay.open();

    for (const one of OBJECTS) {
      const told = await objects.event(one, 'ALBVanished', RECREATED_MS);
      expect(told.note).toContain(before.get(one));
      const isAnother = (object: Parameters<typeof arnOf>[0]): boolean =>
        object.status.alb?.arn !== before.get(one) && readyOf(object)?.status === 'True';
      await objects.when(one, isAnother, RECREATED_MS);
    }
    expect(await place.outsider.balancers()).toHaveLength(OBJECTS.length);
    expect(operator.log.filter(({ level }) => level === 'raw')).toEqual([]);
    expect(await operator.stop()).toBe(0);
  });
});
