import type { Certificate } from '../../../aws/acm/certificates.ts';
import { abridge } from '../../../core/objects/abridge.ts';
import { omitUndefined } from '../../../core/objects/fields.ts';
import type { OperatorError } from '../../../core/reconcile/operator-error.ts';
import type { RouteListener, Routes, Spare, Unresolved } from '../routes/routes.ts';
import type { CertificateChoice } from './choose-certificates.ts';

/** The certificates of listeners whose spec names none, by port. */
export type FoundCertificates = ReadonlyMap<number, FoundCertificate>;

export interface FoundCertificate {
  readonly chosen: readonly Certificate[];
  /** Why there are none for some host, or for all. */
  readonly unresolved?: Unresolved;
  /** Hosts that others attach, without one: a matter of those alone. */
  readonly uncovered?: readonly string[];
  /** Those of them whose certificate has expired. */
  readonly expired?: readonly string[];
  readonly spare?: Spare;
}

/** True where ACM could not be read: nothing is known about the certificates. */
export function isRefused({ unresolved }: FoundCertificate): boolean {
  return unresolved !== undefined && unresolved.reason !== 'NoCertificate';
}

/** Every listener names its certificates. */
export const NOTHING_FOUND: FoundCertificates = new Map();

export function explainRefusal({ reason, message }: OperatorError): FoundCertificate {
  return { chosen: [], unresolved: { reason: reason as Unresolved['reason'], message } };
}

/** In a message. */
export const MOST_HOSTS = 5;

/** @param own hosts of the rules of the spec, in lower case */
export function explainMissing(
  own: ReadonlySet<string>,
  { chosen, missing: all, expired: past, spare }: CertificateChoice,
): FoundCertificate {
  if (chosen.length > 0 && all.length === 0) return { chosen };
  const missing = all.filter((host) => own.has(host));
  const others = all.filter((host) => !own.has(host));
  const expired = others.filter((host) => past.includes(host));
  const found = {
    chosen,
    ...(others.length > 0 && { uncovered: others }),
    ...(expired.length > 0 && { expired }),
    // Without any that is valid none replaces another.
    ...(chosen.length > 0 && { spare }),
  };
  if (chosen.length > 0 && missing.length === 0) return found;
  // Where the spec's own hosts lack none, nothing was chosen: all others lack one.
  const some = abridge(missing.length > 0 ? missing : others, MOST_HOSTS).join(', ');
  const message =
    all.length === 0
      ? 'it names no certificates, and no rule on it has hosts by which one could be found'
      : `it names no certificates, and none in AWS Certificate Manager is valid for ${some}`;
  const isOfOthers = missing.length === 0;
  return { ...found, unresolved: { reason: 'NoCertificate', message, isOfOthers } };
}

/** While it is not known which hosts others attach: any that the listener has may be for one of them, and stays. */
export function keepOthers(own: ReadonlySet<string>, choice: CertificateChoice): FoundCertificate {
  const { chosen, unresolved } = explainMissing(own, choice);
  const spare = { ...choice.spare, arns: [] };
  const isLacking = choice.missing.length > 0;
  return { chosen, uncovered: [], spare, ...(isLacking && omitUndefined({ unresolved })) };
}

/** The routes with what was found; pure. */
export function applyCertificates(
  routes: Routes,
  found: FoundCertificates = NOTHING_FOUND,
): Routes {
  const apply = (listener: RouteListener): RouteListener => {
    const { chosen, spare, uncovered, unresolved } = found.get(listener.port) ?? {};
    if (chosen === undefined) return listener;
    const certificates = chosen.map(({ arn }) => arn);
    return { ...listener, certificates, ...omitUndefined({ spare, uncovered, unresolved }) };
  };
  return { ...routes, listeners: routes.listeners.map(apply) };
}
