import { expect, it } from 'vitest';
import type { AwsApi, AwsOperation } from '../../../src/aws/client/aws-api.ts';
import { getTraits, operations } from '../../../src/aws/client/operations.ts';
import { describePlan, RUN_TAG } from '../../aws/account/run.ts';
import { WithinRun } from '../../aws/account/within-run.ts';

const TAG = { Key: RUN_TAG, Value: '11221234beef' };

/** Its input, as AWS gets it from a run. */
async function send(operation: AwsOperation, input: object): Promise<object> {
  const inputs: object[] = [];
  const api: AwsApi = {
    send: async (_, given) => {
      inputs.push(given);
      return {};
    },
  };
  await new WithinRun(api, TAG.Value).send(operation, input);
  return inputs[0] ?? {};
}

const creates = (Object.keys(operations) as AwsOperation[]).filter((name) =>
  getTraits(name).grant.onlyIf.startsWith('taggedRequest'),
);

it.each(creates.filter((name) => name !== 'CreateSecurityGroup'))(
  '%s carries the tag of the run next to those of the test',
  async (operation) => {
    const own = { Key: 'team', Value: 'web' };
    expect(await send(operation, {})).toEqual({ Tags: [TAG] });
    expect(await send(operation, { Tags: [own] })).toEqual({ Tags: [own, TAG] });
  },
);

it('the shipped policy asks each operation that creates for tags', () => {
  const named = Object.keys(operations).filter((name) => /^Create(?!Tags)/.test(name));
  expect(creates).toEqual(named);
});

it('a security group carries the tag of the run in its specification', async () => {
  const specification = { ResourceType: 'security-group', Tags: [] };
  expect(await send('CreateSecurityGroup', { TagSpecifications: [specification] })).toEqual({
    TagSpecifications: [{ ...specification, Tags: [TAG] }],
  });
});

it('tags nothing that it does not create', async () => {
  expect(await send('ModifyRule', { RuleArn: 'arn' })).toEqual({ RuleArn: 'arn' });
});

it('asks for the right to tag what it creates', () => {
  expect(describePlan()).toMatch(/^\s*elasticloadbalancing:AddTags$/m);
  expect(describePlan()).toMatch(/^\s*ec2:CreateTags$/m);
});
