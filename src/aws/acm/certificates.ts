// Lives here: AWS Certificate Manager's part of the adapter: the list of certificates.
// May import it: src/aws; src/controllers/my-ingress takes certificates.ts, the port.
// Start with: this file, then operations.ts and certificates-client.ts.

/** A certificate that was issued, expired or not. https://docs.aws.amazon.com/acm/latest/APIReference/API_CertificateSummary.html */
export interface Certificate {
  readonly arn: string;
  /** Host names in lower case, some with a wildcard in place of the first label; the first 100. */
  readonly names: readonly string[];
  /** Wall time in ms. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** Certificates in ACM. As `SecurityGroups`: the method pays from the budget, is retried, and throws OperatorError. */
export interface Certificates {
  /** All that were issued in the account and region, expired ones too, and fit a load balancer; an answer younger than `maxAgeMs` is not read again. */
  list(maxAgeMs: number, signal: AbortSignal): Promise<readonly Certificate[]>;
}
