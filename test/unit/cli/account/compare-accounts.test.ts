import { describe, expect, it } from 'vitest';
import {
  compareAccounts,
  readOperatorRoles,
} from '../../../../src/cli/account/compare-accounts.ts';
import type { Operator } from '../../../../src/cli/account/operators.ts';

const OWN = '111122223333';
const OTHER = '444455556666';
const role = (account: string) => `arn:aws:iam::${account}:role/albridge`;
const balancer = (account: string) =>
  `arn:aws:elasticloadbalancing:eu-central-1:${account}:loadbalancer/app/x/50dc6c495c0c9188`;

describe("the account of the caller and the operator's", () => {
  it.each([
    ['of its role', { roles: [role(OWN)], arns: [] }],
    ['of its role, whatever status says', { roles: [role(OWN)], arns: [balancer(OTHER)] }],
    ['of one of several roles', { roles: [role(OTHER), role(OWN)], arns: [] }],
    ['of a load balancer', { roles: [], arns: [balancer(OTHER), balancer(OWN)] }],
    ['of a load balancer, whatever the role', { roles: [role(OTHER)], arns: [balancer(OWN)] }],
    ['that nothing tells', { roles: [], arns: [] }],
    ['that no ARN tells', { roles: ['', 'albridge', role('1')], arns: [''] }],
    ['of a load balancer, beside no ARN', { roles: ['albridge'], arns: ['', balancer(OWN)] }],
  ])('may be the same: %s', (_, traces) => {
    expect(compareAccounts(OWN, traces)).toBeUndefined();
  });

  it.each([
    ['by its role', { roles: [role(OTHER)], arns: [] }, `(${role(OTHER)}, its role)`],
    [
      'by load balancers, beside no ARN',
      { roles: ['', 'albridge'], arns: ['', balancer(OTHER)] },
      `(${balancer(OTHER)}, that objects hold)`,
    ],
    [
      'by load balancers',
      { roles: [], arns: [balancer(OTHER)] },
      `(${balancer(OTHER)}, that objects hold)`,
    ],
  ])('differ: %s', (_, traces, where) => {
    expect(compareAccounts(OWN, traces)).toEqual({
      message: `your AWS credentials are of the account ${OWN}, and the operator works in ${OTHER} ${where}`,
      next: "choose credentials of the operator's account (AWS_PROFILE)",
    });
  });
});

it('the roles are those of the ServiceAccounts, each asked for once', async () => {
  const of = (namespace: string): Operator =>
    ({ user: `system:serviceaccount:${namespace}:albridge` }) as unknown as Operator;
  const asked: string[] = [];
  const client = {
    request: async ({ path }: { readonly path: string }) => {
      asked.push(path);
      const annotations = { 'eks.amazonaws.com/role-arn': role(OWN) };
      return { metadata: path.includes('/without/') ? {} : { annotations } };
    },
  } as never;
  const { signal } = new AbortController();
  const operators = [of('web'), of('without'), of('web'), of('mall')];
  expect(await readOperatorRoles(client, operators, signal)).toEqual([role(OWN)]);
  const path = (namespace: string): string =>
    `/api/v1/namespaces/${namespace}/serviceaccounts/albridge`;
  expect(asked).toEqual(['web', 'without', 'mall'].map(path));
});
