import { classifyOutcome, hasDocument } from '../aws/client/aws-errors.ts';
import { DeadlineExceeded } from '../core/ports/clock.ts';

/**
 * Why AWS has not answered and the next step, where the words of Node and the SDK lead elsewhere; undefined for all
 * other failures. `thrown` is what the SDK threw.
 */
export function explainAwsFailure(thrown: unknown): string | undefined {
  if (thrown instanceof DeadlineExceeded) return SILENT;
  for (const one of listCauses(thrown)) {
    const sentence = explainCode(one);
    if (sentence !== undefined) return sentence;
  }
  return explainStatus(thrown);
}

const MOST_CAUSES = 4;

function listCauses(thrown: unknown): readonly NodeJS.ErrnoException[] {
  const causes: NodeJS.ErrnoException[] = [];
  for (let one = thrown; one instanceof Error && causes.length < MOST_CAUSES; one = one.cause) {
    causes.push(one);
  }
  return causes;
}

const SILENT =
  'neither the credentials nor AWS answered in time: run aws sts get-caller-identity to see if a credential_process hangs, and check AWS_ENDPOINT_URL, HTTPS_PROXY and the network of this machine';
const UNSIGNED =
  'the certificate of the server is not signed by an authority that this machine trusts: set NODE_EXTRA_CA_CERTS to the file of its authority, or correct AWS_ENDPOINT_URL';
const NO_TLS =
  'the server does not speak TLS there: correct the port of AWS_ENDPOINT_URL, or write http://; with a proxy, check HTTPS_PROXY';

/** https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const SENTENCES: Readonly<Record<string, string>> = {
  SELF_SIGNED_CERT_IN_CHAIN: UNSIGNED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNSIGNED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNSIGNED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNSIGNED,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
};

function explainCode({ code = '', path, syscall }: NodeJS.ErrnoException): string | undefined {
  if (syscall === 'open' && path !== undefined)
    return `the file ${path} cannot be read (${code}): write it, or correct its path in the AWS profile or in AWS_WEB_IDENTITY_TOKEN_FILE`;
  if (code === 'EISDIR')
    return 'a file with credentials is a directory: correct its path in the AWS profile or in AWS_WEB_IDENTITY_TOKEN_FILE';
  if (SENTENCES[code] === undefined && code.startsWith('ERR_SSL_'))
    return `TLS with the server fails (${code}): check AWS_ENDPOINT_URL, and proxies on the way`;
  return SENTENCES[code];
}

/** Of an answer that is no document of AWS the SDK knows the status alone. */
function explainStatus(thrown: unknown): string | undefined {
  const { statusCode } = classifyOutcome(thrown);
  const isOfAws = statusCode === 0 || (statusCode >= 400 && hasDocument(thrown));
  if (isOfAws || statusCode === 429 || statusCode >= 500) return undefined;
  return `the server answers HTTP ${statusCode}, and not as AWS does: check AWS_ENDPOINT_URL, and proxies on the way`;
}
