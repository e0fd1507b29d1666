import type { DesiredListener, DesiredRule, ObservedListener } from '../graph/graph.ts';
import type { Problem } from '../graph/problem.ts';
import type { Step } from '../graph/steps.ts';

/** While a host has no valid certificate, those that the listener has stay but for `spare`: one of them may cover it. */
export function keepCertificates(
  desired: DesiredListener,
  observed: ObservedListener | undefined,
): DesiredListener {
  const { listener, certificates } = observed ?? {};
  const isWhole = desired.unresolved === undefined && desired.uncovered === undefined;
  if (isWhole || listener?.protocol !== 'HTTPS') return desired;
  return {
    ...desired,
    certificates: mergeCertificates(desired, certificates ?? listener.certificates),
  };
}

function mergeCertificates(
  { certificates, spare }: DesiredListener,
  observed: readonly string[],
): readonly string[] {
  const kept = observed.filter((one) => spare?.arns.includes(one) !== true);
  return [...new Set(spare?.isDefault ? [...certificates, ...kept] : [...kept, ...certificates])];
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
  const isServing = unresolved?.isOfOthers === true && !lacksCertificate(desired);
  if (unresolved === undefined || isServing) return ofRules;
  const { reason, message } = unresolved;
  return [{ id, reason, message }, ...ofRules];
}

function listHosts({ conditions }: DesiredRule): readonly string[] {
  return conditions.flatMap(({ field, values }) => (field === 'host-header' ? values : []));
}

/**
 * Further certificates, where they were read; the default one may be among them or not: it leaves them before another
 * one needs its room. That AWS then takes it out of the list alone is unverified. Only HTTPS has any.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_RemoveListenerCertificates.html
 */
export function diffCertificates(
  desired: DesiredListener,
  { listener, certificates = desired.certificates }: ObservedListener,
): { readonly added: readonly Step[]; readonly removed: readonly Step[] } {
  const [observedDefault, ...observedFurther] = listener.protocol === 'HTTPS' ? certificates : [];
  const [desiredDefault, ...further] = desired.certificates;
  const missing = further.filter((one) => !observedFurther.includes(one));
  const kept = new Set([desiredDefault, ...further]);
  const left = desired.protocol === 'HTTPS' ? observedFurther.filter((one) => !kept.has(one)) : [];
  const isRoomNeeded = missing.length > 0 && desiredDefault === observedDefault;
  const twice = isRoomNeeded ? observedFurther.filter((one) => one === observedDefault) : [];
  return {
    added: [
      ...twice.map((one) => removeCertificate(desired, one, 'the default one')),
      ...missing.map((one) => addCertificate(desired, one)),
    ],
    removed: left.map((one) => removeCertificate(desired, one, 'left the spec')),
  };
}

export function isAdded(certificate: string, added: readonly Step[]): boolean {
  return added.some(({ operation, input }) => {
    return operation === 'AddListenerCertificates' && input.certificate === certificate;
  });
}

export function addCertificate({ id }: DesiredListener, certificate: string): Step {
  return {
    ...{ id, operation: 'AddListenerCertificates', why: `not there: ${certificate}` },
    ...{ needs: [id], input: { listener: id, certificate } },
  };
}

function removeCertificate({ id }: DesiredListener, certificate: string, why: string): Step {
  return {
    ...{ id, operation: 'RemoveListenerCertificates', why: `${why}: ${certificate}` },
    ...{ needs: [id], input: { listener: id, certificate } },
  };
}
