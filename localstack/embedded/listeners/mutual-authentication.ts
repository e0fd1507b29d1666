import type { ReadableWorld } from '../aws-world.ts';
import { AwsFault, invalidConfiguration } from '../http/aws-fault.ts';
import { type Input, textOf } from '../input-fields.ts';
import { booleanOf, checkedEnum, structureOf } from '../traffic/checked-input.ts';
import type { MutualAuthentication } from './listener.ts';

const OF_VERIFY = [
  ...['TrustStoreArn', 'IgnoreClientCertificateExpiry', 'AdvertiseTrustStoreCaNames'],
] as const;

/**
 * Reads the settings of mutual TLS from a call; undefined: it has none. The codes and words of
 * refusals are unverified, but for that of a trust store that is not there.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_MutualAuthenticationAttributes.html
 */
export function readMutualAuthentication(
  world: ReadableWorld,
  input: Input,
): MutualAuthentication | undefined {
  const config = structureOf(input, 'MutualAuthentication');
  if (config === undefined) return undefined;
  const mode = checkedEnum(config, 'Mode', ['off', 'passthrough', 'verify'] as const) ?? 'off';
  if (mode === 'verify') return readVerification(world, config);
  const given = OF_VERIFY.find((field) => config[field] !== undefined);
  if (given === undefined) return { mode };
  throw invalidConfiguration(
    `${given} cannot be specified with the mutual authentication mode ${mode}`,
  );
}

export function describeMutualAuthentication(
  mutual: MutualAuthentication,
): Record<string, unknown> {
  if (mutual.mode !== 'verify') return { Mode: mutual.mode };
  return {
    Mode: mutual.mode,
    TrustStoreArn: mutual.trustStoreArn,
    IgnoreClientCertificateExpiry: mutual.ignoresExpiry,
    AdvertiseTrustStoreCaNames: mutual.advertises,
  };
}

function readVerification(world: ReadableWorld, config: Input): MutualAuthentication {
  const trustStoreArn = textOf(config, 'TrustStoreArn');
  if (trustStoreArn === undefined) {
    throw invalidConfiguration(
      'A trust store must be specified for the mutual authentication mode verify',
    );
  }
  if (!world.trustStores.has(trustStoreArn)) {
    throw new AwsFault('TrustStoreNotFound', `Trust store '${trustStoreArn}' not found`);
  }
  return {
    ...{ mode: 'verify', trustStoreArn },
    ignoresExpiry: booleanOf(config, 'IgnoreClientCertificateExpiry') ?? false,
    advertises: checkedEnum(config, 'AdvertiseTrustStoreCaNames', ['on', 'off'] as const) ?? 'off',
  };
}
