import type { Action, MutualTls, Tags } from '../../../aws/elbv2/traffic.ts';
import type { ObservedListener } from '../graph/graph.ts';
import type { Call } from '../graph/steps.ts';
import { listListenerDefaults } from './attribute-defaults.ts';

/** The listener once AWS has modified it; pure. HTTP has neither certificates nor a policy. */
export function projectListener(
  { listener, certificates = listener.certificates, attributes, ...rest }: ObservedListener,
  { arn: _arn, action: _action, certificate, ...settings }: Call<'ModifyListener'>['input'],
  defaultActions: readonly Action[] | undefined,
): ObservedListener {
  const { sslPolicy, mutualTls, ...plain } = { ...listener, ...settings };
  const isPlain = plain.protocol === 'HTTP';
  const all = isPlain ? [] : replaceDefault(certificates, certificate);
  return {
    ...rest,
    ...(attributes && { attributes: fitAttributes(attributes, plain.protocol) }),
    certificates: all,
    listener: {
      ...plain,
      ...(!isPlain && sslPolicy !== undefined && { sslPolicy }),
      ...(isPlain ? {} : echoMutualTls(mutualTls)),
      ...(defaultActions && { defaultActions }),
      certificates: all.slice(0, 1),
    },
  };
}

function replaceDefault(
  certificates: readonly string[],
  certificate: string | undefined,
): readonly string[] {
  return certificate === undefined ? certificates : [certificate, ...certificates.slice(1)];
}

/** Those of TLS are of HTTPS alone. */
function fitAttributes(attributes: Tags, protocol: string): Tags {
  const known = Object.entries(listListenerDefaults(protocol));
  return Object.fromEntries(known.map(([key, usual]) => [key, attributes[key] ?? usual]));
}

/** As it is read: left out where it is off. */
export function echoMutualTls(mutualTls: MutualTls | undefined): {
  readonly mutualTls?: MutualTls;
} {
  return mutualTls === undefined || mutualTls.mode === 'off' ? {} : { mutualTls };
}
