import type { ReadableWorld } from '../aws-world.ts';

/** https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html */
export function getCallerIdentity(world: ReadableWorld): unknown {
  return {
    Account: world.accountId,
    Arn: `arn:${world.facts.partition}:iam::${world.accountId}:root`,
    UserId: world.accountId,
  };
}
