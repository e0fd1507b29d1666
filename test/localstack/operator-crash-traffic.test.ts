import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Endpoints, podAddress } from '../surroundings/endpoints.ts';
import { arnOf, type MyIngresses } from '../surroundings/my-ingresses.ts';
import type { OperatorProcess } from '../surroundings/operator-process.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { until } from '../surroundings/until.ts';
import { type Place, placeOf } from './setup-place.ts';

let surroundings: Surroundings;
let place: Place;
let operator: OperatorProcess;

beforeAll(async () => {
  surroundings = await startSurroundings({ provisioningMs: 300 });
  place = placeOf(surroundings);
});

afterAll(async () => {
  place?.close();
  await surroundings?.stop();
});

afterEach(async () => {
  await place.standIn.clearFaults();
  await place.standIn.release();
  await operator.stop();
});

const start = async (): Promise<void> => {
  operator = await surroundings.startOperator({ ALBRIDGE_SWEEP_INTERVAL: '2s' });
};

async function kill(): Promise<void> {
  operator.signal('SIGKILL');
  await operator.exited;
}

/** Each holds up whichever object comes there first. */
async function holdEach(operations: readonly string[]): Promise<void> {
  for (const operation of operations) {
    await place.standIn.addFault({ operation, effect: { kind: 'hold' } });
  }
}

async function whenAllHeld(operations: readonly string[]): Promise<void> {
  await Promise.all(operations.map((operation) => place.standIn.whenHeld(operation)));
}

const CREATION = [
  'CreateSecurityGroup',
  'AuthorizeSecurityGroupIngress',
  'CreateLoadBalancer',
  'CreateTargetGroup',
  'RegisterTargets',
  'CreateListener',
  'CreateRule',
];
const DELETION = ['DeleteLoadBalancer', 'DeleteTargetGroup', 'DeleteSecurityGroup'];

const NAMES = CREATION.map((_, index) => `shop-${index}`);

async function createShops(prefix: string): Promise<MyIngresses> {
  const objects = await place.createNamespace(prefix);
  const endpoints = new Endpoints(place.api, objects.namespace);
  await endpoints.create('web', [podAddress(1), podAddress(2)]);
  const web = { name: 'web', service: { name: 'web', port: 80 } };
  const rules = [{ name: 'web', paths: ['/web'], forward: [{ backend: 'web' }] }];
  const spec = { subnets: place.network.articleSubnets, backends: [web], rules };
  await Promise.all(NAMES.map((name) => objects.create(name, spec)));
  return objects;
}

/** What stands in AWS, by the tags that every create carries; `listener/80 of shop-1`. */
async function listOwned({ namespace }: MyIngresses): Promise<readonly string[]> {
  const state = await place.standIn.state();
  type Tagged = { readonly tags: Readonly<Record<string, string>> };
  const all: readonly Tagged[] = [
    ...[...state.loadBalancers, ...state.targetGroups, ...state.listeners],
    ...state.listeners.flatMap(({ rules }) => rules),
    ...(state.securityGroups as readonly Tagged[]),
  ];
  return all
    .filter(({ tags }) => tags['albridge.io/namespace'] === namespace)
    .map(({ tags }) => {
      const { 'albridge.io/resource': resource = 'load-balancer', 'albridge.io/name': name } = tags;
      return `${resource} of ${name}`;
    })
    .toSorted();
}

const WHOLE = NAMES.flatMap((name) =>
  [
    'listener/80',
    'load-balancer',
    'rule/80/spec/web/0',
    'security-group/frontend',
    'target-group/spec/web',
  ].map((resource) => `${resource} of ${name}`),
).toSorted();

/** Everything is there once, serves, and is on record. */
async function expectWhole(objects: MyIngresses): Promise<void> {
  const ready = await Promise.all(NAMES.map((name) => objects.whenReady(name)));
  await until('all targets', async () => {
    const all = await objects.list();
    return all.every(({ status }) => status.targets === '2/2');
  });
  expect(await listOwned(objects)).toEqual(WHOLE);
  const { targetGroups, loadBalancers } = await place.standIn.state();
  for (const object of ready) {
    const groups = targetGroups.filter(({ loadBalancerArn }) => loadBalancerArn === arnOf(object));
    expect(groups.map(({ targets }) => targets.length)).toEqual([2]);
    const { securityGroups = [] } = loadBalancers.find(({ arn }) => arn === arnOf(object)) ?? {};
    expect(securityGroups).toHaveLength(1);
  }
}

describe('an operator killed by SIGKILL while it makes or deletes traffic', () => {
  it('creates nothing twice and leaves nothing behind if calls are carried out but not answered', async () => {
    await start();
    await holdEach(CREATION);
    const objects = await createShops('unanswered');
    await whenAllHeld(CREATION);
    await kill();
    await place.standIn.release();
    await start();
    await expectWhole(objects);

    await holdEach(DELETION);
    await Promise.all(NAMES.map((name) => objects.startDeleting(name)));
    await whenAllHeld(DELETION);
    await kill();
    await place.standIn.release();
    await start();
    await Promise.all(NAMES.map((name) => objects.isGone(name)));
    expect(await listOwned(objects)).toEqual([]);
  });

  it('creates nothing twice if calls arrive after its successor has done the work', async () => {
    await start();
    await holdEach(CREATION);
    const objects = await createShops('late');
    await whenAllHeld(CREATION);
    await kill();
    await start();
    await expectWhole(objects);
    await place.standIn.release();
    await until('nothing hangs', async () => (await place.standIn.state()).held.length === 0);
    expect(await listOwned(objects)).toEqual(WHOLE);
  });
});
