import { beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { accessCluster } from '../control-plane/cluster-access.ts';
import { readMyIngressDefinition } from '../unit/crds/custom-resource-definition.ts';
import { http, https, subnets, web } from '../unit/crds/rule-case.ts';
import {
  type ApiAnswer,
  callApi,
  createNamespace,
  installDefinition,
  pathOf,
  succeeded,
} from './crd-api.ts';

const cluster = accessCluster(inject('controlPlane'));
const definition = readMyIngressDefinition();
const api = { name: 'api', service: { name: 'api', port: 'http' } };
const rule = { name: 'web', paths: ['/web'], forward: [{ backend: 'web' }] };
const defaultAction = { forward: [{ backend: 'web' }] };
let namespace = '';
let count = 0;
let name = '';

beforeAll(async () => {
  await installDefinition(cluster, definition);
  namespace = await createNamespace(cluster, 'crd-managers');
});

beforeEach(() => {
  count += 1;
  name = `shop-${count}`;
});

function apply(manager: string, spec: object, force = false): Promise<ApiAnswer> {
  const path = `${pathOf(definition, namespace, name)}?fieldManager=${manager}&force=${force}`;
  const apiVersion = `${definition.spec.group}/v1`;
  const body = { apiVersion, kind: 'MyIngress', metadata: { name }, spec };
  return callApi(cluster, { method: 'PATCH', path, patch: 'apply', body });
}

async function specAfter(answer: Promise<ApiAnswer>): Promise<Record<string, unknown>> {
  return { ...succeeded(await answer).body.spec };
}

function keysOf(spec: Record<string, unknown>, list: string, key: string): readonly unknown[] {
  return (spec[list] as readonly Record<string, unknown>[]).map((item) => item[key]);
}

describe('two managers of one MyIngress', () => {
  it('have a backend and a listener each, and take back their own alone', async () => {
    const own = { subnets, backends: [web], listeners: [http], defaultAction };
    await specAfter(apply('platform', own));
    const both = await specAfter(apply('team', { backends: [api], listeners: [https] }));
    expect(keysOf(both, 'backends', 'name')).toEqual(['web', 'api']);
    expect(keysOf(both, 'listeners', 'port')).toEqual([80, 443]);
    expect(keysOf(await specAfter(apply('platform', own)), 'backends', 'name')).toEqual([
      'web',
      'api',
    ]);
    const back = await specAfter(apply('team', {}));
    expect(keysOf(back, 'backends', 'name')).toEqual(['web']);
    expect(keysOf(back, 'listeners', 'port')).toEqual([80]);
  });

  it('do not change a field of the same backend unasked', async () => {
    await specAfter(apply('platform', { subnets, backends: [web] }));
    const refused = await apply('team', {
      backends: [{ ...web, service: { name: 'web', port: 81 } }],
    });
    expect(refused.code).toBe(409);
    expect(refused.message).toContain('.spec.backends[name="web"].service');
  });

  it('share no rules: a second list is a conflict, and by force replaces the first', async () => {
    await specAfter(apply('platform', { subnets, backends: [web], rules: [rule] }));
    const others = { rules: [{ ...rule, name: 'other' }] };
    const refused = await apply('team', others);
    expect(refused.code).toBe(409);
    expect(refused.message).toContain('.spec.rules');
    expect(keysOf(await specAfter(apply('team', others, true)), 'rules', 'name')).toEqual([
      'other',
    ]);
  });

  it('share no certificates: a second list is a conflict, and by force replaces the first', async () => {
    const listen = (certificate: string): object => ({
      listeners: [{ ...https, certificates: [certificate] }],
    });
    const [first = '', second = ''] = ['1', '2'].map(
      (id) => `arn:aws:acm:eu-central-1:000000000000:certificate/${id}`,
    );
    await specAfter(apply('platform', { subnets, ...listen(first) }));
    const refused = await apply('team', listen(second));
    expect(refused.code).toBe(409);
    expect(refused.message).toContain('.spec.listeners[port=443].certificates');
    const spec = await specAfter(apply('team', listen(second), true));
    expect(keysOf(spec, 'listeners', 'certificates')).toEqual([[second]]);
  });

  it('share no default action: a second one is a conflict, and never joins the first', async () => {
    await specAfter(apply('platform', { subnets, backends: [web, api], defaultAction }));
    const others = { defaultAction: { forward: [{ backend: 'api' }] } };
    expect((await apply('team', others)).code).toBe(409);
    expect((await specAfter(apply('team', others, true)))['defaultAction']).toEqual(
      others.defaultAction,
    );
  });
});

describe('one manager of a MyIngress', () => {
  it('takes all traffic back to a balancer alone', async () => {
    await specAfter(
      apply('platform', { subnets, backends: [web], listeners: [http], rules: [rule] }),
    );
    const spec = await specAfter(apply('platform', { subnets }));
    expect(spec).toEqual({ subnets, scheme: 'internet-facing', deletionPolicy: 'Delete' });
  });

  it('finds its backends as it wrote them', async () => {
    const { backends } = await specAfter(apply('platform', { subnets, backends: [web] }));
    expect(backends).toEqual([web]);
  });
});
