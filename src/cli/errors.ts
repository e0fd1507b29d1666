import { DeadlineExceeded } from '../core/ports/clock.ts';
import { OperatorError } from '../core/reconcile/operator-error.ts';
import { isTooLarge, KubeError, NoAnswerError, ProxyError } from '../kube/client/kube-error.ts';
import { explainAwsFailure } from './aws-failure.ts';

/** Exit codes. 2 is that of `plan` alone: something would change. */
export const exitCodes = {
  done: 0,
  failed: 1,
  /** EX_USAGE of sysexits.h: wrong arguments. */
  usage: 64,
  /** 128 + SIGINT: Ctrl-C, or another of `interruptions`. */
  interrupted: 130,
  /** 128 + SIGPIPE: the reader of the output has gone. */
  brokenPipe: 141,
} as const;

/** Signals that end a command, and their exit codes: 128 and the number. */
export const interruptions = { SIGINT: exitCodes.interrupted, SIGHUP: 129, SIGTERM: 143 } as const;

/** A failure in one lower-case sentence that ends in the next step. */
export class CommandError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'CommandError';
  }
}

/** A setting whose value is wrong, and not only missing. */
export class SettingError extends CommandError {
  constructor(message: string) {
    super(message);
    this.name = 'SettingError';
  }
}

/** Wrong arguments. */
export class UsageError extends CommandError {
  constructor(message: string, cause?: unknown) {
    super(message, cause);
    this.name = 'UsageError';
  }
}

const CHECK_ADDRESS = 'check that the address in the kubeconfig is that of an API server';

/** The next step after a ProxyError. */
export const ABOUT_PROXY = 'start the proxy, or correct proxy-url in the kubeconfig';

/** One sentence with the next step, for any error. */
export function describeError(error: unknown): string {
  if (error instanceof CommandError) return error.message;
  if (error instanceof OperatorError) return describeFailure(error);
  if (error instanceof KubeError) return `${error.message}: ${adviseOnAnswer(error)}`;
  if (error instanceof NoAnswerError || error instanceof DeadlineExceeded)
    return describeSilence(error);
  if (isTooLarge(error)) return `${error.message}: ${CHECK_ADDRESS}, or look at one namespace (-n)`;
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return `a defect of this command, please report it: ${what.split('\n', 1)[0]}`;
}

const ABOUT_AWS = ['AwsError', 'AwsUnreachable', 'AwsUnreadable', 'CredentialsUnavailable'];

function describeFailure({ cause, isUnanswered, message, reason }: OperatorError): string {
  // Of credentials for the cluster, which have the same reason, the adapter says that no server has answered.
  const isAboutAws = ABOUT_AWS.includes(reason) && !isUnanswered;
  const why = isAboutAws ? explainAwsFailure(cause) : undefined;
  return why === undefined ? addressCaller(message) : `${message.split(': ', 1)[0]}: ${why}`;
}

function describeSilence(error: NoAnswerError | DeadlineExceeded): string {
  if (error.cause instanceof ProxyError) return `${error.message}: ${ABOUT_PROXY}`;
  const untrusted = describeUntrusted(error.cause);
  if (untrusted !== undefined) return untrusted;
  return `${describeNoAnswer(error)}: check the context (kubectl config current-context) and the network`;
}

const THROTTLED = 'AWS throttles calls';
/** AWS's limits are the account's. */
export const WHO_CALLS_AWS = 'if it persists, CloudTrail shows what calls AWS in this account';

/** A sentence of the operator's code, read at a terminal: nothing retries, and the missing right is the caller's. */
export function addressCaller(message: string): string {
  return (
    message
      // Own limits alone fail no command: it has waited for AWS behind others of its calls.
      .replace(
        /client-side rate limit reached(; retrying in about \d+ s); .*$/,
        `${THROTTLED}$1; ${WHO_CALLS_AWS}`,
      )
      .replace(/; retrying in about \d+ s; (?:wait; )?/, '; try again in a minute; ')
      .replace(/if it persists, find out what else in the account calls .*$/, WHO_CALLS_AWS)
      .replace(
        "in the IAM policy of the operator's role, as deploy/iam/policy.json does",
        'to your own role or user, or choose other credentials (AWS_PROFILE): docs/iam.md lists the reads',
      )
  );
}

const UNSIGNED =
  'the certificate of the API server is not signed by the certificate-authority of the kubeconfig, or there is none in it: correct that, or server';

const CHECK_CLOCK = 'renew it, or correct the clock of this machine';

/** https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const UNTRUSTED: Readonly<Record<string, string>> = {
  SELF_SIGNED_CERT_IN_CHAIN: UNSIGNED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNSIGNED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNSIGNED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNSIGNED,
  CERT_HAS_EXPIRED: `the certificate of the API server has expired: ${CHECK_CLOCK}`,
  CERT_NOT_YET_VALID: `the certificate of the API server is not valid yet: ${CHECK_CLOCK}`,
  ERR_TLS_CERT_ALTNAME_INVALID:
    'the certificate of the API server is for other names: correct server or tls-server-name in the kubeconfig',
  ERR_SSL_WRONG_VERSION_NUMBER:
    'the server of the kubeconfig does not speak TLS there: correct its port, or write http://',
};

/** The sentence about a kubeconfig whose connection fails for TLS, by the codes of Node. */
export function describeUntrusted(cause: unknown): string | undefined {
  for (let one = cause; one instanceof Error; one = one.cause) {
    const { code } = one as NodeJS.ErrnoException;
    const sentence = code === undefined ? undefined : UNTRUSTED[code];
    if (sentence !== undefined) return sentence;
  }
  return undefined;
}

function describeNoAnswer(error: Error): string {
  return error instanceof DeadlineExceeded
    ? 'the API server did not answer in time'
    : error.message;
}

/** https://kubernetes.io/docs/reference/access-authn-authz/authentication/#anonymous-requests */
export function isAnonymous({ status, message }: KubeError): boolean {
  return status === 403 && message.includes('"system:anonymous"');
}

function adviseOnAnswer(error: KubeError): string {
  const { status, details } = error;
  switch (isOfOther(error) ? 0 : status) {
    case 0:
      return CHECK_ADDRESS;
    case 401:
      return 'log in again, or choose another user of the kubeconfig with --context';
    case 403:
      return adviseOnRights(error);
    case 404:
      return details?.name
        ? 'check kind, name and namespace (-n, -A)'
        : 'install the CRDs of albridge (docs/install.md), or choose another cluster with --context';
    case 400:
    case 422:
      return 'correct what is named';
    default:
      return 'try again; if it persists, check the API server';
  }
}

/** Without a Status it is a login page, or a server of another protocol. */
function isOfOther({ isForeign, reason, status }: KubeError): boolean {
  return isForeign || status < 400 || (status === 400 && reason === '');
}

function adviseOnRights(error: KubeError): string {
  return isAnonymous(error)
    ? 'nobody is logged in: log in, or choose another user of the kubeconfig with --context'
    : 'ask for the role "view", or for the right that is named';
}
