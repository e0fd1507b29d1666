import { describe, expect, it } from 'vitest';
import type { MyIngress } from '../../src/apis/my-ingress.ts';
import { conditionOf, readyOf } from '../surroundings/my-ingresses.ts';
import { until } from '../surroundings/until.ts';
import { SharedPlace } from './place.ts';
import { type Application, Shop } from './shop.ts';

const place = new SharedPlace();

interface Unhealthy {
  readonly application: Application;
  /** As a pattern. */
  readonly words: string;
  readonly port?: number;
}

const MISMATCH = 'Target\\.ResponseCodeMismatch: Health checks failed with these codes: \\[CODE\\]';
const TIMEOUT = 'Target\\.Timeout: Request timed out';

/** Applications that do not do what their backend says, and what AWS says about their pods. */
const unhealthy: Readonly<Record<string, Unhealthy>> = {
  failing: { application: { answers: '500' }, words: MISMATCH.replace('CODE', '500') },
  moved: { application: { answers: '301' }, words: MISMATCH.replace('CODE', '301') },
  silent: { application: { answers: 'nothing' }, words: TIMEOUT },
  deaf: { application: { targetPort: 9999 }, words: TIMEOUT, port: 9999 },
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
        Object.entries(unhealthy).map(([name, { application }]) => [name, application]),
      ),
      'no-such-port': { targetPort: 'grpc' },
      empty: { replicas: 0 },
    });
    await other.run({ web: {} });
    const serving = Object.keys(unhealthy).map((name) => {
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
    const sentences = Object.values(unresolved).map(({ says }) => says);
    // Of the leading condition too, once AWS has set the balancer up.
    const stated = await shop.when((object) =>
      ['BackendsResolved', 'Ready'].every((type) => saysAll(object, type, sentences)),
    );
    expect(conditionOf(stated, 'Reconciling')?.status).toBe('True');
    await until('web answers', async () => (await shop.ask('/')).body.startsWith('pod=web-'));
    expect((await shop.ask('/empty')).status).toBe(503);
    const { listeners } = await shop.standIn.state();
    const { loadBalancerArn } = await shop.listener();
    const listener = listeners.find((one) => one.loadBalancerArn === loadBalancerArn);
    expect(listener?.rules).toHaveLength(names.length + 1);
    for (const [name, { says }] of Object.entries(unresolved)) {
      const { message } = stated.status.backends?.find((one) => one.name === name) ?? {};
      expect(message).toMatch(new RegExp(`^${says}; [a-z]`));
    }

    // AWS is asked about one group after the other.
    await shop.when((object) => healthOf(object).includes('web 2/2') && areJudged(object));
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
    // AWS's first check may come before the pod's process listens.
    const warnings = (await shop.objects.events('shop')).filter(({ type, reason }) => {
      return type === 'Warning' && reason !== 'TargetsUnhealthy';
    });
    expect(warnings).toEqual([]);
  });
});

/** Whether each that does not work has its sentence. */
function areJudged(object: MyIngress): boolean {
  return Object.entries(unhealthy).every(([name, { words, port = 80 }]) =>
    new RegExp(`\\. backend ${name}: 10\\.[\\d.]+:${port} is unhealthy, ${words}`).test(
      healthOf(object),
    ),
  );
}

function healthOf(object: MyIngress): string {
  return conditionOf(object, 'TargetsHealthy')?.message ?? '';
}

function saysAll(object: MyIngress, type: string, words: readonly string[]): boolean {
  const { message = '' } = conditionOf(object, type) ?? {};
  return words.every((word) => message.includes(word));
}
