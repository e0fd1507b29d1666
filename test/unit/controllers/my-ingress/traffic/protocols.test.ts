import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { CERTIFICATE } from '../../../localstack/traffic/traffic-model.ts';
import { MINUTE_MS, World } from '../world.ts';
import { web } from './specs.ts';

const SECURE = { port: 443, protocol: 'HTTPS' as const, certificates: [CERTIFICATE] };

type Backend = NonNullable<MyIngressSpec['backends']>[number];

async function settled(
  backend: Backend,
  listeners: MyIngressSpec['listeners'] = [SECURE],
): Promise<World> {
  const world = new World();
  world.aws.control.setCertificates([CERTIFICATE]);
  world.start();
  await world.applied('shop', { backends: [backend], listeners });
  await world.clock.advance(MINUTE_MS);
  return world;
}

function groupsOf(world: World) {
  return [...world.aws.world.traffic.targetGroups.all()];
}

it('an HTTPS listener without a policy is created with that of albridge', async () => {
  const world = await settled(web);
  expect(world.condition('shop')).toBe('True Available');
  const created = world.aws.control.calls('CreateListener');
  expect(created.map(({ input }) => input['SslPolicy'])).toEqual([
    'ELBSecurityPolicy-TLS13-1-2-2021-06',
  ]);
  expect(world.aws.control.calls('ModifyListener')).toEqual([]);
});

describe('the protocol of a backend', () => {
  const secure: Backend = { ...web, protocol: 'HTTPS' };

  it('HTTPS is that of its group and of its health checks', async () => {
    const world = await settled(secure, [{ port: 80, protocol: 'HTTP' }]);
    expect(world.condition('shop')).toBe('True Available');
    expect(groupsOf(world)).toMatchObject([
      { protocol: 'HTTPS', healthCheck: { protocol: 'HTTPS', path: '/', matcher: '200' } },
    ]);
    expect(await world.writesDuring(() => world.clock.advance(60 * MINUTE_MS))).toEqual([]);
  });

  it('GRPC is checked as gRPC is, by its own codes', async () => {
    const world = await settled({
      ...web,
      protocolVersion: 'GRPC',
      healthCheck: { path: '/grpc.health.v1.Health/Check', matcher: '0,12' },
    });
    expect(world.condition('shop')).toBe('True Available');
    expect(groupsOf(world)).toMatchObject([
      {
        protocolVersion: 'GRPC',
        healthCheck: { path: '/grpc.health.v1.Health/Check', matcher: '0,12' },
      },
    ]);
    await world.edited('shop', { backends: [{ ...web, protocolVersion: 'GRPC' }] }, MINUTE_MS);
    expect(groupsOf(world)).toMatchObject([
      { healthCheck: { path: '/AWS.ALB/healthcheck', matcher: '12' } },
    ]);
    expect(await world.writesDuring(() => world.clock.advance(60 * MINUTE_MS))).toEqual([]);
  });

  it.each<[string, Partial<Backend>]>([
    ['HTTPS', { protocol: 'HTTPS' }],
    ['HTTP2', { protocolVersion: 'HTTP2' }],
    ['GRPC', { protocolVersion: 'GRPC' }],
  ])(
    'cannot be changed to %s in place: another group takes over, and the old one retires',
    async (_, change) => {
      const world = await settled(web);
      const [before] = groupsOf(world);
      await world.edited('shop', { backends: [{ ...web, ...change }] }, 10 * MINUTE_MS);
      expect(world.condition('shop')).toBe('True Available');
      const [after, ...others] = groupsOf(world);
      expect(others).toEqual([]);
      expect(after).toMatchObject(change);
      expect(after?.name).not.toBe(before?.name);
      const [rule] = world.aws.control.snapshot().listeners[0]?.rules ?? [];
      expect(JSON.stringify(rule?.actions)).toContain(after?.arn);
    },
  );

  it('that AWS does not take beside another one is named', async () => {
    const world = await settled({ ...web, protocolVersion: 'GRPC' });
    // As an object from before the rule of the CRD.
    await world.edited('shop', { listeners: [{ port: 80, protocol: 'HTTP' }] }, MINUTE_MS);
    expect(world.condition('shop', 'Stalled')).toBe('True IncompatibleProtocols');
    expect(world.message('shop')).toContain('listener 80: ');
  });
});
