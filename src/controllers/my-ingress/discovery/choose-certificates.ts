import type { Certificate } from '../../../aws/acm/certificates.ts';

export interface CertificateChoice {
  /** Each once; the one of the first host first, for it becomes the default one. */
  readonly chosen: readonly Certificate[];
  /** Hosts that no certificate covers. */
  readonly missing: readonly string[];
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
  return {
    chosen: [...new Set(choices.flatMap(({ certificate }) => certificate ?? []))],
    missing: choices.flatMap(({ host, certificate }) => (certificate === undefined ? [host] : [])),
  };
}

function chooseFor(host: string, valid: readonly Certificate[]): Certificate | undefined {
  const isExact = ({ names }: Certificate): boolean => names.includes(host);
  const isWide = ({ names }: Certificate): boolean => names.includes(widen(host));
  return findNewest(valid.filter(isExact)) ?? findNewest(valid.filter(isWide));
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
