import { describe, expect, it } from 'vitest';
import type { MyIngress } from '../../src/apis/my-ingress.ts';
import { Endpoints, podAddress } from '../surroundings/endpoints.ts';
import { arnOf, conditionOf, type MyIngresses, readyOf } from '../surroundings/my-ingresses.ts';
import type { StandInState } from '../surroundings/stand-in-control.ts';
import { until } from '../surroundings/until.ts';
import { sharedPlace } from './setup-place.ts';

const place = sharedPlace();
const { network, outsider, standIn } = place;
const subnets = network.articleSubnets;
const RULES_OF_A_BALANCER = 100;
const PAUSED = 'albridge.io/paused';

const web = { name: 'web', service: { name: 'web', port: 80 } };
const api = { name: 'api', service: { name: 'api', port: 80 } };
const SHOP = {
  subnets,
  backends: [web, api],
  rules: [{ name: 'api', paths: ['/api/*'], forward: [{ backend: 'api' }] }],
  defaultAction: { forward: [{ backend: 'web' }] },
};

interface Shop {
  readonly objects: MyIngresses;
  readonly endpoints: Endpoints;
}

/** A namespace with the Services web and api. */
async function openShop(prefix: string): Promise<Shop> {
  const objects = await place.createNamespace(prefix);
  const endpoints = new Endpoints(place.api, objects.namespace);
  await endpoints.create('web', [podAddress(1), podAddress(2)]);
  await endpoints.create('api', [podAddress(3)]);
  return { objects, endpoints };
}

/** What stands in AWS for one object. */
async function behind(object: MyIngress): Promise<Behind> {
  const arn = arnOf(object);
  const { listeners, securityGroups, targetGroups, loadBalancers } = await standIn.state();
  const balancer = loadBalancers.find((one) => one.arn === arn);
  const groups = securityGroups as readonly SecurityGroup[];
  return {
    listeners: listeners.filter(({ loadBalancerArn }) => loadBalancerArn === arn),
    targetGroups: targetGroups.filter(({ loadBalancerArn }) => loadBalancerArn === arn),
    securityGroups: groups.filter(({ id }) => balancer?.securityGroups.includes(id)),
  };
}

interface Behind extends Pick<StandInState, 'listeners' | 'targetGroups'> {
  readonly securityGroups: readonly SecurityGroup[];
}

interface SecurityGroup {
  readonly id: string;
  readonly tags: Readonly<Record<string, string>>;
}

function tagsOf({ listeners, targetGroups, securityGroups }: Behind) {
  const rules = listeners.flatMap((one) =>
    one.rules.filter(({ priority }) => priority !== 'default'),
  );
  return [...listeners, ...rules, ...targetGroups, ...securityGroups].map(({ tags }) => tags);
}

/** The rules of one listener by their names in the spec, in the order of evaluation. */
async function ruleNames(object: MyIngress, port = 80): Promise<readonly string[]> {
  const { listeners } = await behind(object);
  const { rules = [] } = listeners.find((one) => one.port === port) ?? {};
  return rules.flatMap(({ tags }) => tags['albridge.io/resource']?.split('/')[3] ?? []);
}

/** Ids of the targets of the group of this backend. */
async function targetsOf(object: MyIngress, backend: string): Promise<readonly string[]> {
  const { targetGroupARN } = object.status.backends?.find(({ name }) => name === backend) ?? {};
  const { targetGroups } = await standIn.state();
  const { targets = [] } = targetGroups.find(({ arn }) => arn === targetGroupARN) ?? {};
  return targets.filter(({ state }) => state !== 'draining').map(({ id }) => id);
}

describe('what AWS refuses is reported, and the rest is created', { concurrent: true }, () => {
  it('more rules than a balancer may have', async () => {
    const { objects } = await openShop('rules');
    const rules = Array.from({ length: 60 }, (_, index) => {
      return { name: `r${index}`, paths: [`/${index}`], forward: [{ backend: 'api' }] };
    });
    const listeners = [80, 8080].map((port) => ({ port, protocol: 'HTTP' as const }));
    await objects.create('shop', { ...SHOP, rules, listeners });
    await objects.create('other', SHOP);
    await objects.whenReady('other');
    const object = await objects.whenReason('shop', 'QuotaExceeded', 90_000);
    expect(conditionOf(object, 'Stalled')?.status).toBe('True');
    expect(readyOf(object)?.message).toMatch(/^rule r\d+ on port 8080: .*\. and 15 more; /);
    const made = await Promise.all([80, 8080].map((port) => ruleNames(object, port)));
    expect(made.map(({ length }) => length)).toEqual([60, RULES_OF_A_BALANCER - 60]);
  });

  it('a certificate that does not exist, or is of another region', async () => {
    const { objects } = await openShop('certificates');
    const certificate = (region: string): string =>
      `arn:aws:acm:${region}:000000000000:certificate/11111111-2222-3333-4444-555555555555`;
    const https = { protocol: 'HTTPS' as const };
    const listeners = [
      { port: 80, protocol: 'HTTP' as const },
      { port: 443, ...https, certificates: [certificate('us-east-1')] },
      { port: 8443, ...https, certificates: [certificate('eu-central-1')] },
    ];
    await objects.create('shop', { ...SHOP, listeners });
    await objects.create('other', SHOP);
    await objects.whenReady('other');
    const object = await objects.when('shop', (one) => conditionOf(one, 'Stalled') !== undefined);
    expect(readyOf(object)?.message).toContain('listener 443: ');
    expect(readyOf(object)?.message).toContain('listener 8443: ');
    expect(readyOf(object)?.message).toMatch(/; correct certificates in spec\.listeners/);
    expect(object.status.listeners).toMatchObject([
      { port: 80, arn: expect.any(String) },
      { port: 443, message: expect.stringContaining('us-east-1') },
      { port: 8443, message: expect.stringContaining('eu-central-1') },
    ]);
    expect(await ruleNames(object)).toEqual(['api']);
  });

  it('a target group whose name is already used by others', async () => {
    const { objects } = await openShop('taken');
    await objects.create('shop', SHOP);
    const first = await objects.whenReady('shop');
    const { targetGroups } = await behind(first);
    const { name = '' } =
      targetGroups.find(({ tags }) => tags['albridge.io/resource']?.endsWith('/api')) ?? {};
    await objects.startDeleting('shop');
    await objects.isGone('shop');
    const foreign = await outsider.createTargetGroup(name, network.vpcId);

    await objects.create('shop', SHOP);
    const object = await objects.when('shop', (one) => conditionOf(one, 'Stalled') !== undefined);
    expect(readyOf(object)).toMatchObject({
      reason: expect.stringMatching(/NameConflict|DuplicateTargetGroupName/),
    });
    expect(readyOf(object)?.message).toContain('backend api: ');
    expect(readyOf(object)?.message).not.toContain(foreign);
    await until('web is filled', async () => (await targetsOf(object, 'web')).length === 2);
    expect(await standIn.writesOn(foreign)).toEqual([]);

    await outsider.deleteTargetGroup(foreign);
    await objects.annotate('shop', { 'albridge.io/reconcile-requested-at': 'freed' });
    const healed = await objects.whenReady('shop');
    expect(await ruleNames(healed)).toEqual(['api']);
  });
});

describe('an object with traffic', { concurrent: true }, () => {
  it('leaves everything in AWS without our tags under deletionPolicy Retain', async () => {
    const { objects } = await openShop('retain');
    await objects.create('shop', { ...SHOP, deletionPolicy: 'Retain', tags: { team: 'web' } });
    const object = await objects.whenReady('shop');
    const before = await behind(object);
    expect(tagsOf(before)).toHaveLength(5);
    await objects.startDeleting('shop');
    await objects.isGone('shop');
    const left = await behind(object);
    expect(tagsOf(left)).toEqual(tagsOf(before).map(() => ({ team: 'web' })));
    expect(
      left.targetGroups.map(({ targets }) => targets.length).toSorted((a, b) => a - b),
    ).toEqual([1, 2]);
  });

  it('keeps listeners and rules as they are while it is paused, and follows its endpoints', async () => {
    const { objects, endpoints } = await openShop('paused');
    await objects.create('shop', SHOP);
    await objects.whenReady('shop');
    await objects.annotate('shop', { [PAUSED]: 'true' });
    const paused = await objects.whenReason('shop', 'Paused');
    await objects.edit('shop', { rules: null });
    await endpoints.set('web', [podAddress(2), podAddress(4)]);
    await until('the endpoints are the targets', async () => {
      const targets = await targetsOf(paused, 'web');
      return targets.toSorted().join() === [podAddress(2), podAddress(4)].join();
    });
    await objects.when(
      'shop',
      ({ metadata, status }) => status.observedGeneration === metadata.generation,
    );
    expect(await ruleNames(paused)).toEqual(['api']);

    await objects.annotate('shop', { [PAUSED]: null });
    await objects.whenReady('shop');
    // A rule that is removed stays for a while.
    await until('the rule is gone', async () => (await ruleNames(paused)).length === 0);
  });

  it('of an adopted balancer leaves the listener of its former owner as it is', async () => {
    const { objects } = await openShop('adopted');
    const arn = await outsider.createBalancer(
      { Name: `legacy-${process.pid}`, Subnets: [...subnets] },
      {
        'albridge.io/cluster': await place.clusterId(),
        'albridge.io/adopt': `${objects.namespace}/shop`,
      },
    );
    const foreign = await outsider.createListener(arn, 80);
    const attached = (await standIn.balancer(arn))?.securityGroups;
    const listener = (port: number) => ({ port, protocol: 'HTTP' as const });
    const listeners = [listener(80), listener(8080)];
    const before = (await standIn.state()).listeners.find((one) => one.arn === foreign);
    await objects.create('shop', { ...SHOP, adopt: { arn }, listeners, deletionPolicy: 'Retain' });
    const object = await objects.whenReason('shop', 'PortConflict');
    expect(readyOf(object)?.message).toContain(`listener 80: port 80 is held by ${foreign}`);
    expect(await ruleNames(object, 8080)).toEqual(['api']);

    await objects.edit('shop', { listeners: [listener(8080)] });
    await objects.whenReady('shop');
    expect((await standIn.balancer(arn))?.securityGroups).toEqual(attached);
    await objects.startDeleting('shop');
    await objects.isGone('shop');
    const left = await behind(object);
    expect(left.listeners.find((one) => one.arn === foreign)).toEqual(before);
    expect(left.listeners.map(({ port }) => port).toSorted((a, b) => a - b)).toEqual([80, 8080]);
    expect(JSON.stringify(tagsOf(left))).not.toContain('albridge.io');
    expect(await standIn.writesOn(foreign)).toEqual([]);
  });

  it('of an adopted balancer takes over a listener once its owner has tagged it', async () => {
    const { objects } = await openShop('handed-over');
    const consent = {
      'albridge.io/cluster': await place.clusterId(),
      'albridge.io/adopt': `${objects.namespace}/shop`,
    };
    const arn = await outsider.createBalancer(
      { Name: `handed-over-${process.pid}`, Subnets: [...subnets] },
      consent,
    );
    const theirs = await outsider.createListener(arn, 80);
    await objects.create('shop', { ...SHOP, adopt: { arn } });
    const refused = await objects.whenReason('shop', 'PortConflict');
    expect(readyOf(refused)?.message).toContain(`albridge.io/adopt=${objects.namespace}/shop`);
    expect(await standIn.writesOn(theirs)).toEqual([]);

    await outsider.setTags(theirs, consent);
    await objects.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
    const object = await objects.whenReady('shop');
    expect(object.status.listeners).toEqual([{ port: 80, arn: theirs }]);
    expect(await ruleNames(object)).toEqual(['api']);
    const [first] = await standIn.writesOn(theirs);
    expect(first?.operation).toBe('AddTags');
    const event = await objects.event('shop', 'AdoptedListener');
    expect(event.note).toBe('Took over listener 80 with the consent of its owner');
  });

  it('is repaired after others delete and change its resources in AWS', async () => {
    const { objects } = await openShop('drift');
    await objects.create('shop', SHOP);
    const object = await objects.whenReady('shop');
    const { listeners, targetGroups } = await behind(object);
    const [group] = targetGroups;
    await outsider.deleteListener(listeners[0]?.arn ?? '');
    await outsider.setHealthCheckPath(group?.arn ?? '', '/elsewhere');
    await until('the listener is back', async () => (await ruleNames(object)).join() === 'api');
    const event = await objects.event('shop', 'DriftRepaired');
    expect(event.note).toContain('listener/80');
    const repaired = await standIn.operatorCalls('ModifyTargetGroup');
    expect(
      repaired.filter(({ input }) => JSON.stringify(input).includes(group?.arn ?? '-')),
    ).toHaveLength(1);
    expect(readyOf(await objects.whenReady('shop'))?.reason).toBe('Available');
  });
});
