import { OperatorError } from '../core/reconcile/operator-error.ts';

/**
 * Bounds and redacts what is logged: errors become short records, and every field named like a secret is
 * replaced, at any depth, before the line is made.
 */
const CENSOR = '[redacted]';
const SECRET_NAME =
  /^(authorization|cookie|set-cookie|.*password|.*passphrase|.*token|.*secret|.*secretaccesskey|accesskeyid|.*private-?key|client-?key(-?data)?|x-amz-.*)$/i;
const SECRET_IN_TEXT = /\b(Bearer|Basic|Signature=)\s*[\w.~+/=-]{8,}/g;

const MAX_DEPTH = 6;
const MAX_ITEMS = 100;
const MAX_TEXT = 2048;
/** Foreign errors put whole bodies and headers into their message; the first line says enough. */
const MAX_FOREIGN_MESSAGE = 300;

export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'object' && value !== null) return redactObject(value, depth);
  return typeof value === 'bigint' || typeof value === 'symbol' ? String(value) : value;
}

function redactObject(value: object, depth: number): unknown {
  if (value instanceof Date) return value;
  if (depth >= MAX_DEPTH) return '[deeper]';
  if (value instanceof Error) return describeError(value, depth);
  if (Array.isArray(value)) {
    return value.slice(0, MAX_ITEMS).map((item: unknown) => redact(item, depth + 1));
  }
  return redactFields(value as Readonly<Record<string, unknown>>, depth);
}

function redactFields(fields: Readonly<Record<string, unknown>>, depth: number): object {
  const isSecretObject = fields['kind'] === 'Secret';
  const entries = Object.entries(fields).map(([name, value]) => {
    const isSecret = SECRET_NAME.test(name) || (isSecretObject && /^(string)?data$/i.test(name));
    return [name, isSecret && value !== undefined ? CENSOR : redact(value, depth + 1)];
  });
  return Object.fromEntries(entries) as object;
}

function redactText(text: string): string {
  const short = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}...` : text;
  return short.replace(SECRET_IN_TEXT, `$1 ${CENSOR}`);
}

/**
 * Name, message and the few fields that tell errors apart. No other own field: the SDK hangs the
 * whole HTTP answer on its errors as `$response`, client-node body and headers.
 */
function describeError(error: Error, depth: number): object {
  const { code, $metadata } = error as { code?: unknown; $metadata?: { requestId?: unknown } };
  const isOurs = error instanceof OperatorError;
  return {
    type: error.name,
    message: redactText(isOurs ? error.message : takeFirstLine(error.message)),
    ...(isOurs ? { reason: error.reason, healedBy: error.healedBy } : {}),
    ...(isPlain(code) ? { code } : {}),
    ...(isPlain($metadata?.requestId) ? { awsRequestId: $metadata.requestId } : {}),
    ...(isOurs ? {} : { stack: trimStack(error) }),
    ...(error.cause === undefined ? {} : { cause: redact(error.cause, depth + 1) }),
  };
}

function takeFirstLine(message: string): string {
  return message.split('\n', 1)[0]?.slice(0, MAX_FOREIGN_MESSAGE) ?? '';
}

/** The calls alone: the stack's head repeats the message, untrimmed. */
function trimStack(error: Error): readonly string[] {
  const calls = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  return calls.slice(0, 8).map((line) => line.trim());
}

function isPlain(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
