import { constraintFault, validationError } from './http/aws-fault.ts';
import { type Input, integerOf, textOf } from './input-fields.ts';

const MAX_PAGE_SIZE = 400;
const MARKER_PREFIX = 'after:';

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Absent on the last page. */
  readonly nextMarker?: string;
}

/**
 * One page by `PageSize` (1-400, default 400) and `Marker`. A marker holds the position of the last
 * item given, so items created or deleted between two pages neither repeat nor hide others.
 * `items` must be ordered by `positionOf`. Throws ValidationError.
 */
export function pageOf<Item>(
  input: Input,
  items: readonly Item[],
  positionOf: (item: Item) => number,
): Page<Item> {
  const size = pageSize(input);
  const after = positionAfter(textOf(input, 'Marker'));
  const rest = items.filter((item) => positionOf(item) > after);
  const page = rest.slice(0, size);
  const last = page.at(-1);
  if (last === undefined || rest.length <= size) return { items: page };
  return { items: page, nextMarker: encodeMarker(positionOf(last)) };
}

function pageSize(input: Input): number {
  const size = integerOf(input, 'PageSize');
  if (size === undefined) return MAX_PAGE_SIZE;
  if (size >= 1 && size <= MAX_PAGE_SIZE) return size;
  const bound = size < 1 ? 'greater than or equal to 1' : `less than or equal to ${MAX_PAGE_SIZE}`;
  throw constraintFault('pageSize', String(size), `Member must have value ${bound}`);
}

function encodeMarker(position: number): string {
  return Buffer.from(`${MARKER_PREFIX}${position}`).toString('base64url');
}

function positionAfter(marker: string | undefined): number {
  if (marker === undefined || marker === '') return -1;
  const decoded = Buffer.from(marker, 'base64url').toString();
  const position = Number(decoded.slice(MARKER_PREFIX.length));
  if (encodeMarker(position) !== marker) throw validationError(`Invalid marker '${marker}'`);
  return position;
}
