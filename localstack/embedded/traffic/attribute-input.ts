import { validationError } from '../http/aws-fault.ts';
import { type Input, requiredText, structuresOf, textOf } from '../input-fields.ts';

/** `Attributes` of a Modify operation, each key once. Throws ValidationError. */
export function readAttributes(
  input: Input,
  ofWhat: string,
  check: (key: string, value: string) => void,
): ReadonlyMap<string, string> {
  const entries = structuresOf(input, 'Attributes') ?? [];
  if (entries.length === 0) throw validationError('At least one attribute must be specified');
  const changes = new Map<string, string>();
  for (const entry of entries) {
    const key = requiredText(entry, 'Key');
    const value = textOf(entry, 'Value') ?? '';
    if (changes.has(key)) {
      throw validationError(`${ofWhat} attribute key '${key}' is specified more than once`);
    }
    check(key, value);
    changes.set(key, value);
  }
  return changes;
}

export function attributesAnswer(attributes: ReadonlyMap<string, string>): unknown {
  return { Attributes: Array.from(attributes, ([Key, Value]) => ({ Key, Value })) };
}
