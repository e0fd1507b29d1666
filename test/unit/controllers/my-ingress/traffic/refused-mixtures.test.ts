import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { MINUTE_MS, World } from '../world.ts';
import { api, SHOP, web } from './specs.ts';

const OTHER: Partial<MyIngressSpec> = { backends: [web, { ...api, protocol: 'HTTPS' }] };
const further = (name: string, backend: string): NonNullable<MyIngressSpec['rules']>[number] => ({
  ...{ name, paths: [`/${name}`], forward: [{ backend }] },
});

/** No target of `api` is healthy, and AWS refuses calls of this operation. */
async function refusing(
  spec: Partial<MyIngressSpec>,
  { operation, code, forMs = MINUTE_MS }: { operation: string; code: string; forMs?: number },
): Promise<World> {
  const world = await World.having('shop', spec);
  await world.clock.advance(20 * MINUTE_MS);
  world.targets.say('web/shop', 'api', { healthy: 0 });
  await world.clock.advance(2_000);
  world.fault(operation, { kind: 'error', code, status: 400, message: 'refused' }, { forMs });
  return world;
}

const MIXTURE = { operation: 'ModifyRule', code: 'InvalidLoadBalancerAction' };

describe('where AWS refuses the old and the new target group in one action', () => {
  it('the object is not Ready for it, also where AWS takes other changes of the rule', async () => {
    const world = await refusing(SHOP, MIXTURE);
    await world.edited('shop', { ...OTHER, tags: { team: 'web' } }, 500);
    expect(world.condition('shop', 'Reconciling')).toBe('True HandingOver');
    await world.clock.advance(3_000);
    expect(world.condition('shop')).not.toBe('True Available');
    await world.clock.advance(20 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(world.events.reasons).toContain('SwitchedDirectly');
  });

  it('a rule that leaves the spec stays for as long as after any other change', async () => {
    const old = { ...further('old', 'web'), paths: ['/*'] };
    const spec = { ...SHOP, rules: [...(SHOP.rules ?? []), old] };
    const world = await refusing(spec, { ...MIXTURE, forMs: 500 });
    world.edit('shop', { ...spec, ...OTHER, rules: [...(SHOP.rules ?? [])] });
    const countDeleted = (): number =>
      world.writesToAws.filter((one) => one === 'DeleteRule').length;
    await world.clock.advance(3_000);
    expect(world.events.reasons).toContain('SwitchedDirectly');
    await world.clock.advance(12_000);
    expect(countDeleted()).toBe(0);
    await world.clock.advance(10_000);
    expect(countDeleted()).toBe(1);
  });

  it('a quota of rules is no such refusal: a new rule waits for healthy targets too', async () => {
    const world = await refusing(SHOP, { operation: 'CreateRule', code: 'TooManyRules' });
    const rules = [...(SHOP.rules ?? []), further('v2', 'api')];
    await world.edited('shop', { ...SHOP, ...OTHER, rules }, 3 * MINUTE_MS);
    expect(world.events.reasons).not.toContain('SwitchedDirectly');
  });
});
