import type { OperationTraits } from '../client/operation-traits.ts';

export const acmOperations = {
  ListCertificates: {
    service: 'acm',
    bucket: 'acmReads',
    isIdempotent: true,
    absent: [],
    step: 'list',
    grant: { onlyIf: 'nothing' },
  },
} as const satisfies Readonly<Record<string, OperationTraits>>;

export type AcmOperation = keyof typeof acmOperations;

export interface AcmCertificate {
  readonly CertificateArn?: string;
  readonly DomainName?: string;
  readonly SubjectAlternativeNameSummaries?: readonly string[];
  readonly NotBefore?: Date;
  readonly NotAfter?: Date;
}

/** The part of ACM's messages in use, spelled as in its SDK; src/aws/acm/acm-commands.ts has the schemas. */
export interface AcmMessages {
  ListCertificates: [
    {
      readonly CertificateStatuses: readonly string[];
      readonly Includes: { readonly keyTypes: readonly string[] };
      readonly MaxItems: number;
      readonly NextToken?: string;
    },
    { readonly NextToken?: string; readonly CertificateSummaryList?: readonly AcmCertificate[] },
  ];
}
