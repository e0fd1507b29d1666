import { describe, expect, it } from 'vitest';
import { type FoundOperators, readOperators } from '../../../../src/cli/account/operators.ts';
import { createCluster, deployment } from './cluster-of-operators.ts';

const signal = new AbortController().signal;

describe('the operators of a cluster', () => {
  const rights = { 'albridge-system': ['*'], web: ['web'] };

  function summarise(found: FoundOperators | undefined): object | undefined {
    const places = (list: FoundOperators['others']) =>
      list.map(({ namespace, reach }) => [namespace, reach]);
    return found && { ...found, operators: places(found.operators), others: places(found.others) };
  }

  it('are those whose ServiceAccounts have the rights, in all namespaces or in theirs', async () => {
    const deployments = ['albridge-system', 'web', 'tenant'].map((namespace) =>
      deployment({ namespace }),
    );
    const { client } = createCluster({ deployments, rights });
    expect(summarise(await readOperators(client, { signal }))).toEqual({
      operators: [
        ['albridge-system', 'everywhere'],
        ['web', ['web']],
      ],
      others: [['tenant', []]],
      leftOut: 0,
    });
  });

  it('work in the namespaces of their settings too', async () => {
    const env = [{ name: 'ALBRIDGE_NAMESPACES', value: 'shop, mall' }];
    const { client } = createCluster({
      deployments: [deployment({ namespace: 'albridge-shop', env })],
      rights: { 'albridge-shop': ['shop'] },
    });
    const { operators = [] } = (await readOperators(client, { signal })) ?? {};
    expect(operators.map(({ reach }) => reach)).toEqual([['shop']]);
  });

  it('are found among any number of Deployments of a tenant, at a bounded number of requests', async () => {
    const long = Array.from({ length: 100 }, (_, index) => `n${index}`).join();
    const env = [{ name: 'ALBRIDGE_NAMESPACES', value: long }];
    const fakes = Array.from({ length: 300 }, (_, index) =>
      deployment({ namespace: 'a-tenant', name: `x${index}`, env }),
    );
    const deployments = [...fakes, deployment({ namespace: 'albridge-system' })];
    const { asked, client } = createCluster({ deployments, rights });
    const found = await readOperators(client, { signal });
    expect(found?.operators.map(({ namespace }) => namespace)).toEqual(['albridge-system']);
    expect([found?.others.length, found?.leftOut]).toEqual([7, 293]);
    expect(asked.length).toBeLessThan(80);
  });

  it('are tried from the oldest on, since no writer can set when a Deployment was created', async () => {
    const fakes = Array.from({ length: 20 }, (_, index) =>
      deployment({ namespace: `a${index}`, creationTimestamp: '2026-05-01T00:00:00Z' }),
    );
    const own = deployment({ namespace: 'web', creationTimestamp: '2026-01-01T00:00:00Z' });
    const { client } = createCluster({ deployments: [...fakes, own], rights });
    const found = await readOperators(client, { signal });
    expect(found?.operators.map(({ namespace }) => namespace)).toEqual(['web']);
  });

  it.each([
    ['albridge:0.1.0', '0.1.0'],
    ['registry.example:5000/albridge:0.1.0@sha256:c0ffee', '0.1.0'],
    ['registry.example:5000/albridge@sha256:c0ffee', undefined],
    ['registry.example:5000/albridge', undefined],
  ])('of the image %s have the version %s', async (image, version) => {
    const { client } = createCluster({ deployments: [deployment({ namespace: 'web', image })] });
    const found = await readOperators(client, { signal });
    expect(found?.others.map((one) => one.version)).toEqual([version]);
  });

  it.each([
    ['complete', { observedGeneration: 2, replicas: 2, updatedReplicas: 2 }, [2, true]],
    ['not begun', { observedGeneration: 1, replicas: 2, updatedReplicas: 2 }, [0, false]],
    [
      'stuck at its first pod',
      { observedGeneration: 2, replicas: 3, updatedReplicas: 1 },
      [1, false],
    ],
    [
      'left with an old pod',
      { observedGeneration: 2, replicas: 3, updatedReplicas: 2 },
      [2, false],
    ],
    ['without pods', { observedGeneration: 2 }, [0, false]],
  ])('have a rollout that is %s', async (_, status, expected) => {
    const deployments = [deployment({ namespace: 'web', generation: 2, status })];
    const { client } = createCluster({ deployments, rights });
    const [one] = (await readOperators(client, { signal }))?.operators ?? [];
    expect([one?.updatedReplicas, one?.isRolledOut]).toEqual(expected);
  });

  it('are not known where the caller may not list them, or ask for their rights', async () => {
    const deployments = [deployment({ namespace: 'tenant' })];
    const hidden = createCluster({ deployments, refused: 'deployments' });
    expect(await readOperators(hidden.client, { signal })).toBeUndefined();
    const unasked = createCluster({ deployments, refused: 'reviews' });
    expect(summarise(await readOperators(unasked.client, { signal }))).toMatchObject({
      operators: [['tenant', 'unknown']],
    });
  });
});

describe('the environment of a Deployment', () => {
  const fromMap = (name: string, map: string, key: string): object => {
    return { name, valueFrom: { configMapKeyRef: { name: map, key } } };
  };

  async function read(env: readonly object[]) {
    const deployments = [deployment({ namespace: 'web', env })];
    const configMaps = { region: 'eu-west-1' };
    const rights = { web: ['*'] };
    const { asked, client } = createCluster({ deployments, configMaps, rights });
    const found = await readOperators(client, { signal });
    const paths = asked.filter((path) => path.includes('/configmaps/'));
    return { read: found?.operators[0]?.env, asked: paths };
  }

  it('is that of its ConfigMaps', async () => {
    const env = [{ name: 'ALBRIDGE_KINDS', value: 'myapp' }, fromMap('AWS_REGION', 'm', 'region')];
    const { read: got } = await read(env);
    expect(got).toEqual({ ALBRIDGE_KINDS: 'myapp', AWS_REGION: 'eu-west-1' });
  });

  it('has its own namespace, as deploy/overlays/namespaced names it', async () => {
    const fieldRef = { fieldPath: 'metadata.namespace' };
    const { read: got } = await read([{ name: 'ALBRIDGE_NAMESPACES', valueFrom: { fieldRef } }]);
    expect(got).toEqual({ ALBRIDGE_NAMESPACES: 'web' });
  });

  it('has no value for a key that its ConfigMap lacks', async () => {
    const { read: got } = await read([fromMap('AWS_REGION', 'm', 'constructor')]);
    expect(got?.['AWS_REGION']).toBeUndefined();
  });

  it('costs no request for variables that nothing here reads, or that are overwritten', async () => {
    const many = Array.from({ length: 50 }, (_, index) => fromMap('AWS_REGION', `m${index}`, 'x'));
    const { asked } = await read([fromMap('OTHER', 'o', 'x'), ...many]);
    expect(asked).toEqual(['/api/v1/namespaces/web/configmaps/m49']);
  });
});
