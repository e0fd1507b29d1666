import { constraintFault, validationError } from '../http/aws-fault.ts';
import { type Input, integerOf, structuresOf, textOf } from '../input-fields.ts';

/** Throws ValidationError for a value that AWS's model does not list. */
export function checkedEnum<const Value extends string>(
  input: Input,
  field: string,
  values: readonly Value[],
): Value | undefined {
  const value = textOf(input, field);
  if (value === undefined) return undefined;
  const known = values.find((one) => one === value);
  if (known !== undefined) return known;
  const set = `Member must satisfy enum value set: [${values.join(', ')}]`;
  throw constraintFault(lowerFirst(field), value, set);
}

/** Throws ValidationError outside the bounds, in AWS's words (https://github.com/aws-cloudformation/cfn-lint/pull/807). */
export function integerBetween(
  input: Input,
  field: string,
  [min, max]: readonly [number, number],
): number | undefined {
  const value = integerOf(input, field);
  if (value === undefined || (value >= min && value <= max)) return value;
  const bound = value < min ? `greater than or equal to ${min}` : `less than or equal to ${max}`;
  throw constraintFault(lowerFirst(field), String(value), `Member must have value ${bound}`);
}

/** Throws ValidationError for anything but true and false. */
export function booleanOf(input: Input, field: string): boolean | undefined {
  const value = input[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value;
  throw validationError(`'${lowerFirst(field)}' must be a boolean`);
}

/** Throws ValidationError for anything but one structure. */
export function structureOf(input: Input, field: string): Input | undefined {
  const value = input[field];
  if (value === undefined || value === null) return undefined;
  return structuresOf({ [field]: [value] }, field)?.[0];
}

/** Throws ValidationError for a longer text. */
export function checkLength(field: string, value: string, max: number): void {
  if (value.length <= max) return;
  throw constraintFault(field, value, `Member must have length less than or equal to ${max}`);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
