import { constraintFault, validationError } from './http/aws-fault.ts';

/** Input of an operation, in the shape that the SDK's command takes. */
export type Input = Readonly<Record<string, unknown>>;

/** Throws ValidationError for anything but a string. */
export function textOf(input: Input, field: string): string | undefined {
  const value = input[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw typeFault(field, 'a string');
}

export function requiredText(input: Input, field: string): string {
  return textOf(input, field) ?? missing(field);
}

/** Throws ValidationError for anything but a list of strings. */
export function textsOf(input: Input, field: string): readonly string[] | undefined {
  const value = listOf(input, field);
  if (value === undefined) return undefined;
  return value.map((entry) => {
    if (typeof entry === 'string') return entry;
    throw typeFault(field, 'a list of strings');
  });
}

/** A list that AWS requires, with at least one member. */
export function requiredTexts(input: Input, field: string): readonly string[] {
  const value = textsOf(input, field) ?? missing(field);
  if (value.length > 0) return value;
  throw constraintFault(
    lowerFirst(field),
    '[]',
    'Member must have length greater than or equal to 1',
  );
}

/** Throws ValidationError for anything but a list of structures. */
export function structuresOf(input: Input, field: string): readonly Input[] | undefined {
  const value = listOf(input, field);
  if (value === undefined) return undefined;
  return value.map((entry) => {
    if (typeof entry === 'object' && entry !== null && !Array.isArray(entry)) return entry as Input;
    throw typeFault(field, 'a list of structures');
  });
}

/** Throws ValidationError for anything but an integer. */
export function integerOf(input: Input, field: string): number | undefined {
  const value = input[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  throw typeFault(field, 'an integer');
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function listOf(input: Input, field: string): readonly unknown[] | undefined {
  const value = input[field];
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return value;
  throw typeFault(field, 'a list');
}

function missing(field: string): never {
  throw validationError(
    `1 validation error detected: Value null at '${lowerFirst(field)}' failed to satisfy constraint: Member must not be null`,
  );
}

function typeFault(field: string, wanted: string): Error {
  return validationError(`'${lowerFirst(field)}' must be ${wanted}`);
}
