import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatesBench } from './gates-bench.ts';

let cluster: GatesBench;

beforeEach(() => {
  cluster = new GatesBench();
});
afterEach(() => cluster.stop());

describe('a WebApp whose Service a MyIngress names', () => {
  it('has the gate from its first pod on where the MyIngress came first', async () => {
    await cluster.start();
    await cluster.createMyIngress();
    await cluster.createWebApp();
    expect(cluster.template).toBe('1: gated');
  });

  it('is rolled out once when the MyIngress comes, and once when it goes', async () => {
    await cluster.start();
    await cluster.createWebApp();
    expect(cluster.template).toBe('1: plain');
    await cluster.createMyIngress();
    expect(cluster.template).toBe('2: gated');
    await cluster.deleteMyIngress();
    await cluster.wait(15_000);
    expect(cluster.template).toBe('3: plain');
  });

  it('is not rolled out when the MyIngress is deleted and created again', async () => {
    await cluster.start();
    await cluster.createMyIngress();
    await cluster.createWebApp();
    await cluster.deleteMyIngress();
    await cluster.createMyIngress();
    await cluster.wait(60_000);
    expect(cluster.template).toBe('1: gated');
  });

  it('gets no gate while albridge would not open it', async () => {
    cluster.silent = /endpointslices/;
    await cluster.start();
    await cluster.createMyIngress();
    await cluster.createWebApp();
    expect(cluster.template).toBe('1: plain');
    await cluster.recover();
    expect(cluster.template).toBe('2: gated');
  });

  it('is served by an operator of its namespace as well', async () => {
    await cluster.start({ namespaces: ['web'] });
    await cluster.createMyIngress();
    await cluster.createWebApp();
    expect(cluster.template).toBe('1: gated');
  });

  it('has no gate where gates are off', async () => {
    await cluster.start({ readinessGates: false });
    await cluster.createMyIngress();
    await cluster.createWebApp();
    expect(cluster.template).toBe('1: plain');
  });
});

describe('after a restart the gate of a WebApp', () => {
  beforeEach(async () => {
    await cluster.start();
    await cluster.createMyIngress();
    await cluster.createWebApp();
    expect(cluster.template).toBe('1: gated');
  });

  it('stays', async () => {
    await cluster.restart();
    expect(cluster.template).toBe('1: gated');
  });

  it.each(['myingresses', 'endpointslices'])(
    'stays while the list of %s is not answered, also when its image is edited',
    async (plural) => {
      cluster.silent = new RegExp(plural);
      await cluster.restart();
      expect(cluster.template).toBe('1: gated');
      await cluster.editWebApp('nginx:2');
      expect(cluster.template).toBe('2: gated');
      await cluster.recover();
      expect(cluster.template).toBe('2: gated');
    },
  );

  it('goes when its MyIngress has gone meanwhile, as soon as that is known', async () => {
    await cluster.stop();
    await cluster.deleteMyIngress();
    cluster.silent = /myingresses/;
    await cluster.start();
    expect(cluster.template).toBe('1: gated');
    await cluster.recover();
    expect(cluster.template).toBe('2: plain');
  });

  it('goes where gates are off now', async () => {
    await cluster.restart({ readinessGates: false });
    expect(cluster.template).toBe('2: plain');
  });
});

describe.each([
  ['in plan mode', { 'albridge.io/mode': 'plan' }],
  ['paused', { 'albridge.io/paused': 'true' }],
])('an edit of a MyIngress that is %s', (_how, annotations) => {
  const others = { backends: [{ name: 'other', service: { name: 'other', port: 'http' } }] };

  it('leaves the pods of its WebApp as they are', async () => {
    await cluster.start();
    await cluster.createMyIngress();
    await cluster.createWebApp();
    await cluster.wait(60_000);
    await cluster.patchMyIngress({ metadata: { annotations }, spec: others });
    await cluster.wait(60_000);
    expect(cluster.template).toBe('1: gated');
  });
});

it('a WebApp says of its routes no more what was so before once no MyIngress is served', async () => {
  await cluster.start();
  await cluster.createWebApp({
    expose: { hosts: ['shop.example.com'], ingress: { name: 'none' } },
  });
  expect(cluster.exposed).toBe('IngressNotFound');
  cluster.silent = /myingresses/;
  await cluster.restart();
  expect(cluster.exposed).toBe('IngressNotFound');
  await cluster.recover();
  await cluster.restart({ kinds: ['webapp'] });
  expect(cluster.exposed).toBe('ExposureUnknown');
});
