import type { ReadableWorld } from '../aws-world.ts';
import { AwsFault, invalidConfiguration, validationError } from '../http/aws-fault.ts';
import { type Input, requiredText, structuresOf, textOf } from '../input-fields.ts';
import { checkedEnum, integerBetween } from '../traffic/checked-input.ts';
import type { Listener, ListenerProtocol, ListenerTls } from './listener.ts';
import { describeMutualAuthentication, readMutualAuthentication } from './mutual-authentication.ts';

/** The settings by which, with the default actions, a second create means the same listener. */
export type ListenerSettings = Pick<Listener, 'port' | 'protocol' | 'tls'>;

const PROTOCOLS = [
  ...['HTTP', 'HTTPS', 'TCP', 'TLS', 'UDP', 'TCP_UDP', 'GENEVE', 'QUIC', 'TCP_QUIC'],
];

/**
 * Settings of CreateListener, and of ModifyListener where `before` holds what is left out.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateListener.html
 * Where no source stands beside a refusal, its code and words are unverified.
 */
export function readListenerSettings(
  world: ReadableWorld,
  input: Input,
  before?: Listener,
): ListenerSettings {
  const port = integerBetween(input, 'Port', [1, 65_535]) ?? before?.port;
  if (port === undefined) throw validationError('A listener port must be specified');
  const protocol = readProtocol(input) ?? before?.protocol;
  if (protocol === undefined) throw validationError('A listener protocol must be specified');
  if ((input['AlpnPolicy'] as readonly unknown[] | undefined)?.length) {
    throw invalidConfiguration(`An ALPN policy cannot be specified for ${protocol} listeners`);
  }
  if (protocol === 'HTTP') {
    checkPlain(world, input);
    return { port, protocol };
  }
  return { port, protocol, tls: readTls(world, input, before) };
}

export function describeTls(tls: ListenerTls | undefined): Record<string, unknown> {
  if (tls === undefined) return {};
  return {
    Certificates: [{ CertificateArn: tls.certificateArn }],
    SslPolicy: tls.policy,
    MutualAuthentication: describeMutualAuthentication(tls.mutualAuthentication),
  };
}

/** Throws CertificateNotFound beyond what readCertificate throws. */
export function existingCertificate(world: ReadableWorld, entries: readonly Input[]): string {
  const arn = readCertificate(world, entries);
  if (world.certificates.has(arn)) return arn;
  throw new AwsFault('CertificateNotFound', `Certificate '${arn}' not found`);
}

/** The one certificate of a call, which may be gone. Throws ValidationError or TooManyCertificates. */
export function readCertificate(world: ReadableWorld, entries: readonly Input[]): string {
  const [entry] = entries;
  if (entry === undefined) {
    throw validationError('A certificate must be specified for HTTPS listeners');
  }
  if (entries.length > 1) {
    throw new AwsFault(
      'TooManyCertificates',
      `Up to '1' certificate ARNs can be specified, but '${entries.length}' were specified`,
    );
  }
  if (entry['IsDefault'] !== undefined) {
    throw validationError('IsDefault cannot be specified for a certificate');
  }
  return checkedCertificate(world, requiredText(entry, 'CertificateArn'));
}

function readProtocol(input: Input): ListenerProtocol | undefined {
  const protocol = checkedEnum(input, 'Protocol', PROTOCOLS);
  if (protocol === undefined || protocol === 'HTTP' || protocol === 'HTTPS') return protocol;
  // As moto 5.2 has it.
  throw validationError(`Listener protocol '${protocol}' must be one of 'HTTP, HTTPS'`);
}

/** https://github.com/theopensystemslab/planx-new/pull/1051, with AWS's spelling */
function checkPlain(world: ReadableWorld, input: Input): void {
  if (textOf(input, 'SslPolicy') !== undefined) {
    throw validationError('An SSL policy cannot be specifed for HTTP listeners');
  }
  if ((structuresOf(input, 'Certificates') ?? []).length > 0) {
    throw validationError('A certificate cannot be specified for HTTP listeners');
  }
  if ((readMutualAuthentication(world, input)?.mode ?? 'off') !== 'off') {
    throw invalidConfiguration('Mutual authentication is supported for HTTPS listeners only');
  }
}

/** A listener that turns from HTTP to HTTPS needs policy and certificate. */
function readTls(world: ReadableWorld, input: Input, before: Listener | undefined): ListenerTls {
  const kept = before?.tls;
  const policy = readPolicy(input) ?? kept?.policy ?? defaultPolicy(before);
  return {
    policy,
    certificateArn: certificateFor(world, input, kept),
    mutualAuthentication: readMutualAuthentication(world, input) ??
      kept?.mutualAuthentication ?? { mode: 'off' },
  };
}

function certificateFor(world: ReadableWorld, input: Input, kept: ListenerTls | undefined): string {
  const entries = structuresOf(input, 'Certificates');
  if (entries === undefined && kept !== undefined) return kept.certificateArn;
  return existingCertificate(world, entries ?? []);
}

/** There is one in a create alone. */
function defaultPolicy(before: Listener | undefined): string {
  if (before === undefined) return DEFAULT_POLICY;
  // https://github.com/cloudposse/terraform-aws-elastic-beanstalk-environment/issues/81
  throw validationError('An SSL policy must be specified for HTTPS listeners');
}

function readPolicy(input: Input): string | undefined {
  const policy = textOf(input, 'SslPolicy');
  if (policy === undefined || SSL_POLICIES.has(policy)) return policy;
  throw new AwsFault('SSLPolicyNotFound', `SSL policy '${policy}' not found`);
}

function checkedCertificate(world: ReadableWorld, arn: string): string {
  const { partition, region } = world.facts;
  const isOurs =
    arn.startsWith(`arn:${partition}:acm:${region}:${world.accountId}:certificate/`) ||
    arn.startsWith(`arn:${partition}:iam::${world.accountId}:server-certificate/`);
  if (isOurs) return arn;
  throw validationError(`Certificate ARN '${arn}' is not valid`);
}

/** AWS's default; it allows TLS 1.0. */
const DEFAULT_POLICY = 'ELBSecurityPolicy-2016-08';

/**
 * Security policies of Application Load Balancers by name; what they contain is not modelled.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/describe-ssl-policies.html
 */
const SSL_POLICIES: ReadonlySet<string> = new Set([
  DEFAULT_POLICY,
  'ELBSecurityPolicy-2015-05',
  'ELBSecurityPolicy-TLS-1-0-2015-04',
  'ELBSecurityPolicy-TLS-1-1-2017-01',
  'ELBSecurityPolicy-TLS-1-2-2017-01',
  'ELBSecurityPolicy-TLS-1-2-Ext-2018-06',
  'ELBSecurityPolicy-FS-2018-06',
  'ELBSecurityPolicy-FS-1-1-2019-08',
  'ELBSecurityPolicy-FS-1-2-2019-08',
  'ELBSecurityPolicy-FS-1-2-Res-2019-08',
  'ELBSecurityPolicy-FS-1-2-Res-2020-10',
  'ELBSecurityPolicy-TLS13-1-0-2021-06',
  'ELBSecurityPolicy-TLS13-1-1-2021-06',
  'ELBSecurityPolicy-TLS13-1-2-2021-06',
  'ELBSecurityPolicy-TLS13-1-2-Ext0-2021-06',
  'ELBSecurityPolicy-TLS13-1-2-Ext1-2021-06',
  'ELBSecurityPolicy-TLS13-1-2-Ext2-2021-06',
  'ELBSecurityPolicy-TLS13-1-2-Res-2021-06',
  'ELBSecurityPolicy-TLS13-1-3-2021-06',
  'ELBSecurityPolicy-TLS13-1-0-FIPS-2023-04',
  'ELBSecurityPolicy-TLS13-1-1-FIPS-2023-04',
  'ELBSecurityPolicy-TLS13-1-2-FIPS-2023-04',
  'ELBSecurityPolicy-TLS13-1-2-Res-FIPS-2023-04',
  'ELBSecurityPolicy-TLS13-1-3-FIPS-2023-04',
  'ELBSecurityPolicy-TLS13-1-2-Res-PQ-2025-09',
  'ELBSecurityPolicy-TLS13-1-2-PQ-2025-09',
  'ELBSecurityPolicy-TLS13-1-3-PQ-2025-09',
]);
