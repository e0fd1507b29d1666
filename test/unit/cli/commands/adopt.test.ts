import { describe, expect, it } from 'vitest';
import { runCli } from '../run-cli.ts';

const arn = (kind: string): string =>
  `arn:aws:elasticloadbalancing:eu-west-1:000000000000:loadbalancer/${kind}/shop/0123456789abcdef`;

/** There is no kubeconfig: what is refused later is refused for that. */
const NO_CLUSTER = /^albridge: no cluster: set KUBECONFIG/;

describe('albridge adopt refuses before it asks the cluster', () => {
  const cases: Readonly<Record<string, readonly [args: readonly string[], says: RegExp]>> = {
    'what is no ARN': [['shop', '--name', 'x'], /^albridge: "shop" is not the ARN of a load balan/],
    'a network load balancer': [
      [arn('net'), '--name', 'x'],
      /^albridge: "arn:.*\/net\/.*" is not an application load balancer, and albridge adopts no other: aws elbv2 describe-load-balancers lists them with their type\n$/,
    ],
    'a gateway load balancer': [[arn('gwy'), '--name', 'x'], /is not an application load balancer/],
    'a missing name': [[arn('app')], /^albridge: --name NAME is missing/],
    'a name that no object can have': [
      [arn('app'), '--name', 'Bad_Name'],
      /^albridge: --name takes lower-case letters, digits, "-" and "\.", and begins and ends with a letter or digit, not "Bad_Name"\n$/,
    ],
    'a name that is too long': [
      [arn('app'), '--name', 'a'.repeat(254)],
      /^albridge: --name takes at most 253 characters, not 254\n$/,
    ],
  };

  it.each(Object.entries(cases))('%s', async (_, [args, says]) => {
    const { exitCode, stdout, stderr } = await runCli(['adopt', ...args]);
    expect(stderr).toMatch(says);
    expect({ exitCode, stdout }).toEqual({ exitCode: 64, stdout: '' });
  });

  it('nothing else', async () => {
    for (const name of ['shop', 'a', 'shop.v2', '0-0', 'a'.repeat(253)]) {
      const { exitCode, stderr } = await runCli(['adopt', arn('app'), '--name', name]);
      expect(stderr).toMatch(NO_CLUSTER);
      expect(exitCode).toBe(1);
    }
  });
});
