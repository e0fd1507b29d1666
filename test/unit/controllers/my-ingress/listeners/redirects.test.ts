import { describe, expect, it } from 'vitest';
import type { Step } from '../../../../../src/controllers/my-ingress/graph/steps.ts';
import type { TrafficSpec } from '../../../../../src/controllers/my-ingress/routes/traffic-spec.ts';
import type { MemoryAws } from '../graph/memory-aws.ts';
import { rule, settled, shop, tls } from '../graph/samples.ts';
import type { TrafficWorld } from '../graph/traffic-world.ts';

const plain = { port: 80, protocol: 'HTTP' as const };
const redirecting = { ...plain, redirectToHTTPS: true };
const uncertified = { port: 443, protocol: 'HTTPS' as const };
const toHttps = { redirect: { statusCode: 301, protocol: 'HTTPS', port: 443 } } as const;
const onPlain: TrafficSpec = { ...shop, listeners: [plain] };

/** Its default action and its rules, which are what it answers. */
function readListener(aws: MemoryAws, port: number): readonly unknown[] {
  const { listeners } = aws.observed();
  const one = listeners.find(({ listener }) => listener.port === port);
  const rules = one?.rules.map(({ rule: { conditions, actions } }) => ({ conditions, actions }));
  return one === undefined ? [] : [one.listener.defaultActions, rules];
}

/** Until nothing is left to do. */
function applyAll(world: TrafficWorld, spec: TrafficSpec): readonly Step[] {
  world.spec = spec;
  const done: Step[] = [];
  world.converge((plan) => {
    done.push(...plan.steps);
    world.execute(plan);
  });
  return done;
}

function takePort(aws: MemoryAws, port: number): void {
  aws.meddle(({ listeners: [first, ...others] }) => {
    if (first === undefined) return {};
    const listener = { ...first.listener, port, arn: `arn:foreign-${port}` };
    return { listeners: [first, ...others, { ...first, listener, rules: [], tags: {} }] };
  });
}

describe('a listener that redirects to an HTTPS one', () => {
  const secured: TrafficSpec = { ...shop, listeners: [redirecting, tls] };

  it.each([
    ['without a certificate', [redirecting, uncertified], (): void => {}],
    ['whose port another one holds', [redirecting, tls], (aws: MemoryAws) => takePort(aws, 443)],
  ])('stays with its rules for one %s', (_, listeners, prepare) => {
    const { world, aws } = settled(onPlain);
    prepare(aws);
    const before = readListener(aws, 80);
    applyAll(world, { ...shop, listeners });
    expect(readListener(aws, 80)).toEqual(before);
    aws.meddle((graph) => ({
      listeners: graph.listeners.filter((one) => Object.keys(one.tags).length > 0),
    }));
    applyAll(world, secured);
    expect(readListener(aws, 80)).toEqual([[expect.objectContaining({ kind: 'redirect' })], []]);
  });

  it('stays for one whose backend has no target group', () => {
    const { world, aws } = settled(onPlain);
    const before = readListener(aws, 80);
    const defaultAction = { forward: [{ backend: 'none' }] };
    applyAll(world, { ...secured, defaultAction });
    expect(readListener(aws, 80)).toEqual(before);
  });

  it('stays for one that speaks HTTP and lacks the certificate for HTTPS', () => {
    const { world, aws } = settled({ ...shop, listeners: [plain, { ...plain, port: 443 }] });
    const before = readListener(aws, 80);
    applyAll(world, { ...shop, listeners: [redirecting, uncertified] });
    expect(readListener(aws, 80)).toEqual(before);
  });

  it('needs that the one that speaks HTTP becomes HTTPS', () => {
    const { world } = settled({ ...shop, listeners: [plain, { ...plain, port: 443 }] });
    world.spec = secured;
    const { steps } = world.plan();
    const ids = steps.map(({ operation, id }) => `${operation} ${id}`);
    const [secure, redirect] = ['ModifyListener listener/443', 'ModifyListener listener/80'];
    expect(ids.indexOf(secure)).toBeLessThan(ids.indexOf(redirect));
    const modified = steps.find(({ operation, id }) => `${operation} ${id}` === redirect);
    expect(modified?.needs).toContain('listener/443');
  });

  it('needs that the one of another port moves to its own', () => {
    const { world, aws } = settled({ ...shop, listeners: [plain, tls] });
    aws.meddle(({ listeners }) => ({
      listeners: listeners.map(({ listener, ...others }) => {
        const port = listener.port === 443 ? 444 : listener.port;
        return { ...others, listener: { ...listener, port } };
      }),
    }));
    world.spec = secured;
    const redirect = world.plan().steps.find(({ id, input }) => {
      return id === 'listener/80' && 'action' in input;
    });
    expect(redirect?.needs).toContain('listener/443');
  });

  it('stays for one that itself waits for another one', () => {
    const { world, aws } = settled(onPlain);
    const before = readListener(aws, 80);
    const redirect = { statusCode: 301, protocol: 'HTTPS', port: 8443 } as const;
    const listeners = [redirecting, tls, { ...uncertified, port: 8443 }];
    applyAll(world, { ...shop, listeners, defaultAction: { redirect } });
    expect(readListener(aws, 80)).toEqual(before);
    expect(aws.observed().listeners).toHaveLength(1);
  });

  it('is not made before one without a certificate', () => {
    const { world, aws } = settled({ ...shop, listeners: [{ ...plain, port: 8080 }] });
    const listeners = [{ ...plain, port: 8080 }, redirecting, uncertified];
    applyAll(world, { ...shop, listeners });
    expect(aws.observed().listeners.map(({ listener }) => listener.port)).toEqual([8080]);
  });

  it('keeps the one to which it redirects until its new one is there', () => {
    const { world, aws } = settled({ ...secured, rules: [] });
    const listPorts = () =>
      aws
        .observed()
        .listeners.map(({ listener }) => listener.port)
        .toSorted((a, b) => a - b);
    const before = readListener(aws, 80);
    const moved = { ...shop, rules: [], listeners: [redirecting, { ...uncertified, port: 8443 }] };
    applyAll(world, moved);
    expect(readListener(aws, 80)).toEqual(before);
    expect(listPorts()).toEqual([80, 443]);
    applyAll(world, { ...moved, listeners: [redirecting, { ...tls, port: 8443 }] });
    expect(listPorts()).toEqual([80, 8443]);
  });

  it('changes as always once it redirects there', () => {
    const { world, aws } = settled({ ...secured, rules: [] });
    aws.meddle(({ listeners }) => ({
      listeners: listeners.filter(({ listener }) => listener.port === 80),
    }));
    const attributes = { 'routing.http.response.server.enabled': 'false' };
    const listeners = [{ ...redirecting, attributes }, uncertified];
    const done = applyAll(world, { ...shop, listeners });
    expect(done.map(({ operation }) => operation)).toEqual(['ModifyListenerAttributes']);
  });
});

describe('a rule that redirects to an HTTPS listener without a certificate', () => {
  const listeners = [plain, uncertified];
  const login = { name: 'login', paths: ['/login'], listeners: [80], ...toHttps };

  it('stays as it was, and is changed once there is one', () => {
    const { world, aws } = settled({ ...onPlain, rules: [rule('login')] });
    const before = readListener(aws, 80);
    applyAll(world, { ...shop, listeners, rules: [login] });
    expect(readListener(aws, 80)).toEqual(before);
    applyAll(world, { ...shop, listeners: [plain, tls], rules: [login] });
    expect(JSON.stringify(readListener(aws, 80))).toContain('redirect');
  });

  it('leaves the listener as it is where a rule that goes serves its requests', () => {
    const { world, aws } = settled({ ...onPlain, rules: [rule('old'), rule('gone')] });
    const before = readListener(aws, 80);
    const rules = [{ ...login, paths: ['/old*'] }, rule('new')];
    applyAll(world, { ...shop, listeners, rules });
    expect(readListener(aws, 80)).toEqual(before);
  });

  it('says so of all that waits', () => {
    const { world, aws } = settled({ ...onPlain, rules: [rule('old')] });
    takePort(aws, 443);
    const rules = [{ ...login, paths: ['/old*'] }, rule('new')];
    applyAll(world, { ...shop, listeners: [plain, tls], rules });
    const { problems } = world.plan();
    const waiting = problems.filter(({ isUntried }) => isUntried);
    expect(waiting.map(({ id, reason, message }) => `${id} ${reason}: ${message}`)).toEqual(
      [
        ['listener/80', 'it'],
        ['rule/80/spec/login/0', 'it'],
        ['rule/80/spec/new/0', 'its listener'],
        ['rule/80/spec/old/0', 'its listener'],
      ].map(([id, what]) => {
        return `${id} PortConflict: stays as it is until listener/443 is made, to which ${what} is to redirect`;
      }),
    );
  });

  it('keeps nothing from being applied that has none of its requests', () => {
    const { world, aws } = settled({ ...onPlain, rules: [rule('old'), rule('gone')] });
    const rules = [login, rule('old'), rule('new')];
    const done = applyAll(world, { ...shop, listeners, rules });
    const ofRules = done.filter(({ id }) => id.startsWith('rule/'));
    expect(ofRules.map(({ operation, id }) => `${operation} ${id}`).toSorted()).toEqual([
      'CreateRule rule/80/spec/new/0',
      'DeleteRule rule/80/spec/gone/0',
    ]);
    expect(JSON.stringify(readListener(aws, 80))).toContain('/old');
  });

  it('leaves its requests to a rule that would give them up for it', () => {
    const { world, aws } = settled({ ...onPlain, rules: [{ ...rule('all'), paths: ['/*'] }] });
    const before = readListener(aws, 80);
    const rules = [rule('all'), { ...login, paths: ['/*'] }];
    applyAll(world, { ...shop, listeners, rules });
    expect(readListener(aws, 80)).toEqual(before);
  });

  it('leaves the order of the rules as it was where a rule that moves is to redirect', () => {
    const all = { ...rule('b'), paths: ['/*'] };
    const { world, aws } = settled({ ...onPlain, rules: [{ ...rule('a'), paths: ['/a'] }, all] });
    const before = readListener(aws, 80);
    const rules = [
      { ...rule('b'), paths: ['/b'] },
      { ...login, name: 'a', paths: ['/*'] },
    ];
    applyAll(world, { ...shop, listeners, rules });
    expect(readListener(aws, 80)).toEqual(before);
  });

  it('is the business of the user where no listener of the spec has its port', () => {
    const { world, aws } = settled({ ...onPlain, rules: [rule('login')] });
    applyAll(world, { ...shop, listeners: [plain], rules: [login] });
    expect(JSON.stringify(readListener(aws, 80))).toContain('redirect');
  });
});
