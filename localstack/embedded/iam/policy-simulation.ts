import type { ReadableWorld } from '../aws-world.ts';
import { AwsFault } from '../http/aws-fault.ts';
import { type Input, requiredText, requiredTexts, structuresOf, textsOf } from '../input-fields.ts';
import type { Authorizer } from './policy-evaluation.ts';

/**
 * Evaluates the policy of a role, without limits of an organisation and of sessions. The role of an access key with a
 * policy has the key's name. One result for each action and resource: how AWS sums up several resources is unverified.
 * https://docs.aws.amazon.com/IAM/latest/APIReference/API_SimulatePrincipalPolicy.html
 */
export function simulatePrincipalPolicy(world: ReadableWorld, input: Input): unknown {
  const decide = findRole(world, requiredText(input, 'PolicySourceArn'));
  const context = readContext(input);
  const resources = textsOf(input, 'ResourceArns') ?? ['*'];
  const results = requiredTexts(input, 'ActionNames').flatMap((action) =>
    resources.map((resource) => {
      const { kind, by } = decide({ action, resource, context });
      return {
        ...{ EvalActionName: action, EvalResourceName: resource, EvalDecision: kind },
        MatchedStatements: by === undefined ? [] : [{ SourcePolicyId: by }],
      };
    }),
  );
  return { EvaluationResults: results, IsTruncated: false };
}

function findRole({ accountId, facts, policies }: ReadableWorld, arn: string): Authorizer {
  const prefix = `arn:${facts.partition}:iam::${accountId}:role/`;
  const name = arn.startsWith(prefix) ? arn.slice(prefix.length) : '';
  const decide = policies.get(name);
  if (decide !== undefined) return decide;
  // https://docs.aws.amazon.com/IAM/latest/APIReference/API_SimulatePrincipalPolicy.html#API_SimulatePrincipalPolicy_Errors
  throw new AwsFault('NoSuchEntity', `The role with name ${name || arn} cannot be found.`, 404);
}

function readContext(input: Input): Readonly<Record<string, readonly string[]>> {
  const entries = structuresOf(input, 'ContextEntries') ?? [];
  return Object.fromEntries(
    entries.map((entry) => [
      requiredText(entry, 'ContextKeyName'),
      textsOf(entry, 'ContextKeyValues') ?? [],
    ]),
  );
}
