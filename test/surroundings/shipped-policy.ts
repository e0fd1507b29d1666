import policy from '../../deploy/iam/policy.json' with { type: 'json' };
import type { Policy } from '../../localstack/embedded/iam/policy-evaluation.ts';

/** What the operator signs with; LocalStack takes the key id for the account. */
export const OPERATOR_KEY = '000000000000';

/** The region and account of every stand-in. */
const PLACE = { REGION: 'us-east-1', ACCOUNT_ID: '000000000000' } as const;

/** deploy/iam/policy.json as docs/install.md has it filled in, for the operator of this cluster. */
export function shippedPolicy(clusterId: string): Policy {
  const values = { CLUSTER_ID: clusterId, ...PLACE };
  const text = Object.entries(values).reduce(
    (filled, [placeholder, value]) => filled.replaceAll(placeholder, value),
    JSON.stringify(policy),
  );
  return JSON.parse(text) as Policy;
}
