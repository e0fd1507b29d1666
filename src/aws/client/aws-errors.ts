import { isFields } from '../../core/objects/fields.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { hasReason, OperatorError } from '../../core/reconcile/operator-error.ts';
import { reasonByCode, trimCode } from './aws-codes.ts';
import { type AwsReason, type AwsReasonTexts, awsReasons } from './aws-reasons.ts';
import { type AwsOperation, getIamAction, getTraits } from './operations.ts';

/** The request to AWS, for the message. */
export interface AwsStep {
  readonly operation: AwsOperation;
  /** `load balancer <name or ARN>`, or fixed words for a call that many share. */
  readonly subject: string;
}

/** AWS's answer, for the metrics. */
export interface AwsOutcome {
  /** HTTP status; 0 where no answer came. */
  readonly statusCode: number;
  /** AWS's code without the suffix `Exception`, or the word of the platform; empty for success. */
  readonly errorCode: string;
}

const LONGEST_SENTENCE = 300;

/**
 * Turns whatever `AwsApi.send` threw into an OperatorError whose reason is one of aws-reasons.ts.
 * What is one already, LeadershipLost for example, stays as it is.
 */
export function translateAwsError(
  thrown: unknown,
  step: AwsStep,
  { texts = {}, reason = classifyReason(thrown, step.operation), quota }: TranslationOptions = {},
): OperatorError {
  if (thrown instanceof OperatorError) return thrown;
  const text = texts[reason] ?? awsReasons[reason];
  const next = reason === 'AccessDenied' ? adviseRight(thrown, step) : text.next;
  const sentence = describeCause(thrown, reason, text.cause);
  const detail = quota === undefined ? '' : ` (${quota})`;
  return createFailure(reason, step, { said: `${sentence}${detail}; ${next}`, cause: thrown });
}

interface TranslationOptions {
  readonly texts?: AwsReasonTexts;
  readonly reason?: AwsReason;
  /** The one that is full, and its number. */
  readonly quota?: string;
}

/** An answer that AWS's model does not allow, such as a list without the balancer asked for. */
export function createUnreadableError(step: AwsStep, said: string): OperatorError {
  return createFailure('AwsUnreadable', step, {
    said: `${said}; ${awsReasons.AwsUnreadable.next}`,
  });
}

/** The part without which an answer cannot be read. */
export function expectPart<T>(part: T | undefined, step: AwsStep, name: string): T {
  if (part) return part;
  throw createUnreadableError(step, `the answer lacks the ${name}`);
}

function createFailure(
  reason: AwsReason,
  { operation, subject }: AwsStep,
  { said, cause }: { readonly said: string; readonly cause?: unknown },
): OperatorError {
  const message = `${getTraits(operation).step} ${subject}: ${said}`;
  return new OperatorError({ reason, message, healedBy: awsReasons[reason].healedBy, cause });
}

/** The source of credentials may restart, or start after the operator: only then is a person asked. */
const CREDENTIALS_GRACE_MS = 300_000;

/** Translates failures, knowing since when there are no credentials: that decides who heals them. */
export class ErrorTranslator {
  readonly #clock: Clock;
  readonly #texts: AwsReasonTexts;
  #unavailableSinceMs: number | undefined;

  constructor(clock: Clock, texts: AwsReasonTexts = {}) {
    this.#clock = clock;
    this.#texts = texts;
  }

  /** AWS carried out a request. */
  recordSuccess(): void {
    this.#unavailableSinceMs = undefined;
  }

  /** `hadSkew`: the call was repeated by AWS's time already, so a second refusal has another cause. */
  translate(thrown: unknown, step: AwsStep & { readonly hadSkew: boolean }): OperatorError {
    const texts = this.#texts;
    const error = translateAwsError(thrown, step, { texts });
    // Whatever else AWS refused, it took the credentials.
    if (isAnswer(thrown, error) && !ABOUT_CREDENTIALS.has(error.reason)) {
      this.#unavailableSinceMs = undefined;
    }
    const isForPerson =
      error.reason === 'CredentialsUnavailable'
        ? this.#haveLasted()
        : step.hadSkew && error.reason === 'ClockSkew';
    return isForPerson
      ? translateAwsError(thrown, step, { texts, reason: 'CredentialsRefused' })
      : error;
  }

  #haveLasted(): boolean {
    const nowMs = this.#clock.monotonicMs();
    this.#unavailableSinceMs ??= nowMs;
    return nowMs - this.#unavailableSinceMs >= CREDENTIALS_GRACE_MS;
  }
}

/** Answers that do not show that AWS took the credentials. */
const ABOUT_CREDENTIALS: ReadonlySet<string> = new Set([
  'Throttled',
  'AwsUnavailable',
  'AwsUnreachable',
  'CredentialsRefused',
  'ClockSkew',
]);

/** Of AWS: neither of what hands out the credentials, nor of something on the way, nor of this process. */
export function isAnswer(thrown: unknown, { reason }: OperatorError): boolean {
  return classifyOutcome(thrown).statusCode > 0 && !OF_OTHERS.has(reason);
}

const OF_OTHERS: ReadonlySet<string> = new Set(['CredentialsUnavailable', 'AwsUnreadable']);

/**
 * One target group or trust store alone is unavailable. The status does not show it: HealthUnavailable has 500.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeTargetHealth.html
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateListener.html
 */
const ABOUT_ONE_RESOURCE: ReadonlySet<string> = new Set([
  'HealthUnavailable',
  'TrustStoreNotReady',
]);

/** Nothing follows from it for other calls. */
export function isAboutOneResource(thrown: unknown): boolean {
  return ABOUT_ONE_RESOURCE.has(classifyOutcome(thrown).errorCode);
}

/** undefined where AWS answered that the resource does not exist, and for nothing else. */
export async function allowAbsence<T>(
  operation: AwsOperation,
  reading: Promise<T>,
): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isAbsence(operation, error)) return undefined;
    throw error;
  }
}

export function isAbsence(operation: AwsOperation, error: unknown): boolean {
  return hasReason(error, ...getTraits(operation).absent);
}

export function classifyOutcome(thrown: unknown): AwsOutcome {
  if (thrown instanceof OperatorError) return { statusCode: 0, errorCode: thrown.reason };
  const codes = listCodes(thrown);
  const errorCode = codes.find((code) => reasonByCode.has(code)) ?? codes[0] ?? 'Unknown';
  return { statusCode: readStatus(thrown) ?? 0, errorCode };
}

export function areCredentialsRefused(thrown: unknown): boolean {
  return reasonByCode.get(classifyOutcome(thrown).errorCode) === 'CredentialsRefused';
}

/** Reads the header Retry-After where it counts seconds. */
export function readRetryAfterMs(thrown: unknown): number {
  const seconds = Number(readHeader(thrown, 'retry-after') ?? 0);
  return Number.isFinite(seconds) ? Math.max(0, seconds * 1000) : 0;
}

/** Whether AWS would answer otherwise later. */
export function isHealedByTime(thrown: unknown): boolean {
  return awsReasons[classify(thrown)].healedBy === 'time';
}

function classifyReason(thrown: unknown, operation: AwsOperation): AwsReason {
  const reason = classify(thrown);
  return getTraits(operation).reasons?.[reason] ?? reason;
}

function classify(thrown: unknown): AwsReason {
  const codes = listCodes(thrown);
  // 501 is how an endpoint says that it lacks the operation; LocalStack pairs it with
  // InternalFailure, which elsewhere is healed by time.
  if (readStatus(thrown) === 501) return 'OperationUnsupported';
  for (const code of codes) {
    const reason = reasonByCode.get(code);
    if (reason === 'CredentialsRefused' && isClockCorrected(thrown)) return 'ClockSkew';
    if (reason) return reason;
  }
  return classifyStatus(thrown);
}

const ABOUT_DATE = /^(Signature (expired|not yet current)|Request has expired)/;

/**
 * The SDK has learnt the time from AWS's answer and signs its next request by it. It marks only a clock that is wrong,
 * not one that was put right again: then AWS's words tell, since its codes also mean a wrong key.
 * https://github.com/aws/aws-sdk-js-v3/blob/main/packages/core/src/submodules/httpAuthSchemes/aws_sdk/AwsSdkSigV4Signer.ts
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-troubleshooting.html
 */
function isClockCorrected(thrown: unknown): boolean {
  const metadata = isFields(thrown) ? thrown['$metadata'] : undefined;
  if (isFields(metadata) && metadata['clockSkewCorrected'] === true) return true;
  const isAboutDate = ABOUT_DATE.test(readText(thrown, 'message') ?? '');
  return isAboutDate && readHeader(thrown, 'date') !== undefined;
}

/**
 * A refusal with a code that nobody here knows is taken as one that a person must heal: the same
 * request would be refused again, so it is shown at once and repeated at the slow pace, never in a
 * hot loop; should time heal it after all, that pace still finds out.
 */
function classifyStatus(thrown: unknown): AwsReason {
  const status = readStatus(thrown);
  if (status === 429) return 'Throttled';
  if (status !== undefined && status >= 500) return 'AwsUnavailable';
  if (status === undefined) return classifyUnanswered(thrown);
  return hasDocument(thrown) ? 'AwsError' : 'AwsUnreadable';
}

function classifyUnanswered(thrown: unknown): AwsReason {
  // Of files a call reads those with credentials alone, such as the token of a ServiceAccount.
  if (readText(thrown, 'syscall') === 'open') return 'CredentialsUnavailable';
  return isOfConnection(thrown) ? 'AwsUnreachable' : 'AwsError';
}

/**
 * The way to AWS, whatever the code: OpenSSL's words are codes too, and those of the system may also be about a file.
 * https://nodejs.org/api/errors.html#openssl-error-codes
 */
function isOfConnection(thrown: unknown, depth = 0): boolean {
  if (!isFields(thrown) || depth > 3) return false;
  const isOfTls = TLS_CODES.test(readText(thrown, 'code') ?? '');
  const isOfSocket = /^(connect|getaddrinfo)$/.test(readText(thrown, 'syscall') ?? '');
  return isOfTls || isOfSocket || isOfConnection(thrown['cause'], depth + 1);
}

/** https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const TLS_CODES = /^(ERR_(SSL|TLS)_|CERT_|UNABLE_TO_|INVALID_(CA|PURPOSE)$|PATH_LENGTH_EXCEEDED$)/;

/**
 * AWS names the action that it denied, which may be one that ELB takes on behalf of the caller
 * (ec2:DescribeSubnets), or the assumption of the role itself; and the kind of policy that does not allow it, which may
 * be one that only limits what the role allows.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html
 */
function adviseRight(thrown: unknown, { operation }: AwsStep): string {
  const said = readText(thrown, 'message') ?? '';
  const named = /not authorized to perform:? ([a-z0-9-]+:\w+)/i.exec(said)?.[1];
  const action = named ?? getIamAction(operation);
  if (said.includes('an explicit deny')) {
    return `have the explicit deny of ${action} removed or narrowed`;
  }
  const policy = /because no (?!role trust )([a-z -]{1,60}) allows /i.exec(said)?.[1] ?? ROLES_OWN;
  if (policy !== ROLES_OWN) {
    return `have ${action} allowed by the ${policy} too: an identity-based policy alone does not suffice`;
  }
  return action.startsWith('sts:')
    ? `correct the trust policy of the operator's role (AWS_ROLE_ARN): it must allow ${action} to the operator's ServiceAccount, as deploy/iam/trust-irsa.json does`
    : `allow ${action} in the IAM policy of the operator's role, as deploy/iam/policy.json does`;
}

/** AWS's words for it. */
const ROLES_OWN = 'identity-based policy';

/**
 * AWS's own sentence. Where the answer was no error document of AWS the SDK's words are about its
 * parser, so the table's cause says it better.
 */
function describeCause(thrown: unknown, reason: AwsReason, cause: string): string {
  const message = readText(thrown, 'message');
  if (!hasDocument(thrown) && readStatus(thrown) !== undefined) {
    return `${lowerFirst(cause)} (HTTP ${readStatus(thrown)})`;
  }
  const line = (message ?? '').replace(/\s+/g, ' ').trim().replace(/\.$/, '');
  if (line === '') return lowerFirst(cause);
  const sentence =
    line.length > LONGEST_SENTENCE ? `${line.slice(0, LONGEST_SENTENCE - 1)}…` : line;
  return hasManyCodes(reason) ? `${listCodes(thrown)[0] ?? 'Error'}: ${sentence}` : sentence;
}

/**
 * Candidates for the error code, best first: the code of AWS's document, the word of the platform
 * (ECONNRESET), the name of the SDK's class, and the same of the causes beneath.
 */
function listCodes(thrown: unknown, depth = 0): readonly string[] {
  if (!isFields(thrown) || depth > 3) return [];
  const own = [readText(thrown, 'Code'), readText(thrown, 'code'), readText(thrown, 'name')];
  const codes = own.filter((code) => code !== undefined && code !== 'Error').map(String);
  return [...codes.map(trimCode), ...listCodes(thrown['cause'], depth + 1)];
}

/** The reason does not name AWS's code, so the message does. */
function hasManyCodes(reason: AwsReason): boolean {
  return reason === 'AwsError' || reason === 'QuotaExceeded';
}

/** An error document of AWS has a code. For a page of something else the SDK has a name of its own, or its parser fails. */
export function hasDocument(thrown: unknown): boolean {
  if (readText(thrown, 'Code') !== undefined) return true;
  const isPage = /^(Unknown|NotFound)$/.test(readText(thrown, 'name') ?? '');
  return readText(thrown, '$fault') !== undefined && !isPage;
}

function readStatus(thrown: unknown): number | undefined {
  const metadata = isFields(thrown) ? thrown['$metadata'] : undefined;
  const status = isFields(metadata) ? metadata['httpStatusCode'] : undefined;
  return typeof status === 'number' ? status : undefined;
}

function readHeader(thrown: unknown, name: string): string | undefined {
  const response = isFields(thrown) ? thrown['$response'] : undefined;
  return readText(isFields(response) ? response['headers'] : undefined, name);
}

function readText(thrown: unknown, key: string): string | undefined {
  const value = isFields(thrown) ? thrown[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function lowerFirst(sentence: string): string {
  return /^[A-Z][a-z]/.test(sentence) ? sentence[0]?.toLowerCase() + sentence.slice(1) : sentence;
}
