import type { MyIngress } from '../../../apis/my-ingress.ts';
import { myIngressReasons } from '../../../apis/my-ingress-reasons.ts';
import { abridge } from '../../../core/objects/abridge.ts';
import type { StatedCondition } from '../../../core/objects/conditions.ts';
import { formatTime } from '../../../core/objects/kube-object.ts';
import {
  type FoundCertificate,
  type FoundCertificates,
  isRefused,
  MOST_HOSTS,
} from './found-certificates.ts';

/** `status` of certificates that were found; pure. */

type ListenerStatus = NonNullable<MyIngress['status']['listeners']>[number];

const TYPE = 'CertificatesValid';
/** ACM renews its own 60 days before they expire: https://docs.aws.amazon.com/acm/latest/userguide/managed-renewal.html */
const WARNING_MS = 21 * 24 * 3_600_000;
/** As the CRD has it. */
const MOST_SHOWN = 100;

/** `status.listeners[].certificates`; undefined: none was found. Those of `before` stay where ACM could not be read. */
export function describeCertificates(
  found: FoundCertificates,
  port: number,
  before: readonly ListenerStatus[],
): ListenerStatus['certificates'] {
  const one = found.get(port);
  if (one && isRefused(one)) return before.find((was) => was.port === port)?.certificates;
  const { chosen = [] } = one ?? {};
  if (chosen.length === 0) return undefined;
  const shown = chosen.slice(0, MOST_SHOWN);
  return shown.map(({ arn, notAfterMs }) => ({ arn, notAfter: formatTime(notAfterMs) }));
}

/**
 * A warning before a certificate expires, which stays until it is replaced; nothing for an object whose listeners name
 * all of theirs, and while ACM cannot be read.
 */
export function stateCertificates(
  { status }: MyIngress,
  found: FoundCertificates,
  nowMs: number,
): readonly StatedCondition[] {
  if (found.size === 0) {
    const isStated = (status?.conditions ?? []).some(({ type }) => type === TYPE);
    const message = 'every HTTPS listener names its certificates';
    return isStated ? [{ type: TYPE, status: 'True', reason: 'CertificatesNamed', message }] : [];
  }
  if ([...found.values()].some(isRefused)) return [];
  const invalid = [...found].flatMap(([port, one]) => explainInvalid(port, one));
  if (invalid.length > 0) {
    const message = `${invalid.join('; ')}; ${myIngressReasons.NoCertificate.next}`;
    return [{ type: TYPE, status: 'False', reason: 'NoCertificate', message }];
  }
  const expiring = [...found].flatMap(([port, { chosen }]) =>
    chosen
      .filter(({ notAfterMs }) => notAfterMs - nowMs < WARNING_MS)
      .map(({ arn, notAfterMs }) => `${arn} of listener ${port} expires ${formatTime(notAfterMs)}`),
  );
  if (expiring.length === 0) {
    const message = 'no certificate that was found expires within 21 days';
    return [{ type: TYPE, status: 'True', reason: 'CertificatesCurrent', message }];
  }
  const message = `${expiring.join(', ')}; import or request a newer one, which is then used`;
  return [{ type: TYPE, status: 'False', reason: 'CertificateExpiring', message }];
}

/** Hosts of others count only where they have had a certificate. */
function explainInvalid(
  port: number,
  { unresolved, expired = [] }: FoundCertificate,
): readonly string[] {
  const some = abridge(expired, MOST_HOSTS).join(', ');
  return [
    ...(unresolved ? [`listener ${port}: ${unresolved.message}`] : []),
    ...(some ? [`listener ${port}: the certificate for ${some} has expired`] : []),
  ];
}
