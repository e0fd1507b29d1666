import { toFields } from '../../core/objects/fields.ts';
import { DeadlineExceeded } from '../../core/ports/clock.ts';
import { CoreReason, OperatorError } from '../../core/reconcile/operator-error.ts';
import { BodyTooLarge } from '../../http/exchange.ts';
import { type KubeReason, kubeReasons } from './kube-reasons.ts';

/** The parts of a Status that callers decide on; https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/ */
export interface KubeErrorDetails {
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly causes: readonly { readonly reason?: string; readonly field?: string }[];
}

export interface KubeErrorOptions {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
  readonly retryAfterMs?: number;
  readonly details?: KubeErrorDetails;
  /** No API server writes such an answer. */
  readonly isForeign?: boolean;
}

/** A proxy in front of the API server may ask for hours. */
const MOST_RETRY_AFTER_MS = 60_000;

/** An answer of the API server other than 2xx, or an ERROR event of a watch. */
export class KubeError extends Error {
  /** HTTP status. */
  readonly status: number;
  /** `reason` of the Status body, such as NotFound or Expired; empty if it gave none. */
  readonly reason: string;
  /** Delay that the server asked for, in milliseconds; a minute at most. */
  readonly retryAfterMs: number | undefined;
  readonly details: KubeErrorDetails | undefined;
  readonly isForeign: boolean;

  constructor(options: KubeErrorOptions) {
    super(options.message);
    this.name = 'KubeError';
    this.status = options.status;
    this.reason = options.reason;
    const { retryAfterMs } = options;
    this.retryAfterMs = retryAfterMs && Math.min(retryAfterMs, MOST_RETRY_AFTER_MS);
    this.details = options.details;
    this.isForeign = options.isForeign ?? false;
  }
}

/** For an answer, such as to "a list of pods", that is none of an API server. */
export function createForeignError(what: string): KubeError {
  const message = `the answer to ${what} is none of Kubernetes`;
  return new KubeError({ status: 200, reason: '', message, isForeign: true });
}

/** The proxy of the kubeconfig cannot be reached, or refuses the connection. */
export class ProxyError extends Error {
  /** `proxyUrl` without a login. */
  constructor(proxyUrl: string, cause: unknown) {
    super(`through the proxy ${proxyUrl}: ${describeCause(cause)}`, { cause });
    this.name = 'ProxyError';
  }
}

/** The connection broke, or never came to be, before the whole answer had arrived. */
export class NoAnswerError extends Error {
  constructor(cause: unknown) {
    super(`no answer from the API server: ${toOneLine(describeCause(cause))}`, { cause });
    this.name = 'NoAnswerError';
  }
}

/** True of a connection, to a proxy too, that was not there within the time that undici waits for it. */
export function isConnectTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, cause } = error as NodeJS.ErrnoException;
  return code === 'UND_ERR_CONNECT_TIMEOUT' || isConnectTimeout(cause);
}

/**
 * Reads an answer that is not 2xx. Its body is a Status, or anything that a proxy on the way sent;
 * only the Status's own words go into the message, never the body or the headers.
 */
export function parseKubeError(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): KubeError {
  const statusBody = parseStatus(body);
  const error = createKubeError(status, statusBody);
  const headerMs = parseRetryAfter(headers['retry-after']);
  const isForeign = statusBody['kind'] === undefined && isOfOther(status, body);
  if (headerMs === undefined && !isForeign) return error;
  return new KubeError({
    ...copyOptions(error),
    isForeign,
    ...(headerMs !== undefined && { retryAfterMs: headerMs }),
  });
}

/** For a path that is not served an API server has a text; a proxy may send none. */
function isOfOther(status: number, body: string): boolean {
  if (status === 403) return /^\s*</.test(body);
  return status === 404 && !['', '404 page not found'].includes(body.trim());
}

/** The KubeError for the `object` of a watch's ERROR event, which is a Status too. */
export function parseErrorEvent(object: unknown): KubeError {
  const status = toFields(object);
  return createKubeError(typeof status['code'] === 'number' ? status['code'] : 500, status);
}

/** The answer is longer than any that a request is made for. */
export function isTooLarge(error: unknown): error is BodyTooLarge {
  return error instanceof BodyTooLarge;
}

/** The object is not there, while its kind is. */
export function isNotFound(error: unknown): boolean {
  return error instanceof KubeError && error.status === 404 && !isKindMissing(error);
}

/**
 * The kind itself is not served: the API server answers 404 without naming an object (a plain text
 * for an unknown group, a Status without details.name for an unknown resource).
 */
function isKindMissing(error: unknown): boolean {
  return error instanceof KubeError && error.status === 404 && !error.details?.name;
}

export function isConflict(error: unknown): boolean {
  return error instanceof KubeError && error.status === 409;
}

/** The object breaks a rule, or a `test` of a JSON patch failed. */
export function isInvalid(error: unknown): error is KubeError {
  return error instanceof KubeError && error.status === 422;
}

/**
 * The object of this name is not the one whose UID the patch gave: the API server says that the
 * field is immutable.
 */
export function isOtherObject(error: unknown): boolean {
  if (!isInvalid(error)) return false;
  return error.details?.causes.some((cause) => cause.field === 'metadata.uid') ?? false;
}

/**
 * An apply with a field that the API server does not know, or of another type: it is answered 500 without a
 * reason, since its error is a plain one
 * (https://github.com/kubernetes/apimachinery/blob/v0.34.0/pkg/util/managedfields/internal/structuredmerge.go#L104-L160),
 * and 400 once https://github.com/kubernetes/kubernetes/pull/139255 is in, by its description.
 */
export function isRefusedApply(error: unknown): boolean {
  if (!(error instanceof KubeError) || ![400, 500].includes(error.status)) return false;
  return /^failed to (?:create typed patch object|convert new object) /.test(error.message);
}

/** A write into a namespace that is being deleted, or that is gone. */
export function isNamespaceTerminating(error: unknown): boolean {
  if (!(error instanceof KubeError)) return false;
  const { details } = error;
  if (error.status === 404) return details?.kind === 'namespaces';
  return details?.causes.some((cause) => cause.reason === 'NamespaceTerminating') ?? false;
}

/**
 * Translates at the border of the adapter. `step` names the step and the object in lower case:
 * "add finalizer to web/shop". Errors that are not the API server's travel unchanged: an
 * OperatorError is translated already, anything else is a bug for the core to report as one.
 */
export function toOperatorError(step: string, error: unknown): unknown {
  if (error instanceof KubeError) return createOperatorError(step, error);
  if (!(error instanceof NoAnswerError) && !(error instanceof DeadlineExceeded)) return error;
  const message = `${step}: ${error.message}`;
  return new OperatorError({
    reason: 'ApiServerUnavailable' satisfies KubeReason,
    message,
    healedBy: 'time',
    isUnanswered: true,
    cause: error,
  });
}

/** Runs `work` and translates what it throws. */
export async function translateErrors<T>(step: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toOperatorError(step, error);
  }
}

function createOperatorError(step: string, error: KubeError): OperatorError {
  const reason = classifyReason(error);
  const { healedBy } = kubeReasons[reason];
  const advice = healedBy === 'person' ? `; ${adviseNext(reason, error)}` : '';
  const what =
    reason === 'KindNotInstalled' ? 'the API server does not serve this kind' : error.message;
  return new OperatorError({
    reason,
    message: `${step}: ${what}${advice}`,
    healedBy,
    cause: error,
    ...(error.retryAfterMs !== undefined && { notBeforeMs: error.retryAfterMs }),
  });
}

/**
 * Of a right that is missing the API server says whose and which; admission refuses in words of its own,
 * under the same status and reason
 * (https://github.com/kubernetes/apiserver/blob/v0.34.0/pkg/endpoints/handlers/responsewriters/errors.go).
 */
function adviseNext(reason: KubeReason, { message }: KubeError): string {
  if (reason !== 'Forbidden') return kubeReasons[reason].next;
  const isRightMissing = /\bUser "[^"]*" cannot \S+ /.test(message);
  if (isRightMissing) return "grant the named verb on the named resource to the operator's role";
  return 'relax the quota, policy or Pod Security level that refuses it, or change what it names';
}

const REASON_BY_STATUS: Readonly<Record<number, KubeReason>> = {
  400: 'Invalid',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: CoreReason.Conflict,
  409: CoreReason.Conflict,
  413: 'Invalid',
  415: 'Invalid',
  422: 'Invalid',
};

function classifyReason(error: KubeError): KubeReason {
  if (isRefusedApply(error)) return 'Invalid';
  if (isNamespaceTerminating(error)) return 'NamespaceTerminating';
  if (isKindMissing(error)) return 'KindNotInstalled';
  if (isOtherObject(error)) return CoreReason.Conflict;
  return REASON_BY_STATUS[error.status] ?? 'ApiServerUnavailable';
}

function createKubeError(status: number, body: Readonly<Record<string, unknown>>): KubeError {
  const details = toFields(body['details']);
  const retryAfterSeconds = details['retryAfterSeconds'];
  return new KubeError({
    status,
    reason: pickTextOr(body['reason'], ''),
    message: toOneLine(pickTextOr(body['message'], '') || `the API server answered ${status}`),
    ...(body['details'] !== undefined && { details: parseDetails(details) }),
    ...(typeof retryAfterSeconds === 'number' && { retryAfterMs: retryAfterSeconds * 1000 }),
  });
}

function parseDetails(details: Readonly<Record<string, unknown>>): KubeErrorDetails {
  const causes = Array.isArray(details['causes']) ? details['causes'].map(toFields) : [];
  return {
    ...pickText(details, 'kind'),
    ...pickText(details, 'name'),
    ...pickText(details, 'uid'),
    causes: causes.map((cause) => ({
      ...pickText(cause, 'reason'),
      ...pickText(cause, 'field'),
    })),
  };
}

function copyOptions(error: KubeError): KubeErrorOptions {
  const { status, reason, message, details, retryAfterMs } = error;
  const known = { status, reason, message, ...(details !== undefined && { details }) };
  return retryAfterMs === undefined ? known : { ...known, retryAfterMs };
}

/** The API server sends whole seconds; a date (https://www.rfc-editor.org/rfc/rfc9110#name-retry-after) it never sends. */
function parseRetryAfter(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined;
}

function parseStatus(body: string): Readonly<Record<string, unknown>> {
  try {
    const parsed = toFields(JSON.parse(body));
    return parsed['kind'] === 'Status' ? parsed : {};
  } catch {
    return {};
  }
}

function pickText<K extends string>(
  from: Readonly<Record<string, unknown>>,
  key: K,
): { readonly [P in K]?: string } {
  const value = from[key];
  return (typeof value === 'string' ? { [key]: value } : {}) as { readonly [P in K]?: string };
}

function pickTextOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}

/** A failure for each address of a name has no words of its own. */
function describeCause(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.message === '' && cause instanceof AggregateError)
    return describeCause(cause.errors[0]);
  return cause.message;
}

const MAX_MESSAGE_LENGTH = 1000;

/** Messages end up in conditions and events: one line, bounded. */
function toOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= MAX_MESSAGE_LENGTH ? line : `${line.slice(0, MAX_MESSAGE_LENGTH - 1)}…`;
}
