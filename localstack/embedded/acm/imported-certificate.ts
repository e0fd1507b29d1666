import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { AwsFault, constraintFault } from '../http/aws-fault.ts';
import type { Input } from '../input-fields.ts';

/** A certificate that was imported into ACM. */
export interface ImportedCertificate extends CertificateContent {
  /** Order of import; what a paging token points at. */
  readonly sequence: number;
  readonly arn: string;
  readonly createdAtMs: number;
  /** Of the latest import under this ARN. */
  readonly importedAtMs: number;
  readonly tags: ReadonlyMap<string, string>;
}

/** The content of an import. */
export interface CertificateContent {
  readonly x509: X509Certificate;
  readonly pem: string;
  readonly chainPem: string;
  readonly keyPem: string;
  /** The subject's common name first, then the alternative names, each once. */
  readonly names: readonly string[];
  readonly keyAlgorithm: string;
  readonly notAfterMs: number;
}

/** https://docs.aws.amazon.com/acm/latest/APIReference/API_ImportCertificate.html#API_ImportCertificate_RequestSyntax */
const MAX_BYTES = { Certificate: 32_768, PrivateKey: 5120, CertificateChain: 2_097_152 };

/** https://docs.aws.amazon.com/acm/latest/userguide/import-certificate-prerequisites.html */
const KEY_ALGORITHMS: readonly string[] = [
  ...['RSA_1024', 'RSA_2048', 'RSA_3072', 'RSA_4096'],
  ...['EC_prime256v1', 'EC_secp384r1', 'EC_secp521r1'],
];

/**
 * The certificate, its key and its chain: PEM, of a known algorithm, valid now, the key not encrypted
 * and of this certificate. Whether the chain belongs to it is not checked. Throws ValidationError.
 * Where no source stands beside a refusal, its code and words are unverified.
 */
export function readCertificate(input: Input, nowMs: number): CertificateContent {
  const pem = requiredPem(input, 'Certificate');
  const keyPem = requiredPem(input, 'PrivateKey');
  const chainPem = pemOf(input, 'CertificateChain') ?? '';
  if ((pem.match(/-----BEGIN CERTIFICATE-----/g) ?? []).length > 1) {
    // https://github.com/hashicorp/terraform-provider-aws/issues/19400
    throw refusal(
      'The certificate field contains more than one certificate. You can specify only one certificate in this field.',
    );
  }
  const x509 = parsed('certificate', () => new X509Certificate(pem));
  const key = parsed('private key', () => createPrivateKey(keyPem));
  if (!x509.checkPrivateKey(key)) throw refusal('The private key does not match the certificate.');
  const [notBeforeMs, notAfterMs] = [Date.parse(x509.validFrom), Date.parse(x509.validTo)];
  if (nowMs < notBeforeMs || nowMs > notAfterMs) {
    throw refusal('The certificate is not valid at this time.');
  }
  const keyAlgorithm = algorithmOf(x509.publicKey);
  return { x509, pem, chainPem, keyPem, names: namesOf(x509), keyAlgorithm, notAfterMs };
}

/** A blob as the SDK's command has it, or as it is on the wire: base64. */
function pemOf(input: Input, field: keyof typeof MAX_BYTES): string | undefined {
  const value = input[field];
  if (value === undefined || value === null) return undefined;
  const bytes = typeof value === 'string' ? Buffer.from(value, 'base64') : (value as Uint8Array);
  const max = MAX_BYTES[field];
  if (bytes.length >= 1 && bytes.length <= max) return Buffer.from(bytes).toString('latin1');
  const bound = bytes.length < 1 ? 'greater than or equal to 1' : `less than or equal to ${max}`;
  throw constraintFault(lowerFirst(field), '...', `Member must have length ${bound}`);
}

function requiredPem(input: Input, field: keyof typeof MAX_BYTES): string {
  const pem = pemOf(input, field);
  if (pem !== undefined) return pem;
  throw constraintFault(lowerFirst(field), 'null', 'Member must not be null');
}

function parsed<Part>(what: string, parse: () => Part): Part {
  try {
    return parse();
  } catch {
    throw refusal(`The ${what} is not valid PEM.`);
  }
}

function namesOf({ subject, subjectAltName = '' }: X509Certificate): readonly string[] {
  const common = /^CN=(.+)$/m.exec(subject)?.[1] ?? [];
  const alternatives = Array.from(
    subjectAltName.matchAll(/DNS:([^,\s]+)/g),
    ([, name = '']) => name,
  );
  return [...new Set([common, alternatives].flat())];
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  const { modulusLength, namedCurve } = asymmetricKeyDetails ?? {};
  const algorithm = asymmetricKeyType === 'rsa' ? `RSA_${modulusLength}` : `EC_${namedCurve}`;
  if (KEY_ALGORITHMS.includes(algorithm)) return algorithm;
  throw refusal(`The key algorithm ${algorithm} is not supported.`);
}

function refusal(message: string): AwsFault {
  return new AwsFault('ValidationException', message);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
