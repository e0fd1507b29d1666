import { limitOf } from '../account-limits.ts';
import type { ReadableWorld } from '../aws-world.ts';
import { type AwsFault, validationError } from '../http/aws-fault.ts';
import { type Input, requiredText, structuresOf, textOf, textsOf } from '../input-fields.ts';
import { structureOf } from '../traffic/checked-input.ts';
import {
  checkHeaderName,
  checkHost,
  checkMethod,
  checkPath,
  checkRegex,
  checkSourceIp,
  checkText,
} from './condition-values.ts';
import type { Condition } from './rule.ts';

interface Field {
  readonly config: string;
  /** Takes `Values` without a config too. */
  readonly hasShortForm: boolean;
  readonly hasRegex: boolean;
  /** At most one condition of it in a rule. */
  readonly isSingle: boolean;
  readonly hasWildcards: boolean;
  readonly check: (value: string) => void;
}

const plain = { hasShortForm: false, hasRegex: false, isSingle: true, hasWildcards: false };

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_RuleCondition.html */
const FIELDS: Readonly<Record<string, Field>> = {
  'http-header': {
    ...plain,
    ...{ config: 'HttpHeaderConfig', hasRegex: true, isSingle: false, hasWildcards: true },
    check: (value) => checkText('http-header', value),
  },
  'http-request-method': { ...plain, config: 'HttpRequestMethodConfig', check: checkMethod },
  'host-header': {
    ...{ config: 'HostHeaderConfig', hasShortForm: true, hasRegex: true },
    ...{ isSingle: true, hasWildcards: true, check: checkHost },
  },
  'path-pattern': {
    ...{ config: 'PathPatternConfig', hasShortForm: true, hasRegex: true },
    ...{ isSingle: true, hasWildcards: true, check: checkPath },
  },
  'query-string': {
    ...plain,
    ...{ config: 'QueryStringConfig', isSingle: false, hasWildcards: true },
    check: (value) => checkText('query-string', value),
  },
  'source-ip': { ...plain, config: 'SourceIpConfig', check: checkSourceIp },
};

/**
 * `Conditions` of a rule, as AWS echoes them. Throws ValidationError.
 * Where no source stands beside a refusal, its words are unverified.
 */
export function readConditions(
  world: ReadableWorld,
  inputs: readonly Input[],
): readonly Condition[] {
  if (inputs.length === 0) throw validationError('A condition must be specified');
  const read = inputs.map(readCondition);
  for (const { field, name } of read) {
    const isRepeated = read.filter((one) => one.name === name).length > 1;
    if (field.isSingle && isRepeated) {
      throw validationError(`A rule can only have one condition of type '${name}'`);
    }
  }
  checkNumbers(world, read);
  return read.map(({ echo }) => echo);
}

interface ReadCondition {
  readonly name: string;
  readonly field: Field;
  readonly values: readonly string[];
  readonly echo: Condition;
}

function readCondition(input: Input): ReadCondition {
  const name = requiredText(input, 'Field');
  const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
  if (field === undefined) {
    // As moto 5.2 has it.
    throw validationError(
      `Condition field '${name}' must be one of '[${Object.keys(FIELDS).join(', ')}]'`,
    );
  }
  checkOtherConfigs(input, name, field);
  return field.hasShortForm ? readPattern(input, name, field) : readLong(input, name, field);
}

function checkOtherConfigs(input: Input, name: string, { config }: Field): void {
  const other = Object.values(FIELDS)
    .map((field) => field.config)
    .find((one) => one !== config && input[one] !== undefined);
  if (other !== undefined) throw incompatible(other, name);
}

/** A host or path condition: the short form or the long one, and echoed in both. */
function readPattern(input: Input, name: string, field: Field): ReadCondition {
  const short = textsOf(input, 'Values');
  const config = structureOf(input, field.config);
  if (short !== undefined && config !== undefined) {
    // https://github.com/aws-controllers-k8s/community/issues/2759
    throw validationError(
      `You cannot provide both Values and '${field.config}' for a condition of type '${name}'`,
    );
  }
  const regexes = textsOf(config ?? {}, 'RegexValues') ?? textsOf(input, 'RegexValues');
  const values = short ?? textsOf(config ?? {}, 'Values');
  if (regexes !== undefined) return readRegexes({ name, field, regexes, values });
  if (short !== undefined && short.length > 1) {
    throw validationError(`The '${name}' field contains too many values; the limit is '1'`);
  }
  const checked = checkedValues(values, field);
  const echo = { Field: name, Values: checked, [field.config]: { Values: checked } };
  return { name, field, values: checked, echo };
}

function readRegexes(asked: {
  readonly name: string;
  readonly field: Field;
  readonly regexes: readonly string[];
  readonly values: readonly string[] | undefined;
  readonly rest?: object;
}): ReadCondition {
  const { name, field, regexes, values, rest = {} } = asked;
  if (values !== undefined) {
    throw validationError(`You cannot provide both Values and RegexValues for '${name}'`);
  }
  if (regexes.length === 0) throw validationError('A condition value must be specified');
  for (const regex of regexes) checkRegex(name, regex);
  const echo = { Field: name, [field.config]: { ...rest, RegexValues: [...regexes] } };
  return { name, field, values: regexes, echo };
}

function readLong(input: Input, name: string, field: Field): ReadCondition {
  if (input['Values'] !== undefined) throw incompatible('Values', name);
  const config = structureOf(input, field.config);
  if (config === undefined) {
    // As moto 5.2 has it.
    throw validationError(`A '${field.config}' must be specified with '${name}'`);
  }
  if (name === 'query-string') return readQueries(config, field);
  const header = name === 'http-header' ? readHeaderName(config) : {};
  const regexes = textsOf(config, 'RegexValues');
  const values = textsOf(config, 'Values');
  if (field.hasRegex && regexes !== undefined) {
    return readRegexes({ name, field, regexes, values, rest: header });
  }
  const checked = checkedValues(values, field);
  return {
    name,
    field,
    values: checked,
    echo: { Field: name, [field.config]: { ...header, Values: checked } },
  };
}

function readHeaderName(config: Input): { readonly HttpHeaderName: string } {
  const name = requiredText(config, 'HttpHeaderName');
  checkHeaderName(name);
  return { HttpHeaderName: name };
}

function readQueries(config: Input, field: Field): ReadCondition {
  const pairs = structuresOf(config, 'Values') ?? [];
  if (pairs.length === 0) throw validationError('A condition value must be specified');
  const read = pairs.map((pair) => {
    const key = textOf(pair, 'Key');
    const value = textOf(pair, 'Value');
    if (value === undefined) {
      // As moto 5.2 has it.
      throw validationError("A 'Value' must be specified in 'QueryStringKeyValuePair'");
    }
    if (key !== undefined) field.check(key);
    field.check(value);
    return { ...(key !== undefined && { Key: key }), Value: value };
  });
  const values = read.map(({ Key, Value }) => `${Key ?? ''}${Value}`);
  const echo = { Field: 'query-string', QueryStringConfig: { Values: read } };
  return { name: 'query-string', field, values, echo };
}

function checkedValues(values: readonly string[] | undefined, field: Field): readonly string[] {
  if (values === undefined || values.length === 0) {
    throw validationError('A condition value must be specified');
  }
  for (const value of values) field.check(value);
  return [...values];
}

/**
 * AWS's guide also says three values a condition; what AWS refuses is more than five a rule.
 * https://github.com/aws-cloudformation/cfn-lint/issues/3833
 */
function checkNumbers(world: ReadableWorld, read: readonly ReadCondition[]): void {
  const count = read.reduce((sum, { values }) => sum + values.length, 0);
  const limit = limitOf(world, 'condition-values-per-alb-rule');
  if (count > limit) throw validationError(`A rule can only have '${limit}' condition values`);
  const wildcards = read.flatMap(({ field, values, echo }) =>
    field.hasWildcards && !hasRegexes(echo, field) ? values.flatMap(wildcardsIn) : [],
  ).length;
  const most = limitOf(world, 'condition-wildcards-per-alb-rule');
  if (wildcards > most) throw validationError(`A rule can only have '${most}' condition wildcards`);
}

function hasRegexes(echo: Condition, { config }: Field): boolean {
  return (echo[config] as { RegexValues?: unknown }).RegexValues !== undefined;
}

/** An escaped one is none. */
function wildcardsIn(value: string): readonly string[] {
  return value.match(/(?<!\\)[*?]/g) ?? [];
}

function incompatible(what: string, name: string): AwsFault {
  // As moto 5.2 has it.
  return validationError(`The '${what}' field is not compatible with '${name}'`);
}
