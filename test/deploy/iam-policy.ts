/**
 * As much of IAM as deploy/iam/policy.json uses: allow statements with one level of conditions.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */

type OneOrMore = string | readonly string[];

export interface Statement {
  readonly Sid: string;
  readonly Effect: 'Allow';
  readonly Action: OneOrMore;
  readonly Resource: string;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface Policy {
  readonly Statement: readonly Statement[];
}

type Tags = Readonly<Record<string, string>>;

/** One authorization that AWS asks for. */
export interface Access {
  /** `elasticloadbalancing:AddTags` */
  readonly action: string;
  readonly resource: string;
  /** Tags of the resource, where there is one already. */
  readonly resourceTags?: Tags;
  /** Tags in the request. */
  readonly requestTags?: Tags;
  /** Other context keys. */
  readonly context?: Readonly<Record<string, string>>;
}

/** The Sid of the statement that allows it; undefined where none does. */
export function allowedBy(policy: Policy, access: Access): string | undefined {
  const context = contextOf(access);
  const statement = policy.Statement.find(
    ({ Action, Resource, Condition = {} }) =>
      actionsOf(Action).includes(access.action) &&
      matches(Resource, access.resource) &&
      Object.entries(Condition).every(([operator, wanted]) => holds(operator, wanted, context)),
  );
  return statement?.Sid;
}

export function actionsOf(action: OneOrMore): readonly string[] {
  return typeof action === 'string' ? [action] : action;
}

function contextOf({ resourceTags = {}, requestTags = {}, context = {} }: Access): Tags {
  const keyed = (prefix: string, tags: Tags): readonly (readonly [string, string])[] =>
    Object.entries(tags).map(([key, value]) => [`${prefix}/${key}`, value]);
  return {
    ...context,
    ...Object.fromEntries(keyed('aws:ResourceTag', resourceTags)),
    ...Object.fromEntries(keyed('aws:RequestTag', requestTags)),
  };
}

function holds(operator: string, wanted: Tags, context: Tags): boolean {
  return Object.entries(wanted).every(([key, value]) => {
    const has = context[key];
    if (operator === 'StringEquals') return has === value;
    if (operator === 'StringEqualsIfExists') return has === undefined || has === value;
    throw new Error(`the condition operator ${operator} is not known here`);
  });
}

function matches(pattern: string, resource: string): boolean {
  const escaped = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`).test(resource);
}
