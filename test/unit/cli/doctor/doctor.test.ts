import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPERATOR_RIGHTS, renderOperatorRights } from '../../../../deploy/operator-rights.ts';
import {
  compilePolicy,
  type Policy,
} from '../../../../localstack/embedded/iam/policy-evaluation.ts';
import manifest from '../../../../package.json' with { type: 'json' };
import type { FoundOperators, Operator } from '../../../../src/cli/account/operators.ts';
import type { CommandContext } from '../../../../src/cli/command.ts';
import { doctor } from '../../../../src/cli/commands/doctor.ts';
import { checkClock } from '../../../../src/cli/doctor/check.ts';
import { judgeReads, judgeSubnets } from '../../../../src/cli/doctor/check-account.ts';
import {
  checkDefinitions,
  checkServer,
  judgeFields,
} from '../../../../src/cli/doctor/check-cluster.ts';
import {
  checkLeases,
  chooseLeases,
  judgeClusterIds,
  judgeDeployments,
  judgeLease,
} from '../../../../src/cli/doctor/check-operator.ts';
import { parseRight } from '../../../../src/cli/doctor/check-rights.ts';
import {
  choosePrincipal,
  explainRefusal,
  judgeWrites,
  planSimulations,
} from '../../../../src/cli/doctor/check-writes.ts';
import { OUR_KINDS } from '../../../../src/cli/objects/kinds.ts';
import { settings } from '../../../../src/config/settings.ts';
import { KubeError } from '../../../../src/kube/client/kube-error.ts';
import { systemClock } from '../../../../src/system-clock.ts';
import { versions } from '../../../control-plane/versions.ts';
import { ScriptedTransport } from '../../../fakes/scripted-transport.ts';
import { awsError } from '../../aws/client/scripted-aws-api.ts';

const root = resolve(import.meta.dirname, '../../../..');
const now = Date.parse('2026-01-01T00:10:00Z');

describe('the version of the API server', () => {
  const [, minor = ''] = versions.oldestKubernetes.split('.');
  it.each([
    [`${minor}+`, 'ok'],
    [`${Number(minor) - 1}`, 'failed'],
  ])('of minor %s, where the oldest is promised, is %s', async (number, verdict) => {
    const answer = { status: 200, json: { minor: number, gitVersion: 'v1' } };
    const access = { transport: new ScriptedTransport(() => answer), cluster: { server: 'x' } };
    const { signal } = new AbortController();
    const [check] = await checkServer(access as never, { clock: systemClock, signal });
    expect(check).toMatchObject({ name: 'API server', verdict });
  });
});

describe('an interruption', () => {
  it('is no failure of a check: nothing is printed', async () => {
    const printed: unknown[] = [];
    const signal = AbortSignal.abort(new Error('interrupted'));
    const refuse = { request: () => Promise.reject(signal.reason) };
    const context = {
      ...{
        signal,
        clock: systemClock,
        surroundings: { signal, clock: systemClock, stderr: { isTTY: false, write: () => {} } },
      },
      cluster: () => ({ cluster: { server: 'https://a.example' }, client: {}, transport: refuse }),
      output: { print: (data: unknown) => printed.push(data) },
    } as unknown as CommandContext;
    await expect(doctor.run(context)).rejects.toThrow('interrupted');
    expect(printed).toEqual([]);
  });
});

describe('the clock', () => {
  it.each([
    ['2026-01-01T00:10:03Z', 'ok'],
    ['2026-01-01T00:09:30Z', 'warning'],
    ['2026-01-01T00:15:00Z', 'failed'],
    [undefined, 'not checked'],
  ])('against %s is %s', (time, verdict) => {
    const date = time && new Date(time).toUTCString();
    expect(checkClock('AWS', date, now).verdict).toBe(verdict);
  });
});

describe('a CRD', () => {
  it.each([
    [{ missing: [], unknown: [] }, 'ok', /has the fields/],
    [
      { missing: ['spec.a', 'spec.b', 'spec.c', 'spec.d'], unknown: [] },
      'failed',
      /^older .* spec.c, and 1 more$/,
    ],
    [{ missing: [], unknown: ['spec.x'] }, 'warning', /^newer .* spec.x$/],
  ])('with %j is %s', (difference, verdict, says) => {
    const check = judgeFields({ kind: 'MyApp', ...difference });
    expect(check).toMatchObject({ verdict, message: expect.stringMatching(says) });
  });
});

it('a CRD whose fields are not served yet is not checked, and the others are', async () => {
  const groups = new Set(OUR_KINDS.map(({ group }) => group));
  const [young] = groups;
  const client = {
    request: async ({ path }: { readonly path: string }) => {
      if (path.startsWith(`/openapi/v3/apis/${young}/`))
        throw new KubeError({ status: 404, reason: 'NotFound', message: 'not found' });
      if (path.startsWith('/openapi/')) return {};
      return { resources: OUR_KINDS.map(({ plural }) => ({ name: plural })) };
    },
  };
  const { signal } = new AbortController();
  const { checks } = await checkDefinitions({ client } as never, signal);
  const own = OUR_KINDS.filter(({ group }) => group === young).map(({ kind }) => `CRD ${kind}`);
  expect(checks.map(({ name }) => name)).toEqual(OUR_KINDS.map(({ kind }) => `CRD ${kind}`));
  for (const check of checks) {
    expect(check).toMatchObject(
      own.includes(check.name)
        ? {
            verdict: 'not checked',
            next: expect.stringMatching(/^run albridge doctor again; if it persists, check/),
          }
        : { verdict: 'ok' },
    );
  }
});

function operator(more: Partial<Operator> = {}): Operator {
  return {
    ...{ namespace: 'a', name: 'albridge', user: 'system:serviceaccount:a:albridge' },
    ...{ version: manifest.version, replicas: 2, readyReplicas: 2, env: {} },
    ...{ updatedReplicas: 2, isRolledOut: true },
    reach: 'everywhere',
    ...more,
  };
}

describe('the operator', () => {
  const found = (more: Partial<FoundOperators>): FoundOperators => {
    return { operators: [], others: [], leftOut: 0, ...more };
  };

  it.each([
    ['unknown', undefined, ['not checked']],
    ['absent', found({}), ['failed']],
    ['ready', found({ operators: [operator()] }), ['ok']],
    ['not ready', found({ operators: [operator({ readyReplicas: 0 })] }), ['failed']],
    ['ready in part', found({ operators: [operator({ readyReplicas: 1 })] }), ['warning']],
    [
      'of another version',
      found({ operators: [operator({ version: '0.0.1' }), operator()] }),
      ['warning', 'ok'],
    ],
    ['of no known version', found({ operators: [operator({ version: undefined })] }), ['ok']],
    ['without its rights', found({ others: [operator({ reach: [] })] }), ['failed']],
    [
      'next to what is not one',
      found({ operators: [operator()], others: [operator({ reach: [] })], leftOut: 9 }),
      ['ok', 'warning', 'not checked'],
    ],
  ])('that is %s is judged', (_name, operators, verdicts) => {
    expect(judgeDeployments(operators).map(({ verdict }) => verdict)).toEqual(verdicts);
  });

  it('whose rollout hangs is not taken for its new version', () => {
    const hanging = operator({ updatedReplicas: 1, isRolledOut: false });
    expect(judgeDeployments(found({ operators: [hanging] }))).toEqual([
      {
        name: 'operator',
        verdict: 'warning',
        message: `a/albridge: 2 of 2 pods ready, 1 updated to version ${manifest.version}: its rollout is not complete`,
        next: 'kubectl -n a rollout status deployment albridge says what it waits for, and kubectl -n a get pods -l app.kubernetes.io/name=albridge which pod is not ready',
      },
    ]);
  });

  it.each([
    [0, 'kubectl -n a describe deployment albridge'],
    [1, 'kubectl -n a rollout status deployment albridge'],
  ])('of another version with %s of 2 pods ready has both next steps', (readyReplicas, start) => {
    const operators = [operator({ readyReplicas, version: '0.0.1' })];
    const [check] = judgeDeployments(found({ operators }));
    expect(check?.next).toContain(start);
    expect(check?.next).toContain(
      `; the command line is ${manifest.version}: use the same version`,
    );
  });

  it('whose rollout hangs has no version yet to compare', () => {
    const hanging = operator({ updatedReplicas: 1, isRolledOut: false, version: '0.0.1' });
    const [check] = judgeDeployments(found({ operators: [hanging] }));
    expect(check?.next).not.toContain('the command line is');
  });

  it('leads by the Lease of its namespace, whatever others make', () => {
    const lease = (namespace: string): Parameters<typeof judgeLease>[0] => {
      const metadata = { name: 'albridge', namespace };
      return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata };
    };
    const many = Array.from({ length: 50 }, (_, index) => lease(`tenant-${index}`));
    const [own] = chooseLeases([...many, lease('a')], [operator()]);
    expect(own).toEqual(lease('a'));
    expect(chooseLeases(many, [operator()])).toHaveLength(8);
  });

  it.each([
    ['held', { holderIdentity: 'x', renewTime: '2026-01-01T00:09:50.000000Z' }, 'ok'],
    ['expired', { holderIdentity: 'x', renewTime: '2026-01-01T00:09:40.000000Z' }, 'failed'],
    ['released', { holderIdentity: '', renewTime: '2026-01-01T00:09:59.000000Z' }, 'failed'],
  ])('with a Lease that is %s', (_name, spec, verdict) => {
    const metadata = { name: 'albridge', namespace: 'a' };
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
    expect(judgeLease(lease, now).verdict).toBe(verdict);
  });

  const two = (one: Operator['env'], other: Operator['env']) => [
    operator({ env: one }),
    operator({ namespace: 'b', env: other }),
  ];

  it.each([
    ['alone', [operator()], 'ok'],
    ['twice, in every namespace', two({}, {}), 'failed'],
    ['twice, with one in every namespace', two({}, { ALBRIDGE_NAMESPACES: 'x' }), 'failed'],
    [
      'twice, in a common namespace',
      two({ ALBRIDGE_NAMESPACES: 'x,y' }, { ALBRIDGE_NAMESPACES: 'y' }),
      'failed',
    ],
    [
      'twice, in different namespaces',
      two({ ALBRIDGE_NAMESPACES: 'x' }, { ALBRIDGE_NAMESPACES: 'y' }),
      'ok',
    ],
    ['twice, with different ids', two({}, { ALBRIDGE_CLUSTER_ID: 'b' }), 'failed'],
    ['twice, once without balancers', two({}, { ALBRIDGE_KINDS: 'myapp' }), 'ok'],
  ])('%s', (_name, operators, verdict) => {
    expect(judgeClusterIds(operators).map((check) => check.verdict)).toEqual([verdict]);
  });

  it.each([
    [
      two({}, { ALBRIDGE_CLUSTER_ID: 'u1' }),
      'a/albridge and b/albridge serve the same namespaces and have the same id, u1',
    ],
    [
      two({}, { ALBRIDGE_CLUSTER_ID: 'x' }),
      'a/albridge and b/albridge serve the same namespaces, with the ids u1 and x',
    ],
    [
      [
        ...two({ ALBRIDGE_NAMESPACES: 'x' }, { ALBRIDGE_NAMESPACES: 'y' }),
        operator({ namespace: 'c', env: { ALBRIDGE_NAMESPACES: 'y' } }),
      ],
      'b/albridge and c/albridge serve the same namespaces and have the same id, u1',
    ],
  ])('those of the same namespaces are named with their ids', (operators, message) => {
    expect(judgeClusterIds(operators, 'u1')).toMatchObject([{ message }]);
  });
});

describe('the rights of the operator', () => {
  it('are those of deploy/components: run `npm run gen`', () => {
    expect(readFileSync(resolve(root, OPERATOR_RIGHTS), 'utf8')).toBe(renderOperatorRights());
  });

  it('are asked for by verb, resource, subresource and group', () => {
    expect(parseRight('patch myapps/status demo.rtfm.co.ua', 'shop')).toEqual({
      ...{ verb: 'patch', group: 'demo.rtfm.co.ua', resource: 'myapps', subresource: 'status' },
      namespace: 'shop',
    });
    expect(parseRight('list pods', undefined)).toEqual({
      verb: 'list',
      group: '',
      resource: 'pods',
    });
  });
});

describe('the writes to AWS', () => {
  const ROLE = 'arn:aws:iam::111122223333:role/albridge';
  const aws = { region: 'eu-central-1' } as Parameters<typeof planSimulations>[1]['aws'];
  const simulations = planSimulations(ROLE, { aws, clusterId: 'c1' });

  /** Asked as IAM would be: every action on every resource. */
  function countRefused(clusterId: string): number {
    const text = readFileSync(resolve(root, 'deploy/iam/policy.json'), 'utf8')
      .replaceAll('CLUSTER_ID', clusterId)
      .replaceAll('ACCOUNT_ID', '111122223333')
      .replaceAll('REGION', 'eu-central-1');
    const decide = compilePolicy(JSON.parse(text) as Policy);
    const questions = simulations.flatMap(({ actions, resources, context }) =>
      actions.flatMap((action) => resources.map((resource) => ({ action, resource, context }))),
    );
    expect(questions.length).toBeGreaterThan(25);
    return questions.filter((question) => decide(question).kind !== 'allowed').length;
  }

  it('are all allowed by the shipped policy for this cluster, and hardly one for another', () => {
    expect(countRefused('c1')).toBe(0);
    expect(countRefused('c2')).toBeGreaterThan(25);
  });

  it.each([
    {
      why: 'the role of the operator',
      caller: 'arn:aws:iam::1:root',
      roles: [ROLE],
      principal: { arn: ROLE, isOperator: true },
    },
    {
      why: 'the role of the caller, where operators have several',
      caller: 'arn:aws:sts::1:assumed-role/admin/me',
      roles: [ROLE, `${ROLE}-2`],
      principal: { arn: 'arn:aws:iam::1:role/admin', isOperator: false },
    },
    {
      why: 'the role of the caller',
      caller: 'arn:aws-cn:sts::1:assumed-role/admin/me',
      principal: { arn: 'arn:aws-cn:iam::1:role/admin', isOperator: false },
    },
    {
      why: 'a user',
      caller: 'arn:aws:iam::1:user/me',
      principal: { arn: 'arn:aws:iam::1:user/me', isOperator: false },
    },
    { why: 'nobody', caller: 'arn:aws:iam::1:root', principal: undefined },
  ])('are asked about $why', ({ caller, roles = [], principal }) => {
    expect(choosePrincipal(caller, roles)).toEqual(principal);
  });

  it.each([
    ['AccessDenied', /^allow iam:SimulatePrincipalPolicy to yourself, or compare/],
    ['NoSuchEntity', /^the role has a path that STS leaves out, as SSO roles do, or .*docs\/iam/],
    ['Throttling', /^try again in a minute; if it persists, check the way to IAM/],
    ['ENOTFOUND', /^try again in a minute; if it persists, check the way to IAM/],
  ])('are not checked where IAM answers %s', (errorCode, next) => {
    const arn = 'arn:aws:iam::1:role/AWSReservedSSO_Admin_0a1b';
    expect(explainRefusal({ arn, isOperator: false }, awsError(errorCode))).toMatchObject({
      ...{ verdict: 'not checked', message: expect.stringContaining(errorCode) },
      next: expect.stringMatching(next),
    });
  });

  it('are not checked where a page of something else comes in place of IAM', () => {
    const page = Object.assign(new Error('Unknown'), {
      ...{ name: 'Unknown', $fault: 'client', $metadata: { httpStatusCode: 403 } },
    });
    const { message } = explainRefusal({ arn: ROLE, isOperator: true }, page);
    expect(message).toBe('IAM does not answer: the server answers HTTP 403, and not as AWS does');
  });

  it('fail where the operator lacks one, and warn where only the caller does', () => {
    const refused = ['elasticloadbalancing:CreateRule'];
    const verdict = (isOperator: boolean): string =>
      judgeWrites({ arn: ROLE, isOperator }, refused).verdict;
    expect([verdict(true), verdict(false)]).toEqual(['failed', 'warning']);
    expect(judgeWrites({ arn: ROLE, isOperator: true }, []).verdict).toBe('ok');
  });
});

describe('the reads of AWS', () => {
  it('fail one by one', () => {
    const refused = [{ action: 'ec2:DescribeSubnets', said: 'denied' }];
    const checks = judgeReads({ allowed: ['a'], refused, unasked: ['b'] });
    expect(checks.map(({ name, verdict }) => [name, verdict])).toEqual([
      ['AWS reads', 'ok'],
      ['AWS read ec2:DescribeSubnets', 'failed'],
    ]);
    expect(checks[0]?.message).toBe('1 operations answered; not asked, for lack of a resource: b');
  });
});

describe('the subnets', () => {
  it('are those that would be chosen, with their free addresses', () => {
    const tagged = [
      { id: 'subnet-1', freeAddresses: 9 },
      { id: 'subnet-2', freeAddresses: 2 },
    ];
    const role = 'elb';
    const chosen = judgeSubnets('x', {
      role,
      tagged,
      choice: { kind: 'chosen', subnets: ['subnet-1'] },
    });
    expect(chosen).toMatchObject({ verdict: 'ok', message: 'subnet-1 (9 free)' });
    const leftOut = [{ id: 'subnet-2', why: '2 free addresses' }];
    const few = judgeSubnets('x', {
      role,
      tagged,
      choice: { kind: 'too-few', usable: [], leftOut },
    });
    expect(few.message).toMatch(/kubernetes\.io\/role\/elb; left out subnet-2: 2 free addresses$/);
    const ambiguous = judgeSubnets('x', {
      role,
      tagged,
      choice: { kind: 'ambiguous', usable: [] },
    });
    expect(ambiguous.verdict).toBe('warning');
  });
});

it.each([
  [{ ALBRIDGE_MODE: 'observe' }, 'ok'],
  [{ ALBRIDGE_LEADER_ELECTION: 'off' }, 'ok'],
  [{ ALBRIDGE_MODE: 'observe', ALBRIDGE_LEADER_ELECTION: 'on' }, 'failed'],
  [{}, 'failed'],
])('an empty Lease next to an operator with %j is %s', async (env, verdict) => {
  const metadata = { name: 'albridge', namespace: 'a' };
  const list = { metadata: { resourceVersion: '1' }, items: [{ metadata, spec: {} }] };
  const client = { request: async () => list };
  const { signal } = new AbortController();
  const found = { operators: [operator({ env })], others: [], leftOut: 0 };
  const checks = await checkLeases({ client } as never, found, { clock: systemClock, signal });
  expect(checks.map((check) => check.verdict)).toEqual([verdict]);
});

it('a missing Lease is explained by the value that docs/configuration.md has', async () => {
  const client = { request: async () => ({ metadata: { resourceVersion: '1' }, items: [] }) };
  const { signal } = new AbortController();
  const asked = { clock: systemClock, signal };
  const [check] = await checkLeases({ client } as never, undefined, asked);
  const [, value = ''] = /ALBRIDGE_LEADER_ELECTION=(\w+)/.exec(check?.next ?? '') ?? [];
  expect(settings.leaderElection.accepts.split(' or ')).toContain(value);
});
