import { limitOf } from '../account-limits.ts';
import type { AwsWorld, ReadableWorld } from '../aws-world.ts';
import { AwsFault, validationError } from '../http/aws-fault.ts';
import { type Input, structuresOf } from '../input-fields.ts';
import { pageOf } from '../paging.ts';
import { listenerOf } from '../traffic/traffic-arns.ts';
import type { Listener, ListenerTls } from './listener.ts';
import { existingCertificate, readCertificate } from './listener-settings.ts';

/** One that is in the list stays. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_AddListenerCertificates.html */
export function addListenerCertificates(world: AwsWorld, input: Input): unknown {
  const listener = listenerOf(world, input);
  secured(listener);
  const arn = existingCertificate(world, structuresOf(input, 'Certificates') ?? []);
  if (!listener.extraCertificateArns.includes(arn)) checkCount(world, listener);
  const extraCertificateArns = [...new Set([...listener.extraCertificateArns, arn])];
  world.traffic.listeners.put({ ...listener, extraCertificateArns }, world.clock.now());
  const described = extraCertificateArns.map((one) => ({ CertificateArn: one, IsDefault: false }));
  return { Certificates: described };
}

/**
 * Whether there is room for one more. One that several listeners of the balancer have counts for each: unverified.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html
 */
function checkCount(world: ReadableWorld, { balancerArn }: Listener): void {
  const added = world.traffic.listeners
    .byKey(balancerArn)
    .flatMap(({ extraCertificateArns }) => extraCertificateArns);
  if (added.length < limitOf(world, 'certificates-per-application-load-balancer')) return;
  throw new AwsFault(
    'TooManyCertificates',
    "You've reached the limit on the number of certificates per load balancer",
  );
}

/** One that is not in the list is no error (unverified). https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_RemoveListenerCertificates.html */
export function removeListenerCertificates(world: AwsWorld, input: Input): unknown {
  const listener = listenerOf(world, input);
  const { certificateArn } = secured(listener);
  const arn = readCertificate(world, structuresOf(input, 'Certificates') ?? []);
  if (arn === certificateArn && !listener.extraCertificateArns.includes(arn)) {
    throw new AwsFault(
      'OperationNotPermitted',
      `The default certificate '${arn}' cannot be removed from the listener`,
    );
  }
  const extraCertificateArns = listener.extraCertificateArns.filter((one) => one !== arn);
  world.traffic.listeners.put({ ...listener, extraCertificateArns }, world.clock.now());
  return {};
}

/** A default one that is in the list too comes twice. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeListenerCertificates.html */
export function describeListenerCertificates(world: ReadableWorld, input: Input): unknown {
  const listener = listenerOf(world, input);
  const { certificateArn } = secured(listener);
  const certificates = [
    { CertificateArn: certificateArn, IsDefault: true },
    ...listener.extraCertificateArns.map((arn) => ({ CertificateArn: arn, IsDefault: false })),
  ].map((certificate, position) => ({ certificate, position }));
  const page = pageOf(input, certificates, ({ position }) => position);
  return {
    Certificates: page.items.map(({ certificate }) => certificate),
    NextMarker: page.nextMarker,
  };
}

/** The words are unverified. */
function secured({ tls }: Listener): ListenerTls {
  if (tls !== undefined) return tls;
  throw validationError('Certificates are supported for HTTPS listeners only');
}
