import { expect, it } from 'vitest';
import type { Traffic } from '../../../../src/aws/client/wire.ts';
import { createLogger } from '../../../../src/telemetry/logger.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { bench } from './scripted-aws-api.ts';

const RULE = 'arn:aws:elasticloadbalancing:eu-west-1:000000000000:listener-rule/app/shop/1/2/3';
const GROUP = 'arn:aws:elasticloadbalancing:eu-west-1:000000000000:targetgroup/shop/1';
/** As long as they are. */
const ADDRESS = '2001:db8:1111:2222:3333:4444:5555:6666';

/** The input of the one write, as it was sent and as it is in the log. */
async function audit(write: (aws: Traffic) => Promise<void>) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ clock: new ManualClock(), level: 'info', destination });
  const { traffic, api, clock } = bench({
    ModifyRule: () => ({}),
    RegisterTargets: () => ({}),
    SetRulePriorities: () => ({}),
    RevokeSecurityGroupIngress: () => ({}),
  });
  await clock.finish(write(traffic({ namespace: 'web', log })));
  expect(lines).toHaveLength(1);
  const line = lines[0] ?? '';
  return { line, logged: JSON.parse(line).input as unknown, sent: api.sent[0]?.input };
}

const writes: Readonly<Record<string, (aws: Traffic) => Promise<void>>> = {
  'to which target groups a rule sends, and by which weights': ({ rules }) => {
    const targetGroups = [
      { arn: `${GROUP}a`, weight: 90 },
      { arn: `${GROUP}b`, weight: 10 },
    ];
    return rules.modify(RULE, { action: { kind: 'forward', targetGroups, stickinessSeconds: 60 } });
  },
  'the query strings and the rewrite of a rule': ({ rules }) =>
    rules.modify(RULE, {
      conditions: [{ field: 'query-string', values: [{ key: 'v', value: '2' }] }],
      transforms: [{ kind: 'url', regex: '^/old/(.*)$', replace: '/new/$1' }],
    }),
  'each target of a full batch': ({ targets }) =>
    targets.register(
      GROUP,
      Array.from({ length: 200 }, (_, port) => ({ id: ADDRESS, port, zone: 'all' })),
    ),
  'each priority of 200 rules': ({ rules }) =>
    rules.setPriorities(
      Array.from({ length: 200 }, (_, index) => ({ arn: `${RULE}${index}`, priority: index + 1 })),
    ),
  'each of 1,000 permissions of a security group': ({ securityGroups }) =>
    securityGroups.revoke(
      'sg-1',
      Array.from({ length: 1000 }, (_, port) => ({
        ...{ protocol: 'tcp', fromPort: 30_000 + port, toPort: 30_000 + port },
        source: { kind: 'ipv6' as const, value: `${ADDRESS}/128` },
      })),
    ),
};

it.each(Object.entries(writes))('the audit line of a write shows %s', async (_, write) => {
  const { line, logged, sent } = await audit(write);
  expect(logged).toEqual(sent);
  expect(line.length).toBeLessThan(256_000);
});
