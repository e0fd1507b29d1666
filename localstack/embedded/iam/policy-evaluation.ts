// Lives here: IAM: who asks, and whether a policy allows it.
// May import it: localstack/embedded.
// Start with: this file, then required-permissions.ts.

/**
 * Decides by one identity-based policy of IAM: statements with Action, Resource and Condition, of
 * which one that denies outweighs all that allow. What else a policy may contain is refused.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */

type OneOrMore = string | readonly string[];

export interface Statement {
  readonly Sid: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: OneOrMore;
  readonly Resource: OneOrMore;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, OneOrMore>>>>;
}

export interface Policy {
  readonly Version?: string;
  readonly Statement: readonly Statement[];
}

/** One authorization that AWS asks for. */
export interface Permission {
  /** `elasticloadbalancing:AddTags` */
  readonly action: string;
  /** An ARN, or `*` for an action that knows no resources. */
  readonly resource: string;
  /** Context keys with their values. Their names are compared without regard to case. */
  readonly context: Readonly<Record<string, OneOrMore>>;
}

/** `by`: the Sid of the statement that decided. */
export type Decision =
  | { readonly kind: 'allowed'; readonly by: string }
  | { readonly kind: 'explicitDeny'; readonly by: string }
  | { readonly kind: 'implicitDeny'; readonly by: undefined };

export type Authorizer = (permission: Permission) => Decision;

type Context = ReadonlyMap<string, readonly string[]>;
type Condition = (context: Context) => boolean;

interface CompiledStatement {
  readonly sid: string;
  readonly effect: Statement['Effect'];
  readonly appliesTo: (permission: Permission, context: Context) => boolean;
}

/** Throws a RangeError that names what is not supported here. */
export function compilePolicy({ Statement }: Policy): Authorizer {
  if (!Array.isArray(Statement)) throw new RangeError('a policy needs a list named Statement');
  const statements = Statement.map(compileStatement);
  return (permission) => {
    const context = contextOf(permission);
    const applying = statements.filter((one) => one.appliesTo(permission, context));
    const denying = applying.find(({ effect }) => effect === 'Deny');
    if (denying !== undefined) return { kind: 'explicitDeny', by: denying.sid };
    const [allowing] = applying;
    if (allowing !== undefined) return { kind: 'allowed', by: allowing.sid };
    return { kind: 'implicitDeny', by: undefined };
  };
}

export function listOf(values: OneOrMore): readonly string[] {
  return typeof values === 'string' ? [values] : values;
}

const KNOWN_FIELDS: readonly string[] = ['Sid', 'Effect', 'Action', 'Resource', 'Condition'];

function compileStatement(statement: Statement): CompiledStatement {
  checkStatement(statement);
  const { Sid, Effect, Action, Resource, Condition = {} } = statement;
  const actions = listOf(Action).map((pattern) => matchGlob(pattern.toLowerCase()));
  const resources = listOf(Resource).map(matchGlob);
  const conditions = Object.entries(Condition).flatMap(([operator, keys]) =>
    Object.entries(keys).map(([key, values]) => compileCondition(operator, key, listOf(values))),
  );
  return {
    sid: Sid,
    effect: Effect,
    appliesTo: ({ action, resource }, context) =>
      actions.some((matches) => matches(action.toLowerCase())) &&
      resources.some((matches) => matches(resource)) &&
      conditions.every((holds) => holds(context)),
  };
}

function checkStatement(statement: Statement): void {
  const unknown = Object.keys(statement).find((field) => !KNOWN_FIELDS.includes(field));
  if (unknown !== undefined) throw new RangeError(`a statement's ${unknown} is not supported`);
  const { Effect, Action, Resource } = statement;
  if ((Effect === 'Allow' || Effect === 'Deny') && Action && Resource) return;
  throw new RangeError('a statement needs an Effect of Allow or Deny, an Action and a Resource');
}

function contextOf({ context }: Permission): Context {
  const entries = Object.entries(context).map(
    ([key, values]) => [key.toLowerCase(), listOf(values)] as const,
  );
  return new Map(entries);
}

/** As `ForAnyValue:StringNotLikeIfExists`. */
const OPERATOR = /^(?:(ForAllValues|ForAnyValue):)?String(Not)?(Equals|Like)(IfExists)?$/;

/**
 * A key that the request does not have fails every operator but a negated one, one with IfExists,
 * and ForAllValues.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-single-vs-multi-valued-context-keys.html
 */
function compileCondition(operator: string, name: string, listed: readonly string[]): Condition {
  const key = name.toLowerCase();
  if (operator === 'Null') return (context) => listed.includes(String(!context.has(key)));
  const match = OPERATOR.exec(operator);
  if (match === null) throw new RangeError(`the condition operator ${operator} is not supported`);
  const [, quantifier, not, comparison, ifExists] = match;
  const matchers = listed.map(comparison === 'Like' ? matchGlob : matchText);
  const holds = (value: string): boolean =>
    matchers.some((matches) => matches(value)) === (not === undefined);
  const forAll = quantifier === 'ForAllValues' || (quantifier === undefined && not !== undefined);
  return (context) => {
    const values = context.get(key);
    if (values === undefined) return forAll || ifExists !== undefined;
    return forAll ? values.every(holds) : values.some(holds);
  };
}

type Matcher = (value: string) => boolean;

function matchText(text: string): Matcher {
  return (value) => value === text;
}

/** `*` stands for any text, `?` for any character. */
function matchGlob(pattern: string): Matcher {
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  const regExp = new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`);
  return (value) => regExp.test(value);
}
