import type { Certificate } from '../../../aws/acm/certificates.ts';
import type { Spare } from '../routes/routes.ts';

export interface CertificateChoice {
  /** Each once; the one of the first host first, for it becomes the default one. */
  readonly chosen: readonly Certificate[];
  /** Hosts that no valid certificate covers. */
  readonly missing: readonly string[];
  /** Those of them that an expired one covers. */
  readonly expired: readonly string[];
  readonly spare: Spare;
}

/**
 * Chooses one certificate for each host: one with its very name before one with a wildcard, then the newest that is
 * valid; pure. A host may be a pattern: `*.example.com` and `api-*.example.com` are covered by `*.example.com`.
 */
export function chooseCertificates(
  hosts: readonly string[],
  issued: readonly Certificate[],
  nowMs: number,
): CertificateChoice {
  const valid = issued.filter(({ notBeforeMs, notAfterMs }) => {
    return notBeforeMs <= nowMs && nowMs < notAfterMs;
  });
  const choices = [...new Set(hosts.map((host) => host.toLowerCase()))].map((host) => ({
    host,
    certificate: chooseFor(host, valid),
  }));
  const chosen = [...new Set(choices.flatMap(({ certificate }) => certificate ?? []))];
  const missing = choices.flatMap(({ host, certificate }) => (certificate ? [] : [host]));
  const past = issued.filter(({ notAfterMs }) => notAfterMs <= nowMs);
  const spare = issued.filter((one) => {
    return !chosen.includes(one) && !missing.some((host) => mayServe(one, host, chosen));
  });
  return {
    ...{ chosen, missing },
    expired: missing.filter((host) => chooseFor(host, past) !== undefined),
    spare: {
      arns: spare.map(({ arn }) => arn),
      isDefault: choices[0]?.certificate !== undefined,
    },
  };
}

/** As ACM lists them. https://docs.aws.amazon.com/acm/latest/APIReference/API_CertificateSummary.html */
const MOST_NAMES = 100;

/** A pattern may be meant for each name that the chosen ones leave out. */
function mayServe(one: Certificate, host: string, chosen: readonly Certificate[]): boolean {
  if (one.names.length >= MOST_NAMES) return true;
  if (!/[*?]/.test(host)) return chooseFor(host, [one]) !== undefined;
  return one.names.some((name) => chooseFor(name, chosen) === undefined);
}

function chooseFor(host: string, all: readonly Certificate[]): Certificate | undefined {
  const isExact = ({ names }: Certificate): boolean => names.includes(host);
  const isWide = ({ names }: Certificate): boolean => names.includes(widen(host));
  return findNewest(all.filter(isExact)) ?? findNewest(all.filter(isWide));
}

/** A wildcard of a certificate stands for one label: https://www.rfc-editor.org/rfc/rfc9525#section-6.3 */
function widen(host: string): string {
  return host.replace(/^[^.]+/, '*');
}

function findNewest(certificates: readonly Certificate[]): Certificate | undefined {
  return certificates.toSorted((a, b) => {
    const byAge = b.notBeforeMs - a.notBeforeMs || b.notAfterMs - a.notAfterMs;
    return byAge || (a.arn < b.arn ? -1 : 1);
  })[0];
}
