import { AwsFault } from '../http/aws-fault.ts';
import { type Input, integerOf, textOf } from '../input-fields.ts';
import { invalidParameterValue } from './ec2-faults.ts';

interface Page<Item> {
  readonly items: readonly Item[];
  /** Absent on the last page. */
  readonly nextToken?: string;
}

const FEWEST = 5;
const MOST = 1000;

/**
 * One page by `MaxResults` (5-1000; without it everything) and `NextToken`. A token holds the id of
 * the last item given, so items created or deleted between two pages do not matter.
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeSecurityGroups.html
 */
export function ec2PageOf<Item extends { readonly id: string }>(
  input: Input,
  items: readonly Item[],
  { idField }: { readonly idField: string },
): Page<Item> {
  const size = integerOf(input, 'MaxResults');
  const token = textOf(input, 'NextToken');
  if (size === undefined && token === undefined) return { items };
  if (input[idField] !== undefined) {
    throw new AwsFault(
      'InvalidParameterCombination',
      `The parameter ${idField} cannot be used with the parameter MaxResults`,
    );
  }
  if (size !== undefined && (size < FEWEST || size > MOST)) {
    throw invalidParameterValue(
      `Value ( ${size} ) for parameter maxResults is invalid. Expecting a value between ${FEWEST} and ${MOST}.`,
    );
  }
  return pageBehind(items, token, size ?? MOST);
}

function pageBehind<Item extends { readonly id: string }>(
  items: readonly Item[],
  token: string | undefined,
  size: number,
): Page<Item> {
  const last = token === undefined ? '' : lastOf(token);
  const rest = items
    .filter(({ id }) => id > last)
    .sort((left, right) => (left.id < right.id ? -1 : 1));
  const page = rest.slice(0, size);
  const end = page.at(-1);
  if (rest.length <= size || end === undefined) return { items: page };
  return { items: page, nextToken: Buffer.from(end.id).toString('base64url') };
}

function lastOf(token: string): string {
  const last = Buffer.from(token, 'base64url').toString();
  if (Buffer.from(last).toString('base64url') === token) return last;
  throw new AwsFault('InvalidNextToken', `The token '${token}' is invalid`);
}
