import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { CERTIFICATE } from '../../../localstack/traffic/traffic-model.ts';
import { SCAN_MS, World } from '../world.ts';
import { SHOP } from './specs.ts';

async function start(spec: Partial<MyIngressSpec>): Promise<World> {
  const world = await World.having('shop', spec);
  return world;
}

function urlOf(world: World): string | undefined {
  return world.object('shop').status.url;
}

const forward = [{ backend: 'web' }];

describe('status.url', () => {
  it('has the DNS name of the balancer while no rule has a host', async () => {
    const world = await start(SHOP);
    expect(urlOf(world)).toBe(`http://${world.balancer().dnsName}`);
  });

  it('has the first exact host of the rules, and follows an edit', async () => {
    const rules = [
      { name: 'any', hosts: ['*.example.com'], forward },
      { name: 'web', hosts: ['Shop.example.com', 'www.example.com'], forward },
    ];
    const world = await start({ ...SHOP, rules });
    expect(urlOf(world)).toBe('http://shop.example.com');
    world.edit('shop', { listeners: [{ port: 8080, protocol: 'HTTP' }], rules: rules.slice(0, 1) });
    await world.clock.advance(60_000);
    expect(urlOf(world)).toBe(`http://${world.balancer().dnsName}:8080`);
  });

  it('has the HTTPS listener only once AWS has it, and the hosts of its own rules', async () => {
    const world = await start({
      ...SHOP,
      listeners: [
        { port: 8080, protocol: 'HTTP' },
        { port: 443, protocol: 'HTTPS' },
      ],
      rules: [{ name: 'admin', hosts: ['admin.example.com'], listeners: [443], forward }],
    });
    expect(world.condition('shop')).toBe('False NoCertificate');
    expect(urlOf(world)).toBe(`http://${world.balancer().dnsName}:8080`);
  });

  it('is not that of a listener which leads to one that is not there', async () => {
    const world = new World();
    world.aws.control.setCertificates([CERTIFICATE]);
    world.start();
    await world.applied('shop', {
      ...SHOP,
      listeners: [
        { port: 80, protocol: 'HTTP', redirectToHTTPS: true },
        { port: 443, protocol: 'HTTPS', certificates: [CERTIFICATE] },
      ],
    });
    expect(urlOf(world)).toBe(`https://${world.balancer().dnsName}`);
    const { listeners } = world.aws.control.snapshot();
    const ListenerArn = listeners.find(({ port }) => port === 443)?.arn;
    world.outOfBand('DeleteListener', { ListenerArn });
    world.aws.control.setCertificates([]);
    await world.clock.advance(2 * SCAN_MS);
    expect(world.aws.control.snapshot().listeners.map(({ port }) => port)).toEqual([80]);
    expect(world.object('shop').status).not.toHaveProperty('url');
  });

  it('is absent without listeners, and goes with them', async () => {
    const world = await start({});
    expect(world.object('shop').status).not.toHaveProperty('url');
    await world.edited('shop', SHOP, 60_000);
    expect(urlOf(world)).toBeDefined();
    world.unset('shop', 'backends', 'rules', 'defaultAction');
    await world.clock.advance(120_000);
    expect(world.object('shop').status).not.toHaveProperty('url');
  });
});
