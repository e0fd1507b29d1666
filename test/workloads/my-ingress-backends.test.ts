import { afterAll, describe, expect, it } from 'vitest';
import type { MyIngress } from '../../src/apis/my-ingress.ts';
import { conditionOf, readyOf } from '../surroundings/my-ingresses.ts';
import { SharedPlace } from './place.ts';
import { Shop } from './shop.ts';

const place = new SharedPlace();
afterAll(() => place.close());

/** Applications that do not do what their backend says, and what AWS says about their pods. */
const unhealthy: Readonly<Record<string, { readonly answers: string; readonly words: string }>> = {
  failing: {
    answers: '500',
    words: 'Target.ResponseCodeMismatch: Health checks failed with these codes: [500]',
  },
  moved: {
    answers: '301',
    words: 'Target.ResponseCodeMismatch: Health checks failed with these codes: [301]',
  },
  silent: { answers: 'nothing', words: 'Target.Timeout: Request timed out' },
};

/** Backends whose Service does not lead to pods, and what their status says. */
const unresolved: Readonly<Record<string, { readonly service: object; readonly says: string }>> = {
  missing: { service: { name: 'missing', port: 80 }, says: 'Service missing does not exist' },
  'wrong-port': { service: { name: 'web', port: 81 }, says: 'Service web has no TCP port 81' },
  'wrong-name': {
    service: { name: 'web', port: 'grpc' },
    says: 'Service web has no TCP port grpc',
  },
  empty: { service: { name: 'empty', port: 80 }, says: 'Service empty has no endpoints' },
  'no-such-port': {
    service: { name: 'no-such-port', port: 80 },
    says: 'no ready pod of Service no-such-port has its target port',
  },
};

const healthCheck = { intervalSeconds: 5, timeoutSeconds: 2 };

describe('a backend that does not work', { concurrent: true }, () => {
  it('has its sentence in status and holds up no other backend, rule or object', async () => {
    const shop = await Shop.open(place, 'broken');
    const other = await Shop.open(place, 'works');
    await shop.run({
      web: { replicas: 2 },
      ...Object.fromEntries(
        Object.entries(unhealthy).map(([name, { answers }]) => [name, { answers }]),
      ),
      deaf: { targetPort: 9999 },
      'no-such-port': { targetPort: 'grpc' },
      empty: { replicas: 0 },
    });
    await other.run({ web: {} });
    const serving = [...Object.keys(unhealthy), 'deaf'].map((name) => {
      return { name, service: { name, port: 80 }, healthCheck };
    });
    const bad = Object.entries(unresolved).map(([name, { service }]) => ({ name, service }));
    const web = { name: 'web', service: { name: 'web', port: 'http' } };
    const names = [...serving, ...bad].map(({ name }) => name);
    const created = await shop.create({
      backends: [...serving, ...bad, web],
      rules: names.map((name) => ({ name, paths: [`/${name}`], forward: [{ backend: name }] })),
      defaultAction: { forward: [{ backend: 'web' }] },
    } as object);
    await other.create({ backends: [web] });

    await other.whenHealthy();
    expect((await other.ask('/')).status).toBe(200);
    const stated = await shop.when((object) =>
      saysAll(
        object,
        'BackendsResolved',
        Object.values(unresolved).map(({ says }) => says),
      ),
    );
    expect((await shop.ask('/')).body).toMatch(/^pod=web-/);
    expect((await shop.ask('/empty')).status).toBe(503);
    const { listeners } = await shop.standIn.state();
    const { loadBalancerArn } = await shop.listener();
    const listener = listeners.find((one) => one.loadBalancerArn === loadBalancerArn);
    expect(listener?.rules).toHaveLength(names.length + 1);
    for (const [name, { says }] of Object.entries(unresolved)) {
      const { message } = stated.status.backends?.find((one) => one.name === name) ?? {};
      expect(message).toMatch(new RegExp(`^${says}; [a-z]`));
    }
    expect(readyOf(stated)?.message).toContain('backend missing: Service missing does not exist');

    const judged = await shop.when((object) =>
      saysAll(object, 'TargetsHealthy', [
        ...Object.entries(unhealthy).map(([, { words }]) => words),
        'backend deaf: ',
      ]),
    );
    const { message } = conditionOf(judged, 'TargetsHealthy') ?? {};
    expect(message).toContain('web 2/2');
    expect(message).toMatch(/backend deaf: 10\.\d+\.\d+\.\d+:9999 is unhealthy, Target\.Timeout/);
    for (const [name, { words }] of Object.entries(unhealthy)) {
      const named = new RegExp(`backend ${name}: 10\\.[\\d.]+:80 is unhealthy, (.*?)(\\. |$)`).exec(
        message ?? '',
      );
      expect(named?.[1]).toBe(words);
    }
    for (const state of await shop.historySince(created)) {
      expect(conditionOf(state, 'Stalled')).toBeUndefined();
    }
  });

  it('works as soon as its Service is applied, and was never Stalled for it', async () => {
    const shop = await Shop.open(place, 'late');
    const created = await shop.create({
      backends: [{ name: 'web', service: { name: 'web', port: 80 } }],
    });
    const waiting = await shop.when((object) => readyOf(object)?.reason === 'ServiceNotFound');
    expect(conditionOf(waiting, 'Reconciling')?.status).toBe('True');
    expect(conditionOf(waiting, 'BackendsResolved')?.status).toBe('Unknown');
    await shop.run({ web: {} });
    await shop.whenHealthy();
    expect((await shop.ask('/')).body).toMatch(/^pod=web-/);
    for (const state of await shop.historySince(created)) {
      expect(conditionOf(state, 'Stalled')).toBeUndefined();
    }
    const warnings = (await shop.objects.events('shop')).filter(({ type }) => type === 'Warning');
    expect(warnings).toEqual([]);
  });
});

function saysAll(object: MyIngress, type: string, words: readonly string[]): boolean {
  const { message = '' } = conditionOf(object, type) ?? {};
  return words.every((word) => message.includes(word));
}
