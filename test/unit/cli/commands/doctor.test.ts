import { describe, expect, it } from 'vitest';
import { serveAwsForTests } from '../../localstack/http/served-aws.ts';
import { CliPlace } from '../cli-place.ts';
import { runCli } from '../run-cli.ts';
import { stubCaller } from '../stub-caller.ts';
import { serveTeams, type Teams } from './two-teams.ts';

const place = new CliPlace();
const aws = serveAwsForTests();

stubCaller(() => aws.environment['AWS_ENDPOINT_URL']);

const MINE = '000000000000';
const OTHER = '444455556666';

/** The checks of the name "AWS account", with the id of the first operator. */
async function checkAccounts(teams: Teams): Promise<readonly object[]> {
  const kubeconfig = place.writeKubeconfig({ server: await serveTeams(place, teams) });
  const id = { ALBRIDGE_CLUSTER_ID: teams.id ?? 'team-a' };
  const env = { ...aws.environment, ...id, KUBECONFIG: kubeconfig };
  const { stdout } = await runCli(['doctor', '-A', '-o', 'json'], { env });
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly { name: string }[] };
  expect(checks.map(({ name }) => name)).toContain('AWS writes');
  return checks.filter(({ name }) => name === 'AWS account');
}

describe('with an operator for each of two teams, albridge doctor', () => {
  it.each([
    ['the role of the one with the id', { roles: { a: OTHER, b: MINE } }],
    ['what the one with the id holds', { roles: { a: undefined, b: MINE }, held: { a: OTHER } }],
    ['both roles', { roles: { a: OTHER, b: OTHER }, id: 'both' }],
  ])('warns of credentials of another account by %s', async (_, teams) => {
    const message = expect.stringContaining(`and the operator works in ${OTHER}`);
    expect(await checkAccounts(teams)).toMatchObject([{ verdict: 'warning', message }]);
  });

  it.each([
    ['the role of the one with the id is of it', { roles: { a: MINE, b: OTHER } }],
    ['one of the roles is', { roles: { a: OTHER, b: MINE }, id: 'both' }],
    ['a load balancer is', { roles: { a: OTHER, b: undefined }, held: { a: MINE } }],
    ['nothing tells', { roles: { a: undefined, b: OTHER }, held: { b: OTHER } }],
  ])('does not where %s', async (_, teams) => {
    expect(await checkAccounts(teams)).toEqual([]);
  });
});
