import type { DesiredListener, DesiredRule, ObservedListener } from '../graph/graph.ts';
import type { Problem } from '../graph/problem.ts';

/** Certificates of a listener whose spec names none; pure. */

/** While one could not be found for every host, those that the listener has stay, and so does its default one. */
export function keepCertificates(
  desired: DesiredListener,
  observed: ObservedListener | undefined,
): DesiredListener {
  const { listener, certificates } = observed ?? {};
  const isWhole = desired.unresolved === undefined && desired.uncovered === undefined;
  if (isWhole || listener?.protocol !== 'HTTPS') return desired;
  const kept = certificates ?? listener.certificates;
  return { ...desired, certificates: [...new Set([...kept, ...desired.certificates])] };
}

/** AWS takes no HTTPS listener without a certificate. */
export function lacksCertificate({ protocol, certificates }: DesiredListener): boolean {
  return protocol === 'HTTPS' && certificates.length === 0;
}

/** Of the listener, and of each attached rule by itself: one without a certificate is no matter of the others. */
export function describeUnresolved(desired: DesiredListener): readonly Problem[] {
  const { id, uncovered = [], unresolved } = desired;
  const ofRules = desired.rules.flatMap((rule): readonly Problem[] => {
    const hosts = listHosts(rule).filter((host) => uncovered.includes(host.toLowerCase()));
    if (hosts.length === 0) return [];
    const message = `none in AWS Certificate Manager is valid for ${hosts.join(', ')}`;
    return [{ id: rule.id, reason: 'NoCertificate', message }];
  });
  return [...(unresolved === undefined ? [] : [{ id, ...unresolved }]), ...ofRules];
}

function listHosts({ conditions }: DesiredRule): readonly string[] {
  return conditions.flatMap(({ field, values }) => (field === 'host-header' ? values : []));
}
