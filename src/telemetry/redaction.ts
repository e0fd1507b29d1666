import { OperatorError } from '../core/reconcile/operator-error.ts';

/**
 * Bounds and redacts what is logged: errors become short records, and every field named like a secret is
 * replaced, at any depth, before the line is made.
 */
const CENSOR = '[redacted]';
const SECRET_NAME =
  /^(authorization|cookie|set-cookie|.*password|.*passphrase|.*token|.*secret|.*secretaccesskey|accesskeyid|.*private-?key|client-?key(-?data)?|x-amz-.*)$/i;
const SECRET_IN_TEXT = /\b(Bearer|Basic|Signature=)\s*[\w.~+/=-]{8,}/g;

/** A forward action has its target groups at 6: fields, input, Actions, action, ForwardConfig, TargetGroups, group. */
const MAX_DEPTH = 7;
/** The most rules of a security group: https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html#vpc-limits-security-groups */
const MAX_ITEMS = 1000;
const MAX_TEXT = 2048;
/**
 * Of one call of `redact`, escapes not counted. A line of plain text stays well below 256 KB, beyond which Loki drops it:
 * https://grafana.com/docs/loki/latest/configure/#limits_config
 */
const MAX_CHARACTERS = 160_000;
/** Of any value next to its text: quotes, comma, colon. */
const SIGNS = 6;
/** Foreign errors put whole bodies and headers into their message; the first line says enough. */
const MAX_FOREIGN_MESSAGE = 300;

interface Place {
  readonly depth: number;
  /** Counts down for the whole value. */
  readonly left: { characters: number };
}

export function redact(value: unknown): unknown {
  return redactValue(value, { depth: 0, left: { characters: MAX_CHARACTERS } });
}

function redactValue(value: unknown, place: Place): unknown {
  const { left } = place;
  if (left.characters <= 0) return '[cut]';
  left.characters -= SIGNS + (typeof value === 'string' ? Math.min(value.length, MAX_TEXT) : 0);
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'object' && value !== null) return redactObject(value, place);
  return typeof value === 'bigint' || typeof value === 'symbol' ? String(value) : value;
}

function redactObject(value: object, place: Place): unknown {
  const { depth, left } = place;
  if (value instanceof Date) return value;
  if (depth >= MAX_DEPTH) return redactValue('[deeper]', place);
  const inside = { depth: depth + 1, left };
  if (Array.isArray(value)) return redactItems(value, inside);
  const fields = value instanceof Error ? describeError(value) : value;
  return redactFields(fields as Readonly<Record<string, unknown>>, inside);
}

function redactItems(items: readonly unknown[], inside: Place): readonly unknown[] {
  const kept: unknown[] = [];
  for (const item of items.slice(0, MAX_ITEMS)) {
    if (inside.left.characters <= 0) break;
    kept.push(redactValue(item, inside));
  }
  const dropped = items.length - kept.length;
  return dropped === 0 ? kept : [...kept, `and ${dropped} more`];
}

function redactFields(fields: Readonly<Record<string, unknown>>, inside: Place): object {
  const isSecretObject = fields['kind'] === 'Secret';
  const kept: [string, unknown][] = [];
  const entries = Object.entries(fields);
  for (const [name, value] of entries) {
    if (inside.left.characters <= 0) break;
    inside.left.characters -= name.length;
    const isSecret = SECRET_NAME.test(name) || (isSecretObject && /^(string)?data$/i.test(name));
    kept.push([name, isSecret && value !== undefined ? CENSOR : redactValue(value, inside)]);
  }
  const dropped = entries.length - kept.length;
  return Object.fromEntries(dropped === 0 ? kept : [...kept, ['...', `and ${dropped} more`]]);
}

function redactText(text: string): string {
  const short = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}...` : text;
  return short.replace(SECRET_IN_TEXT, `$1 ${CENSOR}`);
}

/**
 * Name, message and the few fields that tell errors apart. No other own field: the SDK hangs the
 * whole HTTP answer on its errors as `$response`, client-node body and headers.
 */
function describeError(error: Error): object {
  const { code, $metadata } = error as { code?: unknown; $metadata?: { requestId?: unknown } };
  const isOurs = error instanceof OperatorError;
  return {
    type: error.name,
    message: isOurs ? error.message : takeFirstLine(error.message),
    ...(isOurs ? { reason: error.reason, healedBy: error.healedBy } : {}),
    ...(isPlain(code) ? { code } : {}),
    ...(isPlain($metadata?.requestId) ? { awsRequestId: $metadata.requestId } : {}),
    ...(isOurs ? {} : { stack: trimStack(error) }),
    ...(error.cause === undefined ? {} : { cause: error.cause }),
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
