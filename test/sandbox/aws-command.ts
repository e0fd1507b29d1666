import * as elbv2 from '@aws-sdk/client-elastic-load-balancing-v2';

/** A command of the AWS CLI for ELBv2, as the request that it sends. Names of the CLI are those of the API in kebab case. */
export interface AwsCommand {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** As the SDK describes its requests: names and schemas of the members. */
type Structure = readonly [3, string, string, unknown, readonly string[], readonly unknown[]];
type List = readonly [1, string, string, unknown, () => Structure];

const exported = elbv2 as unknown as Readonly<Record<string, unknown>>;
/** The SDK's mark of a list of plain values. */
const PLAIN_LIST = 64;
/** What the CLI itself reads. */
const LOCAL_OPTIONS = /^(query|output|region|profile)$/;

/** Reads `elbv2 OPERATION --option value…`. Throws what the CLI would refuse: an operation or option that does not exist. */
export function readAwsCommand([service, name = '', ...rest]: readonly string[]): AwsCommand {
  if (service !== 'elbv2') throw new Error(`aws ${service}: only elbv2 is known here`);
  const operation = name.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
  const request = exported[`${operation}Input$`] as Structure | undefined;
  if (request === undefined) throw new Error(`aws elbv2 ${name}: there is no such operation`);
  const given = splitOptions(rest).filter(([option]) => !LOCAL_OPTIONS.test(option));
  const members = given.map(([option, values]) => readMember(request, option, values));
  return { operation, input: Object.fromEntries(members) };
}

function splitOptions(args: readonly string[]): readonly (readonly [string, readonly string[]])[] {
  const starts = args.flatMap((arg, index) => (arg.startsWith('--') ? [index] : []));
  if (args.length > 0 && starts[0] !== 0) throw new Error(`aws: unknown operand ${args[0]}`);
  return starts.map((start, index) => [
    args[start]?.slice(2) ?? '',
    args.slice(start + 1, starts[index + 1] ?? args.length),
  ]);
}

function readMember(
  [, , , , names, schemas]: Structure,
  option: string,
  values: readonly string[],
): readonly [string, unknown] {
  const index = names.findIndex((name) => toKebabCase(name) === option);
  const name = names[index];
  if (name === undefined) throw new Error(`aws: there is no option --${option}`);
  if (values.length === 0) throw new Error(`aws: --${option} has no value`);
  const schema = schemas[index];
  if (typeof schema === 'function') return [name, readStructures(schema() as List, values)];
  return [name, schema === PLAIN_LIST ? values : values[0]];
}

/** The CLI's short form of structures: `Key=team,Value=web`. */
function readStructures([, , , , member]: List, values: readonly string[]): readonly object[] {
  const [, , , , names] = member();
  return values.map((value) => {
    const pairs = value.split(',').map((pair) => pair.split(/=(.*)/s).slice(0, 2));
    const unknown = pairs.find(([key = '']) => !names.includes(key));
    if (unknown) throw new Error(`aws: ${value} has no field ${unknown[0]}`);
    return Object.fromEntries(pairs) as object;
  });
}

function toKebabCase(name: string): string {
  return name.replaceAll(/(?!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}
