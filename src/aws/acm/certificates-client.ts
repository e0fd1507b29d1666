import type { Clock } from '../../core/ports/clock.ts';
import type { AwsCall, Payer } from '../client/aws-call.ts';
import { readPages } from '../client/pages.ts';
import { SharedRead } from '../inventory/shared-read.ts';
import type { Certificate, Certificates } from './certificates.ts';
import type { AcmCertificate } from './operations.ts';

export type IssuedCertificates = SharedRead<readonly Certificate[]>;

/** The certificates of the account, read once for all objects. */
export function createIssuedCertificates(call: AwsCall, clock: Clock): IssuedCertificates {
  return new SharedRead({
    clock,
    load: (_key, signal, payer) => listIssued(call, { signal, ...payer }),
  });
}

/** Certificates over ACM. */
export function createCertificates(issued: IssuedCertificates, payer: Payer): Certificates {
  return { list: (maxAgeMs, signal) => issued.read('issued', { maxAgeMs, payer }, signal) };
}

const LARGEST_PAGE = 1000;

/**
 * Those that a load balancer takes. Without a filter ACM lists RSA keys of 1024 and 2048 bits alone.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/https-listener-certificates.html
 * https://docs.aws.amazon.com/acm/latest/APIReference/API_Filters.html
 */
const KEY_TYPES: readonly string[] = [
  ...['RSA_2048', 'RSA_3072', 'RSA_4096', 'EC_prime256v1', 'EC_secp384r1', 'EC_secp521r1'],
];

function listIssued(
  call: AwsCall,
  how: Payer & { readonly signal: AbortSignal },
): Promise<readonly Certificate[]> {
  return readPages(async (NextToken) => {
    const filter = {
      CertificateStatuses: ['ISSUED', 'EXPIRED'],
      Includes: { keyTypes: KEY_TYPES },
    };
    const input = { ...filter, MaxItems: LARGEST_PAGE, ...(NextToken && { NextToken }) };
    const answer = await call('ListCertificates', input, { ...how, subject: 'certificates' });
    const items = (answer.CertificateSummaryList ?? []).flatMap((one) => shapeOne(one) ?? []);
    return { items, next: answer.NextToken };
  });
}

function shapeOne(from: AcmCertificate): Certificate | undefined {
  const { CertificateArn: arn, DomainName, SubjectAlternativeNameSummaries = [] } = from;
  const { NotBefore, NotAfter } = from;
  if (!arn || NotBefore === undefined || NotAfter === undefined) return undefined;
  const names = [...(DomainName ? [DomainName] : []), ...SubjectAlternativeNameSummaries];
  return {
    arn,
    names: [...new Set(names.map((name) => name.toLowerCase()))],
    notBeforeMs: NotBefore.getTime(),
    notAfterMs: NotAfter.getTime(),
  };
}
