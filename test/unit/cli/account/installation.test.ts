import { describe, expect, it } from 'vitest';
import {
  decideInstallation,
  type Installation,
  type ReadSettings,
  readInstallation,
} from '../../../../src/cli/account/installation.ts';
import type { Operator } from '../../../../src/cli/account/operators.ts';
import { SettingError } from '../../../../src/cli/errors.ts';
import { createCluster, deployment, named, UID } from './cluster-of-operators.ts';

const REGION = { AWS_REGION: 'eu-central-1' };

/** An operator with rights in all namespaces, or only in some. */
function work(env: Operator['env'], reach: Operator['reach'] = 'everywhere'): Operator {
  return {
    ...{ namespace: 'albridge-system', name: 'albridge', version: '0.0.1', env, reach },
    ...{ user: 'system:serviceaccount:albridge-system:albridge', replicas: 2, readyReplicas: 2 },
    ...{ updatedReplicas: 2, isRolledOut: true },
  };
}

function decide(
  read: Partial<ReadSettings>,
  env: Readonly<Record<string, string>> = {},
): Installation {
  return decideInstallation({ operators: [], systemUid: UID, ...read }, { ...REGION, ...env });
}

const BLUE = { ALBRIDGE_CLUSTER_ID: 'blue' };
const GREEN = { ALBRIDGE_CLUSTER_ID: 'green' };

describe('the id of the cluster', () => {
  it('is the UID of kube-system by default', () => {
    expect(decide({})).toMatchObject({ clusterId: UID, doubt: undefined });
    expect(decide({ operators: [work({})] })).toMatchObject({ clusterId: UID, doubt: undefined });
  });

  it('is that of the operator, and counts as proved only if the caller names it too', () => {
    const operators = [work(BLUE)];
    expect(decide({ operators })).toMatchObject({
      clusterId: 'blue',
      doubt: expect.stringMatching(/not proved: .* and set ALBRIDGE_CLUSTER_ID to it$/),
    });
    expect(decide({ operators }, BLUE)).toMatchObject({ clusterId: 'blue', doubt: undefined });
  });

  it.each([
    { why: 'the caller alone', operators: [], says: /use the kubeconfig of the cluster/ },
    { why: 'another operator', operators: [work(GREEN)], says: /use the kubeconfig/ },
    {
      why: 'one of two operators',
      operators: [work(BLUE), { ...work(GREEN), name: 'other' }],
      says: /different ids, blue \(albridge-system\/albridge\) and green \(albridge-system\/other\); remove/,
    },
    {
      why: 'one of two operators, of which the other has the UID',
      operators: [work(BLUE), work({})],
      says: /have different ids/,
    },
    {
      why: 'what may be no operator',
      operators: [work(BLUE, 'unknown')],
      says: /ask a cluster administrator/,
    },
    {
      why: 'an operator of one namespace',
      operators: [work(BLUE, ['web'])],
      says: /in all namespaces, since its operator may work only in web: give one by -n/,
    },
    {
      why: 'an operator of another namespace',
      operators: [work(BLUE, ['web'])],
      namespace: 'shop',
      says: /not proved/,
    },
    {
      why: 'an operator without balancers',
      operators: [work({ ...BLUE, ALBRIDGE_KINDS: 'myapp' })],
      says: /not proved/,
    },
  ])('is not proved by $why', ({ operators, namespace, says }) => {
    const { clusterId, doubt } = decide({ operators, namespace }, BLUE);
    expect(clusterId).toBe('blue');
    expect(doubt).toMatch(says);
  });

  it('is not proved for a caller who may read nothing, and asks for the rights', () => {
    expect(decide({ systemUid: undefined }, BLUE).doubt).toBe(
      'that blue is the id of this cluster is not proved: use the kubeconfig of the cluster whose operator has it, with the rights to get the namespace kube-system and to list Deployments in all namespaces, which prove it',
    );
  });

  it('is proved for its namespace by an operator that works there', () => {
    const operators = [work(BLUE, ['web']), work(GREEN, ['shop'])];
    expect(decide({ operators, namespace: 'web' }, BLUE).doubt).toBeUndefined();
    expect(decide({ operators, namespace: 'shop' }, GREEN).doubt).toBeUndefined();
    expect(decide({ operators, namespace: 'shop' }, BLUE).doubt).toMatch(/not proved/);
  });

  it('is asked for where operators differ, or nothing can be read', () => {
    expect(() => decide({ operators: [work(BLUE), work(GREEN)] })).toThrow(
      'operators of this cluster have different ids (blue, green): set ALBRIDGE_CLUSTER_ID to one of them',
    );
    expect(() => decide({ systemUid: undefined })).toThrow(
      /cannot be read: set ALBRIDGE_CLUSTER_ID/,
    );
  });
});

describe('a Deployment that a tenant has labelled', () => {
  const operator = deployment({ namespace: 'albridge-system' });
  const fake = deployment({ namespace: 'tenant', env: named('blue') });
  const rights = { 'albridge-system': ['*'], tenant: [] };
  const signal = new AbortController().signal;

  it('does not prove a stale id of the caller', async () => {
    const { client } = createCluster({ deployments: [operator, fake], rights });
    const env = { ...REGION, ...BLUE };
    expect(await readInstallation(client, { env, signal })).toMatchObject({
      clusterId: 'blue',
      doubt: expect.stringMatching(/^that blue is the id of this cluster is not proved/),
    });
  });

  it('does not prove it for another namespace, if the tenant may do everything in his own', async () => {
    const all = { ...rights, tenant: ['tenant'] };
    const { client } = createCluster({ deployments: [operator, fake], rights: all });
    const env = { ...REGION, ...BLUE };
    for (const namespace of [undefined, 'shop', 'tenant']) {
      const { doubt } = await readInstallation(client, { env, signal, namespace });
      expect(doubt).toMatch(/not proved/);
    }
  });

  it('changes neither the id nor the settings', async () => {
    const settings = [...named('blue'), { name: 'AWS_REGION', value: 'us-east-1' }];
    const other = deployment({ namespace: 'tenant', env: settings });
    const { client } = createCluster({ deployments: [other, operator], rights });
    expect(await readInstallation(client, { env: REGION, signal })).toMatchObject({
      ...{ clusterId: UID, doubt: undefined, warnings: [], aws: { region: 'eu-central-1' } },
    });
  });

  it('proves nothing where the caller may not ask for its rights', async () => {
    const { client } = createCluster({ deployments: [fake], refused: 'reviews' });
    const env = { ...REGION, ...BLUE };
    const { doubt } = await readInstallation(client, { env, signal });
    expect(doubt).toMatch(
      /only the right to create SubjectAccessReviews lets albridge tell an operator/,
    );
  });
});

describe('an operator whose settings the caller may not read', () => {
  const configMapKeyRef = { name: 'albridge-settings', key: 'ALBRIDGE_CLUSTER_ID' };
  const env = [{ name: 'ALBRIDGE_CLUSTER_ID', valueFrom: { configMapKeyRef } }];
  const deployments = [deployment({ namespace: 'albridge-system', env })];
  const rights = { 'albridge-system': ['*'] };
  const signal = new AbortController().signal;

  async function listWarnings(own: object, refused?: 'configmaps'): Promise<readonly string[]> {
    const { client } = createCluster({ deployments, rights, ...(refused && { refused }) });
    return (await readInstallation(client, { env: { ...REGION, ...own }, signal })).warnings;
  }

  it('may have another id than the default one', async () => {
    expect(await listWarnings({}, 'configmaps')).toEqual([
      'you may not read the ConfigMap albridge-settings of the operator albridge-system/albridge, so that its ALBRIDGE_CLUSTER_ID is not known: ask for the right to get it, or set ALBRIDGE_CLUSTER_ID to the id in the operator\'s log line "working"',
    ]);
    expect(await listWarnings({ ALBRIDGE_CLUSTER_ID: UID }, 'configmaps')).toEqual([]);
  });

  it('has the default one where its ConfigMap has none', async () => {
    expect(await listWarnings({})).toEqual([]);
  });

  it('is not asked about where another operator gives the id', () => {
    const hidden = { ...work({ ALBRIDGE_NAMESPACES: 'shop' }), hiddenIn: 'albridge-settings' };
    const operators = [work({ ...BLUE, ALBRIDGE_NAMESPACES: 'web' }, ['web']), hidden];
    const { clusterId, warnings } = decide({ operators, systemUid: undefined });
    expect([clusterId, warnings]).toEqual(['blue', []]);
  });
});

it('says how many Deployments were not read, one of which may have any id', async () => {
  const places = Array.from({ length: 9 }, (_, index) => `team-${index}`);
  const deployments = places.map((namespace) => deployment({ namespace, env: named('green') }));
  const rights = Object.fromEntries(places.map((place) => [place, [place]]));
  const { client } = createCluster({ deployments, rights });
  const { signal } = new AbortController();
  const env = { ...REGION, ...BLUE };
  const installation = await readInstallation(client, { env, signal });
  expect(installation).toMatchObject({ leftOut: 1, warnings: [] });
});

it('hands on the operators that serve MyIngress: those with its id, and the others', () => {
  const own = work({ ...BLUE, ALBRIDGE_NAMESPACES: 'web' });
  const other = work(GREEN);
  const operators = [own, other, work({ ...BLUE, ALBRIDGE_KINDS: 'webapp' })];
  const serving = [own, other];
  expect(decide({ operators }, BLUE)).toMatchObject({ operators: [own], others: [other], serving });
});

describe('the settings of AWS', () => {
  const operator = work({
    AWS_REGION: 'us-east-1',
    ALBRIDGE_VPC_ID: 'vpc-1',
    AWS_ENDPOINT_URL: 'https://elsewhere.example',
    HTTPS_PROXY: 'http://proxy.example:3128',
  });

  it('are those of the operator, but for endpoints and proxies', () => {
    const read = { operators: [operator], systemUid: UID };
    const { aws, warnings } = decideInstallation(read, {});
    expect(aws).toMatchObject({ region: 'us-east-1', vpcId: 'vpc-1' });
    expect([aws.endpoint, aws.proxy]).toEqual([undefined, undefined]);
    expect(warnings).toEqual([]);
  });

  it("may name the caller's proxy in lower case, which counts where the upper is not set", () => {
    const lower = { https_proxy: 'http://lower.example:3128', no_proxy: '.vpce.amazonaws.com' };
    const proxyOf = (env: Readonly<Record<string, string>>): object | undefined =>
      decide({}, env).aws.proxy;
    expect(proxyOf(lower)).toEqual({ url: lower.https_proxy, except: lower.no_proxy });
    expect(proxyOf({ ...lower, HTTPS_PROXY: 'http://upper.example:3128' })).toEqual({
      url: 'http://upper.example:3128',
      except: lower.no_proxy,
    });
  });

  it("are the caller's first, who is warned of another region", () => {
    const { aws, warnings } = decide({ operators: [operator] }, { ALBRIDGE_VPC_ID: 'vpc-2' });
    expect(aws).toMatchObject({ region: 'eu-central-1', vpcId: 'vpc-2' });
    expect(warnings).toEqual([
      'AWS_REGION is eu-central-1, the operator works in us-east-1: set it to that, or unset it',
    ]);
    const other = decide(
      { operators: [operator] },
      { AWS_REGION: '', AWS_DEFAULT_REGION: 'us-west-2' },
    );
    expect(other.aws.region).toBe('us-west-2');
  });

  it('do not hide that the id of the caller is that of no operator here', () => {
    const says =
      'ALBRIDGE_CLUSTER_ID is blue, the operator has green: unset it, or choose its cluster';
    expect(decide({ operators: [work(GREEN)] }, BLUE).warnings).toEqual([says]);
    expect(decide({ operators: [work(GREEN), work(BLUE)] }, BLUE).warnings).toEqual([]);
    expect(decide({ operators: [] }, BLUE).warnings).toEqual([]);
    const hidden = { ...work({}), hiddenIn: 'albridge-settings' };
    expect(decide({ operators: [hidden] }, BLUE).warnings).toEqual([]);
    const unread = { operators: [work(GREEN), work({})], systemUid: undefined };
    expect(decide(unread, { ALBRIDGE_CLUSTER_ID: UID }).warnings).toEqual([]);
  });

  it('are asked for where operators differ, since anyone who may create a Deployment may add one', () => {
    const operators = [
      work({ AWS_REGION: 'us-east-2' }),
      operator,
      work({ ALBRIDGE_VPC_ID: 'vpc-3' }),
    ];
    const read = { operators, systemUid: UID };
    expect(() => decideInstallation(read, {})).toThrow(
      'operators of this cluster differ in AWS_REGION (us-east-2, us-east-1): set it to that of one of them',
    );
    expect(() => decideInstallation(read, REGION)).toThrow(/differ in ALBRIDGE_VPC_ID/);
    expect(decide({ operators }, { ALBRIDGE_VPC_ID: 'vpc-1' }).aws).toMatchObject({
      ...{ region: 'eu-central-1', vpcId: 'vpc-1' },
    });
  });

  it('name what is missing or wrong', () => {
    expect(() => decide({}, { AWS_REGION: '' })).toThrow('AWS_REGION is not set: set it to');
    expect(() => decide({}, { AWS_REGION: '' })).not.toThrow(SettingError);
    expect(() => decide({}, { AWS_REGION: 'mars' })).toThrow('AWS_REGION="mars": expected');
    expect(() => decide({}, { AWS_ENDPOINT_URL: 'foo' })).toThrow(SettingError);
  });
});
