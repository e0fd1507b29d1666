import { expect } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { CERTIFICATE } from '../../../localstack/traffic/traffic-model.ts';
import { MINUTE_MS, World, type WorldOptions } from '../world.ts';
import { SHOP } from './specs.ts';

/** A world in which the object `shop` has had a minute. */
export async function applyShop(
  spec: Partial<MyIngressSpec> = SHOP,
  options?: WorldOptions,
): Promise<World> {
  const world = World.started(options);
  await world.applied('shop', spec);
  await world.clock.advance(MINUTE_MS);
  return world;
}

/** The same, with `shop` Ready. */
export async function settleShop(
  spec?: Partial<MyIngressSpec>,
  options?: WorldOptions,
): Promise<World> {
  const world = await applyShop(spec, options);
  expect(world.condition('shop')).toBe('True Available');
  return world;
}

/** A world in which `shop` has had a minute, in an account with these certificates. */
export async function applySecured(
  spec: Partial<MyIngressSpec>,
  certificates: readonly string[] = [CERTIFICATE],
): Promise<World> {
  const world = new World();
  world.aws.control.setCertificates(certificates);
  world.start();
  await world.applied('shop', { ...SHOP, ...spec });
  await world.clock.advance(MINUTE_MS);
  return world;
}
