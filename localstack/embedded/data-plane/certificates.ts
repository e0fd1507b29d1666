import { createSecureContext, type SecureContext } from 'node:tls';
import type { ImportedCertificate } from '../acm/imported-certificate.ts';
import type { ListenerTls } from '../listeners/listener.ts';

type Imported = ReadonlyMap<string, ImportedCertificate>;

/** The inputs that decide a handshake. */
export interface TlsChoice {
  readonly tls: ListenerTls;
  readonly extraCertificateArns: readonly string[];
  readonly imported: Imported;
}

const contexts = new WeakMap<ImportedCertificate, SecureContext>();

/**
 * The certificate for a client that asks for this name: of those that fit the best one, else the
 * default one. Undefined where it was never imported: nothing can be decrypted then.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/https-listener-certificates.html
 */
export function chooseCertificate(
  { tls, extraCertificateArns, imported }: TlsChoice,
  servername: string | undefined,
): ImportedCertificate | undefined {
  const arns = [tls.certificateArn, ...extraCertificateArns];
  const fitting = arns
    .flatMap((arn) => imported.get(arn) ?? [])
    .filter(({ x509 }) => servername !== undefined && x509.checkHost(servername) !== undefined);
  const [best] = fitting.toSorted(byPreference);
  return best ?? imported.get(tls.certificateArn);
}

/** The same object for the same certificate. */
export function secureContextOf(certificate: ImportedCertificate): SecureContext {
  const known = contexts.get(certificate);
  if (known !== undefined) return known;
  const context = createSecureContext(tlsMaterial(certificate));
  contexts.set(certificate, context);
  return context;
}

export function tlsMaterial({ pem, chainPem, keyPem }: ImportedCertificate): {
  readonly cert: string;
  readonly key: string;
} {
  return { cert: `${pem}\n${chainPem}`, key: keyPem };
}

/** ECDSA before RSA, then the longer key, then the one that is valid longer. */
function byPreference(left: ImportedCertificate, right: ImportedCertificate): number {
  const rank = ({ keyAlgorithm }: ImportedCertificate): number =>
    Number(keyAlgorithm.startsWith('EC')) * 100_000 + Number(/\d+/.exec(keyAlgorithm)?.[0]);
  return rank(right) - rank(left) || right.notAfterMs - left.notAfterMs;
}
