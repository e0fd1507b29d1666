import { describe, expect, it } from 'vitest';
import { translateTransforms } from '../../../../../localstack/embedded/data-plane/routing-rules.ts';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { rewriteRequest } from '../../../../../src/routing/rewrite.ts';
import { request } from '../../../routing/request.ts';
import { MINUTE_MS, type World } from '../world.ts';
import { settleShop } from './settle.ts';
import { SHOP } from './specs.ts';

const HOST = { regex: '^(.+)[.]example[.]com$', replace: '$1.internal' };
const URL = { regex: '^/api/(.*)$', replace: '/$1' };

function withRewrite(rewrite: object | undefined, forward = 'api'): Partial<MyIngressSpec> {
  const rule = { name: 'api', paths: ['/api/*'], forward: [{ backend: forward }] };
  return { ...SHOP, rules: [{ ...rule, ...(rewrite && { rewrite }) }] };
}

async function edited(world: World, spec: Partial<MyIngressSpec>) {
  return world.callsDuring(async () => {
    await world.edited('shop', spec, MINUTE_MS);
  });
}

async function reconciled(world: World): Promise<void> {
  world.annotate('shop', { 'albridge.io/reconcile-requested-at': `${world.clock.now()}` });
  await world.clock.advance(MINUTE_MS);
}

function ruleOf(world: World, name = 'api') {
  const { rules, listeners } = world.aws.world.traffic;
  const [listener] = listeners.all();
  const rule = rules
    .byKey(listener?.arn ?? '')
    .find(({ tags }) => tags.get('albridge.io/resource')?.includes(`/${name}/`));
  if (rule === undefined) throw new Error('there is no rule');
  return rule;
}

/** What a target of the rule gets of http://shop.example.com/api/v1?a=b. */
function rewritten(world: World): object | undefined {
  const { transforms } = ruleOf(world);
  return rewriteRequest(
    translateTransforms(transforms),
    request({ path: '/api/v1', query: 'a=b' }),
  );
}

const foreign = {
  Type: 'host-header-rewrite',
  HostHeaderRewriteConfig: { Rewrites: [{ Regex: 'a', Replace: 'b' }] },
};

describe('a rewrite', () => {
  it.each([
    ['leaves its record behind', { fixedResponse: { statusCode: 410 } }, undefined],
    ['keeps a record of both', { forward: [{ backend: 'api' }], rewrite: { host: HOST } }, 'host'],
  ])('%s until a rule before it may go, and that is no repair', async (_what, now, record) => {
    const { rules = [], ...spec } = withRewrite({ host: HOST, url: URL });
    const old = { name: 'old', paths: ['/old/*', '/api/*'], forward: [{ backend: 'web' }] };
    const world = await settleShop({ ...spec, rules: [old, ...rules] });
    await world.clock.advance(3 * MINUTE_MS);
    const api = { name: 'api', paths: ['/api/*'], ...now };
    const late = { name: 'new', paths: ['/new'], forward: [{ backend: 'web' }] };
    await world.edited('shop', { rules: [late, api] }, 10 * MINUTE_MS);
    expect(ruleOf(world).tags.get('albridge.io/rewrite')).toBe(record);
    expect(world.events.reasons).not.toContain('DriftRepaired');
  });

  it('has its record back as a repair where others have removed it', async () => {
    const world = await settleShop(withRewrite({ url: URL }));
    const { arn } = ruleOf(world);
    world.outOfBand('RemoveTags', { ResourceArns: [arn], TagKeys: ['albridge.io/rewrite'] });
    await reconciled(world);
    expect(ruleOf(world).tags.get('albridge.io/rewrite')).toBe('url');
    expect(world.events.reasons).toContain('DriftRepaired');
  });

  it('reaches AWS with the rule, and nothing is written again', async () => {
    const world = await settleShop(withRewrite({ host: HOST, url: URL }));
    expect(rewritten(world)).toEqual({ host: 'shop.internal', url: '/v1?a=b' });
    const writes = await world.callsDuring(async () => {
      await reconciled(world);
      await world.restart();
      await world.clock.advance(5 * MINUTE_MS);
    });
    expect(Object.keys(writes).filter((name) => !name.startsWith('Describe'))).toEqual([]);
  });

  it('is changed in place, and noted before it is there for the first time', async () => {
    const world = await settleShop(withRewrite(undefined));
    await edited(world, withRewrite({ url: URL }));
    expect(rewritten(world)).toEqual({ url: '/v1?a=b' });
    expect(world.writesToAws.slice(-2)).toEqual(['AddTags', 'ModifyRule']);
    const calls = await edited(world, withRewrite({ url: { ...URL, replace: '/x/$1' } }));
    expect(rewritten(world)).toEqual({ url: '/x/v1?a=b' });
    expect(calls).toMatchObject({ ModifyRule: 1 });
    expect(calls).not.toHaveProperty('AddTags');
  });

  it('is removed by a reset, and then forgotten', async () => {
    const world = await settleShop(withRewrite({ host: HOST, url: URL }));
    await edited(world, withRewrite({ url: URL }));
    expect(rewritten(world)).toEqual({ url: '/v1?a=b' });
    expect(ruleOf(world).tags.get('albridge.io/rewrite')).toBe('url');
    await edited(world, withRewrite(undefined));
    expect(ruleOf(world).transforms).toEqual([]);
    expect(ruleOf(world).tags.has('albridge.io/rewrite')).toBe(false);
    expect(world.writesToAws.slice(-2)).toEqual(['ModifyRule', 'RemoveTags']);
    expect(world.condition('shop')).toBe('True Available');
  });

  it('has the tags of its spec also while a rule that leaves is waited for', async () => {
    const gone = { name: 'gone', paths: ['/*'], forward: [{ backend: 'web' }] };
    const spec = withRewrite({ url: URL });
    const world = await settleShop({ ...spec, rules: [...(spec.rules ?? []), gone] });
    world.edit('shop', { ...withRewrite(undefined), tags: { team: 'b' } });
    await world.clock.advance(2_000);
    expect(world.condition('shop')).toBe('True Available');
    expect(ruleOf(world, 'gone').tags.get('team')).toBe(undefined);
    expect(ruleOf(world).tags.get('team')).toBe('b');
  });

  it('is repaired where someone has changed or removed it', async () => {
    const world = await settleShop(withRewrite({ url: URL }));
    for (const change of [
      { ResetTransforms: true },
      {
        Transforms: [
          {
            Type: 'url-rewrite',
            UrlRewriteConfig: { Rewrites: [{ Regex: 'x', Replace: 'y' }] },
          },
        ],
      },
    ]) {
      world.outOfBand('ModifyRule', { RuleArn: ruleOf(world).arn, ...change });
      expect(rewritten(world)).toEqual({});
      await reconciled(world);
      expect(rewritten(world)).toEqual({ url: '/v1?a=b' });
    }
  });

  it('of a kind that the spec does not have is of another owner, and stays', async () => {
    const world = await settleShop(withRewrite({ url: URL }));
    const ours = ruleOf(world).transforms;
    world.outOfBand('ModifyRule', {
      RuleArn: ruleOf(world).arn,
      Transforms: [...ours, foreign],
    });
    const expected = ruleOf(world);
    for (const spec of [withRewrite({ url: URL }, 'web'), withRewrite(undefined), { rules: [] }]) {
      await edited(world, spec);
      expect(world.condition('shop', 'Stalled')).toBe('True UnknownSetting');
      expect(ruleOf(world)).toMatchObject({
        ...{ arn: expected.arn, transforms: expected.transforms, actions: expected.actions },
      });
    }
    world.outOfBand('ModifyRule', { RuleArn: expected.arn, Transforms: ours });
    await world.edited('shop', withRewrite(undefined), 5 * MINUTE_MS);
    expect(world.condition('shop')).toBe('True Available');
    expect(ruleOf(world).transforms).toEqual([]);
  });

  it('that a process has left half done is finished, or taken back, by the next one', async () => {
    for (const last of [withRewrite({ url: URL }), withRewrite(undefined)]) {
      for (const [operation, lost] of [
        ['AddTags', 'dropBeforeApply'],
        ['AddTags', 'lostResponse'],
        ['ModifyRule', 'dropBeforeApply'],
        ['ModifyRule', 'lostResponse'],
      ] as const) {
        const world = await settleShop(withRewrite(undefined));
        world.fault(operation, { kind: lost });
        world.edit('shop', withRewrite({ url: URL }));
        await world.clock.settle();
        world.crash();
        world.edit('shop', last);
        world.start();
        await world.clock.advance(10 * MINUTE_MS);
        expect(world.condition('shop')).toBe('True Available');
        expect(ruleOf(world).transforms).toHaveLength(last.rules?.[0]?.rewrite ? 1 : 0);
      }
    }
  });

  it('goes with its rule', async () => {
    const world = await settleShop(withRewrite({ url: URL }));
    await edited(world, { rules: [] });
    expect(() => ruleOf(world)).toThrow('there is no rule');
  });

  it('that AWS refuses keeps its note, so that it can still be taken back', async () => {
    const world = await settleShop(withRewrite({ url: URL }));
    await edited(world, withRewrite({ url: { regex: '(', replace: '/' } }));
    expect(world.condition('shop', 'Stalled')).toBe('True ValidationError');
    expect(world.message('shop')).toContain('rule api on port 80: ');
    await edited(world, withRewrite(undefined));
    expect(world.condition('shop')).toBe('True Available');
    expect(ruleOf(world).transforms).toEqual([]);
  });
});
