import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { CERTIFICATE } from '../../../localstack/traffic/traffic-model.ts';
import { cutsOf, play, type Story } from '../crash-play.ts';
import { MINUTE_MS, World } from '../world.ts';
import { SHOP } from './specs.ts';

const TRUST_STORE =
  'arn:aws:elasticloadbalancing:us-east-1:000000000000:truststore/clients/6d0ecf831eec9f09';

type ListenerSpec = NonNullable<MyIngressSpec['listeners']>[number];

const SECURE: ListenerSpec = { port: 443, protocol: 'HTTPS', certificates: [CERTIFICATE] };
const VERIFY: ListenerSpec = {
  ...SECURE,
  mutualTLS: { mode: 'verify', trustStoreARN: TRUST_STORE, ignoreExpiry: true },
};

async function settled(listener: ListenerSpec): Promise<World> {
  const world = new World();
  world.aws.control.setCertificates([CERTIFICATE]);
  world.aws.control.setTrustStores([TRUST_STORE]);
  world.start();
  await world.applied('shop', { ...SHOP, listeners: [listener] });
  await world.clock.advance(MINUTE_MS);
  return world;
}

async function edited(world: World, listener: ListenerSpec): Promise<readonly string[]> {
  const before = world.writesToAws.length;
  await world.edited('shop', { listeners: [listener] }, MINUTE_MS);
  expect(world.condition('shop')).toBe('True Available');
  return world.writesToAws.slice(before);
}

function listenerOf(world: World) {
  const [listener] = world.aws.control.snapshot().listeners;
  if (listener === undefined) throw new Error('there is no listener');
  return listener;
}

function recordOf(world: World): readonly string[] | undefined {
  return world.object('shop').status?.owned?.listenerSettings;
}

async function requested(world: World): Promise<void> {
  world.annotate('shop', { 'albridge.io/reconcile-requested-at': `${world.clock.now()}` });
  await world.clock.advance(MINUTE_MS);
}

describe('mutual TLS of a listener', () => {
  it('is created with it, and then nothing is to be done', async () => {
    const world = await settled(VERIFY);
    expect(world.condition('shop')).toBe('True Available');
    expect(listenerOf(world).mutualAuthentication).toEqual({
      ...{ mode: 'verify', trustStoreArn: TRUST_STORE, ignoresExpiry: true, advertises: 'off' },
    });
    expect(world.writesToAws).not.toContain('ModifyListener');
    expect(await world.writesDuring(() => world.clock.advance(60 * MINUTE_MS))).toEqual([]);
  });

  it('is switched off when it leaves the spec, and forgotten', async () => {
    const world = await settled(SECURE);
    expect(recordOf(world)).toBeUndefined();
    expect(await edited(world, VERIFY)).toEqual(['ModifyListener']);
    expect(recordOf(world)).toEqual(['443 mutualTLS']);
    expect(await edited(world, SECURE)).toEqual(['ModifyListener']);
    expect(listenerOf(world).mutualAuthentication).toEqual({ mode: 'off' });
    expect(recordOf(world)).toBeUndefined();
  });

  it('is switched off also where the process dies in between', async () => {
    const world = await settled(VERIFY);
    world.crash();
    world.edit('shop', { listeners: [SECURE] });
    world.start();
    await world.clock.advance(MINUTE_MS);
    expect(listenerOf(world).mutualAuthentication).toEqual({ mode: 'off' });
  });

  it('is switched off where its listener leaves the spec, and comes back without it before it is deleted', async () => {
    const world = await settled(VERIFY);
    await world.edited('shop', { listeners: [{ port: 80, protocol: 'HTTP' }] }, 5_000);
    await edited(world, SECURE);
    expect(listenerOf(world).mutualAuthentication).toEqual({ mode: 'off' });
    expect(recordOf(world)).toBeUndefined();
  });

  it('is switched off where it leaves the spec before reads show it', async () => {
    const world = await settled(SECURE);
    world.fault('ModifyListener', { kind: 'lostResponse' }, { times: 3 });
    world.edit('shop', { listeners: [VERIFY] });
    const isOn = () => listenerOf(world).mutualAuthentication?.mode === 'verify';
    for (let i = 0; i < 50 && !isOn(); i++) await world.clock.advance(100);
    expect(isOn()).toBe(true);
    world.fault('*', { kind: 'staleReads', ageMs: 9_000 }, { forMs: 8_000 });
    await edited(world, SECURE);
    expect(listenerOf(world).mutualAuthentication).toEqual({ mode: 'off' });
    expect(recordOf(world)).toBeUndefined();
  });

  it('of a listener that others have put on its port is not waited for', async () => {
    const world = await settled(VERIFY);
    const { arn, loadBalancerArn } = listenerOf(world);
    world.outOfBand('DeleteListener', { ListenerArn: arn });
    const [group] = world.aws.control.snapshot().targetGroups;
    world.outOfBand('CreateListener', {
      ...{ LoadBalancerArn: loadBalancerArn, Port: 443, Protocol: 'HTTPS' },
      Certificates: [{ CertificateArn: CERTIFICATE }],
      MutualAuthentication: { Mode: 'passthrough' },
      DefaultActions: [{ Type: 'forward', TargetGroupArn: group?.arn }],
    });
    await world.edited('shop', { listeners: [SECURE] }, 10 * MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True PortConflict');
    expect(recordOf(world)).toBeUndefined();
    expect(listenerOf(world).mutualAuthentication).toEqual({ mode: 'passthrough' });
  });

  it('of a listener that cannot be deleted stays on record, without a pass each ten seconds', async () => {
    const world = await settled(VERIFY);
    world.outOfBand('CreateRule', {
      ...{ ListenerArn: listenerOf(world).arn, Priority: 7 },
      Conditions: [{ Field: 'path-pattern', Values: ['/theirs'] }],
      Actions: [{ Type: 'fixed-response', FixedResponseConfig: { StatusCode: '404' } }],
    });
    await world.edited('shop', { listeners: [{ port: 80, protocol: 'HTTP' }] }, 5 * MINUTE_MS);
    expect(world.message('shop')).toContain('has rules that are not this object');
    const calls = await world.callsDuring(() => world.clock.advance(10 * MINUTE_MS));
    expect(calls['DescribeListeners'] ?? 0).toBeLessThan(12);
    expect(recordOf(world)).toEqual(['443 mutualTLS']);
    await world.edited('shop', { listeners: [{ port: 80, protocol: 'HTTP' }, SECURE] }, MINUTE_MS);
    const secure = world.aws.control.snapshot().listeners.find(({ port }) => port === 443);
    expect(secure?.mutualAuthentication).toEqual({ mode: 'off' });
    expect(recordOf(world)).toBeUndefined();
  });

  it('that someone else has set on a listener whose spec never had it stays', async () => {
    const world = await settled(SECURE);
    world.outOfBand('ModifyListener', {
      ...{ ListenerArn: listenerOf(world).arn, MutualAuthentication: { Mode: 'passthrough' } },
    });
    await requested(world);
    expect(listenerOf(world).mutualAuthentication).toEqual({ mode: 'passthrough' });
    expect(await edited(world, { ...SECURE, mutualTLS: { mode: 'off' } })).toEqual([
      'ModifyListener',
    ]);
    expect(listenerOf(world).mutualAuthentication).toEqual({ mode: 'off' });
  });

  it('that someone else has changed is repaired', async () => {
    const world = await settled(VERIFY);
    world.outOfBand('ModifyListener', {
      ...{ ListenerArn: listenerOf(world).arn, MutualAuthentication: { Mode: 'off' } },
    });
    await requested(world);
    expect(listenerOf(world).mutualAuthentication).toMatchObject({ mode: 'verify' });
    expect(world.events.reasons).toContain('DriftRepaired');
  });

  it('by a trust store that is not there is named, and comes once it is', async () => {
    const world = await settled(SECURE);
    world.aws.control.setTrustStores([]);
    await world.edited('shop', { listeners: [VERIFY] }, MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True TrustStoreNotFound');
    expect(world.message('shop')).toContain('listener 443: ');
    world.aws.control.setTrustStores([TRUST_STORE]);
    await world.clock.advance(10 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
  });

  it('goes with TLS', async () => {
    const world = await settled(VERIFY);
    await edited(world, { port: 443, protocol: 'HTTP' });
    expect(listenerOf(world).mutualAuthentication).toBeUndefined();
    expect(recordOf(world)).toBeUndefined();
  });
});

const FRAME = 'routing.http.response.x_frame_options.header_value';
const SERVER = 'routing.http.response.server.enabled';
const VERSION = 'routing.http.request.x_amzn_tls_version.header_name';

describe('attributes of a listener', () => {
  const given: ListenerSpec = { ...SECURE, attributes: { [FRAME]: 'DENY', [VERSION]: 'X-Tls' } };

  it('come with it, and then nothing is to be done', async () => {
    const world = await settled(given);
    expect(world.condition('shop')).toBe('True Available');
    expect(listenerOf(world).attributes).toMatchObject({ [FRAME]: 'DENY', [VERSION]: 'X-Tls' });
    expect(await world.writesDuring(() => world.clock.advance(60 * MINUTE_MS))).toEqual([]);
  });

  it('cost no call where none is given', async () => {
    const world = await settled(SECURE);
    const calls = await world.callsDuring(() => requested(world));
    expect(calls).toMatchObject({ DescribeListeners: 1 });
    expect(calls).not.toHaveProperty('DescribeListenerAttributes');
  });

  it('that are the defaults already are not written', async () => {
    const world = await settled({ ...SECURE, attributes: { [SERVER]: 'true' } });
    expect(world.writesToAws).not.toContain('ModifyListenerAttributes');
  });

  it("get AWS's default when they leave the spec, and are forgotten", async () => {
    const world = await settled(SECURE);
    expect(await edited(world, given)).toEqual(['ModifyListenerAttributes']);
    expect(recordOf(world)).toEqual([`443 ${VERSION}`, `443 ${FRAME}`]);
    const fewer = { ...SECURE, attributes: { [VERSION]: 'X-Tls' } };
    expect(await edited(world, fewer)).toEqual(['ModifyListenerAttributes']);
    expect(listenerOf(world).attributes).toMatchObject({ [FRAME]: '', [VERSION]: 'X-Tls' });
    expect(recordOf(world)).toEqual([`443 ${VERSION}`]);
    expect(await edited(world, SECURE)).toEqual(['ModifyListenerAttributes']);
    expect(listenerOf(world).attributes).toMatchObject({ [VERSION]: 'X-Amzn-Tls-Version' });
    expect(recordOf(world)).toBeUndefined();
  });

  it('that come into the spec after everything was read without them are read first', async () => {
    const world = await settled(SECURE);
    await requested(world);
    world.outOfBand('ModifyListenerAttributes', {
      ...{ ListenerArn: listenerOf(world).arn, Attributes: [{ Key: FRAME, Value: 'DENY' }] },
    });
    expect(await edited(world, given)).toEqual(['ModifyListenerAttributes']);
    expect(listenerOf(world).attributes).toMatchObject({ [FRAME]: 'DENY', [VERSION]: 'X-Tls' });
  });

  it('that someone else has set stay, and those of the spec are repaired', async () => {
    const world = await settled(given);
    world.outOfBand('ModifyListenerAttributes', {
      ListenerArn: listenerOf(world).arn,
      Attributes: [
        { Key: FRAME, Value: 'SAMEORIGIN' },
        { Key: SERVER, Value: 'false' },
      ],
    });
    await requested(world);
    expect(listenerOf(world).attributes).toMatchObject({ [FRAME]: 'DENY', [SERVER]: 'false' });
  });

  it('of TLS go with TLS', async () => {
    const world = await settled(given);
    await edited(world, { port: 443, protocol: 'HTTP', attributes: { [FRAME]: 'DENY' } });
    expect(listenerOf(world).attributes).toMatchObject({ [FRAME]: 'DENY' });
    expect(listenerOf(world).attributes).not.toHaveProperty(VERSION);
    expect(recordOf(world)).toEqual([`443 ${FRAME}`]);
  });

  it('that AWS does not know are named, and the rest is applied', async () => {
    const world = await settled({ ...SECURE, attributes: { 'routing.http.response.new': '1' } });
    expect(world.condition('shop', 'Stalled')).toBe('True ValidationError');
    expect(world.message('shop')).toContain('listener 443: ');
    expect(listenerOf(world).rules).toHaveLength(2);
  });
});

describe('settings that leave the spec while no process runs', () => {
  const given: ListenerSpec = { ...VERIFY, attributes: { [FRAME]: 'DENY' } };

  function prepare(world: World): Promise<unknown> {
    world.aws.control.setCertificates([CERTIFICATE]);
    world.aws.control.setTrustStores([TRUST_STORE]);
    return world.applied('shop', { ...SHOP, listeners: [SECURE] });
  }

  const stories: Readonly<Record<string, Story>> = {
    'that was to set them': {
      before: prepare,
      act: (world) => world.edit('shop', { listeners: [given] }),
      ends: (world) => world.edit('shop', { listeners: [SECURE] }),
    },
    'that was to set them back': {
      before: async (world) => {
        await prepare(world);
        world.edit('shop', { listeners: [given] });
      },
      act: (world) => world.edit('shop', { listeners: [SECURE] }),
      ends: () => undefined,
    },
  };

  it.each(Object.entries(stories))(
    'are gone wherever the process has died %s',
    async (_, story) => {
      const cuts = await cutsOf(story);
      expect(cuts.length).toBeGreaterThan(10);
      for (const cut of cuts) {
        const world = await play(story, cut);
        world.crash();
        story.ends(world);
        world.start();
        await world.clock.advance(5 * MINUTE_MS);
        const why = `${cut.port} ${cut.at} ${cut.when}`;
        expect(world.condition('shop'), why).toBe('True Available');
        expect(listenerOf(world).mutualAuthentication, why).toEqual({ mode: 'off' });
        expect(listenerOf(world).attributes[FRAME], why).toBe('');
        expect(recordOf(world), why).toBeUndefined();
      }
    },
  );
});
