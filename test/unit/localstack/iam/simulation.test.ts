import { describe, expect, it } from 'vitest';
import { AwsFault } from '../../../../localstack/embedded/http/aws-fault.ts';
import { call, seededModel } from '../seeded-model.ts';

const ROLE = 'arn:aws:iam::000000000000:role/doctor';
const TAGGED = {
  Sid: 'ours',
  Effect: 'Allow',
  Action: 'elasticloadbalancing:*',
  Resource: '*',
  Condition: { StringEquals: { 'aws:ResourceTag/cluster': 'c1' } },
} as const;
const ACTION = 'elasticloadbalancing:DeleteLoadBalancer';

function tag(value: string): object {
  const key = { ContextKeyName: 'aws:ResourceTag/cluster', ContextKeyType: 'string' };
  return { ...key, ContextKeyValues: [value] };
}

describe('the simulator of policies', () => {
  it.each([
    { why: 'its tag is ours', value: 'c1', more: [], decision: 'allowed' },
    { why: 'its tag is not ours', value: 'c2', more: [], decision: 'implicitDeny' },
    {
      why: 'a statement denies it',
      value: 'c1',
      more: [{ Sid: 'no', Effect: 'Deny', Action: ACTION, Resource: '*' } as const],
      decision: 'explicitDeny',
    },
  ])('decides $decision where $why', ({ value, more, decision }) => {
    const { aws } = seededModel();
    aws.control.setPolicy('doctor', { Statement: [TAGGED, ...more] });
    const input = {
      PolicySourceArn: ROLE,
      ActionNames: [ACTION],
      ResourceArns: ['arn:a', 'arn:b'],
    };
    const answer = call(aws, 'SimulatePrincipalPolicy', { ...input, ContextEntries: [tag(value)] });
    expect(answer['EvaluationResults']).toMatchObject([
      { EvalActionName: ACTION, EvalResourceName: 'arn:a', EvalDecision: decision },
      { EvalActionName: ACTION, EvalResourceName: 'arn:b', EvalDecision: decision },
    ]);
  });

  it.each([
    'arn:aws:iam::000000000000:role/other',
    'arn:aws:iam::111111111111:role/doctor',
    'doctor',
  ])('knows no role %s', (PolicySourceArn) => {
    const { aws } = seededModel();
    aws.control.setPolicy('doctor', { Statement: [TAGGED] });
    const input = { PolicySourceArn, ActionNames: [ACTION] };
    expect(() => call(aws, 'SimulatePrincipalPolicy', input)).toThrow(AwsFault);
  });

  it('answers no caller whose policy does not allow to ask it', () => {
    const { aws } = seededModel();
    aws.control.setPolicy('doctor', { Statement: [TAGGED] });
    const input = { PolicySourceArn: ROLE, ActionNames: [ACTION] };
    expect(() => aws.handle('SimulatePrincipalPolicy', input, { accessKeyId: 'doctor' })).toThrow(
      `is not authorized to perform: iam:SimulatePrincipalPolicy on resource: ${ROLE}`,
    );
  });
});
