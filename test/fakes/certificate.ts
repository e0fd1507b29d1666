import 'reflect-metadata'; // what @peculiar/x509 stands on asks for it
import { webcrypto } from 'node:crypto';
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509';

/** As ImportCertificate takes it, PEM. */
export interface MadeCertificate {
  readonly certificate: string;
  readonly privateKey: string;
}

export interface CertificatePlan {
  readonly algorithm?: 'RSA' | 'ECDSA';
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

const ALGORITHMS = {
  RSA: {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    publicExponent: new Uint8Array([1, 0, 1]),
    modulusLength: 2048,
  },
  ECDSA: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
};

const HOUR_MS = 3_600_000;

/** A certificate for these names that has signed itself; by default RSA, which ACM lists unasked. */
export async function makeCertificate(
  names: readonly [string, ...string[]],
  plan: CertificatePlan = {},
): Promise<MadeCertificate> {
  const signingAlgorithm = ALGORITHMS[plan.algorithm ?? 'RSA'];
  const keys = await webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...{ name: `CN=${names[0]}`, keys, signingAlgorithm, serialNumber: '01' },
    notBefore: plan.notBefore ?? new Date(Date.now() - HOUR_MS),
    notAfter: plan.notAfter ?? new Date(Date.now() + 24 * HOUR_MS),
    extensions: [
      new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value }))),
    ],
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const lines = key.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    certificate: certificate.toString('pem'),
    privateKey: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`,
  };
}
