import { describe, expect, it, vi } from 'vitest';
import { serveAwsForTests } from '../../localstack/http/served-aws.ts';
import { type Answer, CliPlace } from '../cli-place.ts';
import { type CliRun, runCli } from '../run-cli.ts';
import { stubCaller } from '../stub-caller.ts';
import { serveTeams, type Teams } from './two-teams.ts';

const place = new CliPlace();
const aws = serveAwsForTests();

stubCaller(() => aws.environment['AWS_ENDPOINT_URL']);

/** A cluster with these MyIngresses. */
function answerAsCluster(path: string, items: readonly object[]): Answer {
  const system = { kind: 'Namespace', metadata: { name: 'kube-system', uid: 'u0' } };
  const listed = path.includes('/myingresses') ? items : [];
  const list = { metadata: { resourceVersion: '1' }, items: listed };
  return { status: 200, body: JSON.stringify(path.endsWith('/kube-system') ? system : list) };
}

async function runOrphans(items: readonly object[] = []): Promise<CliRun> {
  const server = `http://${await place.answering((path) => answerAsCluster(path, items))}`;
  const env = { ...aws.environment, KUBECONFIG: place.writeKubeconfig({ server }) };
  return runCli(['orphans'], { env });
}

const NOTHING = 'nothing in AWS account 000000000000, region us-east-1, is without its object\n';

describe('albridge orphans', () => {
  it('says where nothing is left once it has seen all', async () => {
    expect(await runOrphans()).toEqual({ exitCode: 0, stdout: NOTHING, stderr: '' });
  });

  it.each([
    [
      '444455556666',
      /^warning: your AWS credentials are of the account 000000000000, and the oper/,
    ],
    ['000000000000', /^$/],
  ])('warns where objects hold load balancers of another account: %s', async (account, says) => {
    const arn = `arn:aws:elasticloadbalancing:us-east-1:${account}:loadbalancer/app/x/0123456789abcdef`;
    const metadata = { name: 'web', namespace: 'shop', uid: 'u1' };
    const { exitCode, stdout, stderr } = await runOrphans([{ metadata, status: { alb: { arn } } }]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: NOTHING });
    expect(stderr).toMatch(says);
  });

  it.each(['DescribeLoadBalancers', 'DescribeTargetGroups', 'DescribeSecurityGroups'])(
    'does not say so without the right to %s',
    async (operation) => {
      const message = `not authorized to perform: ${operation}`;
      const effect = { kind: 'error', code: 'AccessDenied', status: 403, message } as const;
      aws.server.control.addFault({ operation, effect });
      const { exitCode, stdout, stderr } = await runOrphans();
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(stderr).toMatch(/to your own role or user, or choose other credentials/);
    },
  );
});

describe('with an operator for each of two teams, albridge orphans', () => {
  const MINE = '000000000000';
  const OTHER = '444455556666';
  const IN_NAMESPACE = ['-n', 'team-a'];
  const MINE_B = { a: OTHER, b: MINE };
  const MINE_A = { a: MINE, b: OTHER };
  const UNKNOWN = { a: undefined, b: undefined };

  /** With the id of the first, unless both have one, or another is named. */
  async function runOfTeams(
    { named, ...teams }: Teams & { readonly named?: string },
    args: readonly string[] = [],
  ): Promise<CliRun> {
    const kubeconfig = place.writeKubeconfig({ server: await serveTeams(place, teams) });
    const id = { ALBRIDGE_CLUSTER_ID: named ?? teams.id ?? 'team-a' };
    const env = { ...aws.environment, ...id, KUBECONFIG: kubeconfig };
    return runCli(['orphans', ...args], { env });
  }

  const WARNS =
    /^warning: your AWS credentials are of the account 000000000000, and the operator works in 444455556666/m;

  it.each([
    ['the role of the one with the id', { roles: MINE_B, held: { b: MINE } }, []],
    ['the role of the one in the namespace', { roles: MINE_B, id: 'both' }, IN_NAMESPACE],
    ['what the one with the id holds', { roles: UNKNOWN, held: MINE_B }, []],
    ['both roles', { roles: { a: OTHER, b: OTHER }, id: 'both' }, []],
  ])('warns by %s', async (_, teams, args) => {
    expect((await runOfTeams(teams, args)).stderr).toMatch(WARNS);
  });

  it.each([
    ['the role of the one with the id is of it', { roles: MINE_A, held: { b: OTHER } }, []],
    ['the role of the one in the namespace is', { roles: MINE_A, id: 'both' }, IN_NAMESPACE],
    ['what the one with the id holds is', { roles: UNKNOWN, held: MINE_A }, []],
    ['only the other holds one', { roles: UNKNOWN, held: { b: OTHER } }, []],
    ['one of the roles is', { roles: MINE_B, id: 'both' }, []],
    ['a load balancer is', { roles: { a: OTHER, b: OTHER }, held: { a: MINE } }, []],
    ['no operator has the id', { roles: MINE_A, held: { b: OTHER }, named: 'team-c' }, []],
  ])('does not warn where %s', async (_, teams, args) => {
    expect((await runOfTeams(teams, args)).stderr).not.toMatch(WARNS);
  });

  describe('lists all the same, and within seconds,', () => {
    const ROLES = { a: OTHER, b: OTHER };
    const body = JSON.stringify({ kind: 'Status', code: 500, message: 'etcdserver: timed out' });

    async function listFast(teams: Teams): Promise<string> {
      const startMs = Date.now();
      const { exitCode, stdout, stderr } = await runOfTeams(teams, IN_NAMESPACE);
      expect(Date.now() - startMs).toBeLessThan(9000);
      expect(exitCode, stderr).toBe(0);
      return stdout;
    }

    it.each([
      ['is refused', { status: 500, body }],
      ['is not answered', 'none'],
    ] as const)('where a read of a ServiceAccount %s', async (_, serviceAccount) => {
      expect(await listFast({ roles: ROLES, serviceAccount })).toBe(NOTHING);
    });

    it('where STS does not answer', async () => {
      vi.stubEnv('AWS_ENDPOINT_URL_STS', `http://${await place.listen(() => {})}`);
      expect(await listFast({ roles: ROLES })).toBe(
        'nothing in AWS, region us-east-1, is without its object\n',
      );
    });
  });
});
