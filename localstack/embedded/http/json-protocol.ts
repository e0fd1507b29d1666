import type { IncomingHttpHeaders } from 'node:http';
import { type Input } from '../input-fields.ts';
import { AwsFault } from './aws-fault.ts';

/** AWS's JSON protocol 1.1, which ACM speaks: https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html */

export const JSON_TYPE = 'application/x-amz-json-1.1';

export function isJsonCall({ 'x-amz-target': target }: IncomingHttpHeaders): boolean {
  return target !== undefined;
}

/** Throws UnknownOperationException. */
export function targetOf({ 'x-amz-target': target }: IncomingHttpHeaders): string {
  const operation = /^CertificateManager\.(\w+)$/.exec(String(target))?.[1];
  if (operation !== undefined) return operation;
  throw new AwsFault('UnknownOperationException', `There is no operation ${String(target)}`);
}

/** Throws SerializationException. */
export function inputFromJson(body: string): Input {
  try {
    const input: unknown = JSON.parse(body);
    if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input as Input;
  } catch {
    // answered below
  }
  throw new AwsFault('SerializationException', 'The body is not a JSON object');
}

/**
 * Times are seconds on the wire. Without output the body is empty:
 * https://docs.aws.amazon.com/acm/latest/APIReference/API_DeleteCertificate.html
 */
export function jsonFromOutput(output: object): string {
  return Object.keys(output).length === 0 ? '' : JSON.stringify(onWire(output));
}

/** ValidationError is the query protocol's name for ValidationException, and so on. */
export function jsonFromFault({ code, message }: AwsFault): string {
  return JSON.stringify({ __type: JSON_CODES[code] ?? code, message });
}

const JSON_CODES: Readonly<Record<string, string>> = {
  ValidationError: 'ValidationException',
  AccessDenied: 'AccessDeniedException',
  InvalidAction: 'UnknownOperationException',
  TooManyTags: 'TooManyTagsException',
  // Which of the codes that the model declares is unverified.
  DuplicateTagKeys: 'InvalidParameterException',
};

function onWire(value: unknown): unknown {
  if (value instanceof Date) return value.getTime() / 1000;
  if (Array.isArray(value)) return value.map(onWire);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, onWire(part)]));
}
