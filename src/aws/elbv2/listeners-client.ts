import type * as elb from '@aws-sdk/client-elastic-load-balancing-v2';
import type { AwsCall } from '../client/aws-call.ts';
import { allowAbsence, expectPart } from '../client/aws-errors.ts';
import { readPages } from '../client/pages.ts';
import type { WriteLedger } from '../inventory/write-ledger.ts';
import { listUsed, shapeActions, toAction } from './actions.ts';
import { readAttributes } from './attributes.ts';
import { toPairs } from './tags.ts';
import type { Listener, ListenerSettings, Listeners, MutualTls } from './traffic.ts';

/** Listeners over AWS, with the ledger as for rules. */
export function createListeners(call: AwsCall, ledger: WriteLedger): Listeners {
  return {
    list: (loadBalancerArn, signal) =>
      allowAbsence('DescribeListeners', describeListeners(call, loadBalancerArn, signal)),
    listCertificates: (listenerArn, signal) =>
      allowAbsence('DescribeListenerCertificates', describeCertificates(call, listenerArn, signal)),
    readAttributes(arn, signal) {
      const step = { operation: 'DescribeListenerAttributes', ...refer(arn) } as const;
      const input = { ListenerArn: arn };
      return readAttributes(step, call(step.operation, input, { ...refer(arn), signal }));
    },
    create: (loadBalancerArn, settings) =>
      ledger.duringAll(listUsed(settings.defaultAction), () =>
        create(call, loadBalancerArn, settings),
      ),
    async modify(listenerArn, changes) {
      const input = { ListenerArn: listenerArn, ...toSettings(changes) };
      await ledger.duringAll(listUsed(changes.defaultAction), () =>
        call('ModifyListener', input, refer(listenerArn)),
      );
    },
    async setAttributes(listenerArn, attributes) {
      const input = { ListenerArn: listenerArn, Attributes: toPairs(attributes) };
      await call('ModifyListenerAttributes', input, refer(listenerArn));
    },
    async addCertificate(listenerArn, certificate) {
      await call('AddListenerCertificates', toOne(listenerArn, certificate), refer(listenerArn));
    },
    async removeCertificate(listenerArn, certificate) {
      await call('RemoveListenerCertificates', toOne(listenerArn, certificate), refer(listenerArn));
    },
    async delete(listenerArn) {
      const input = { ListenerArn: listenerArn };
      await allowAbsence('DeleteListener', call('DeleteListener', input, refer(listenerArn)));
    },
  };
}

async function create(
  call: AwsCall,
  loadBalancerArn: string,
  { tags, ...settings }: Parameters<Listeners['create']>[1],
): Promise<Listener> {
  const subject = `listener on port ${settings.port} of load balancer ${loadBalancerArn}`;
  const { DefaultActions = [], ...rest } = toSettings(settings);
  const place = { LoadBalancerArn: loadBalancerArn, Tags: toPairs(tags) };
  const input = { ...place, DefaultActions, ...rest };
  const answer = await call('CreateListener', input, { subject });
  const [created] = (answer.Listeners ?? []).flatMap((one) => shapeListener(one) ?? []);
  return expectPart(created, { operation: 'CreateListener', subject }, 'listener');
}

function toOne(ListenerArn: string, certificate: string): elb.AddListenerCertificatesCommandInput {
  return { ListenerArn, Certificates: [{ CertificateArn: certificate }] };
}

function describeListeners(
  call: AwsCall,
  loadBalancerArn: string,
  signal: AbortSignal,
): Promise<readonly Listener[]> {
  const subject = `load balancer ${loadBalancerArn}`;
  return readPages(async (Marker) => {
    const input = { LoadBalancerArn: loadBalancerArn, ...(Marker && { Marker }) };
    const answer = await call('DescribeListeners', input, { subject, signal });
    const items = (answer.Listeners ?? []).flatMap((one) => shapeListener(one) ?? []);
    return { items, next: answer.NextMarker };
  });
}

/** The default one first, and once more where it was also added: there it stays when another becomes the default one. */
async function describeCertificates(
  call: AwsCall,
  listenerArn: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const all = await readPages(async (Marker) => {
    const input = { ListenerArn: listenerArn, ...(Marker && { Marker }) };
    const answer = await call('DescribeListenerCertificates', input, {
      ...refer(listenerArn),
      signal,
    });
    return { items: answer.Certificates ?? [], next: answer.NextMarker };
  });
  const defaultFirst = all.toSorted((a, b) => Number(b.IsDefault ?? 0) - Number(a.IsDefault ?? 0));
  return defaultFirst.flatMap(({ CertificateArn }) => CertificateArn ?? []);
}

function toSettings(
  settings: Partial<ListenerSettings>,
): Omit<elb.ModifyListenerInput, 'ListenerArn'> {
  const { port, protocol, sslPolicy, certificate, mutualTls, defaultAction } = settings;
  return {
    ...(port !== undefined && { Port: port }),
    ...(protocol !== undefined && { Protocol: protocol as 'HTTP' }),
    ...(sslPolicy !== undefined && { SslPolicy: sslPolicy }),
    ...(certificate !== undefined && { Certificates: [{ CertificateArn: certificate }] }),
    ...(mutualTls !== undefined && { MutualAuthentication: toMutualAuthentication(mutualTls) }),
    ...(defaultAction !== undefined && { DefaultActions: [toAction(defaultAction)] }),
  };
}

function toMutualAuthentication(from: MutualTls): elb.MutualAuthenticationAttributes {
  if (from.mode !== 'verify') return { Mode: from.mode };
  return {
    Mode: from.mode,
    TrustStoreArn: from.trustStore,
    IgnoreClientCertificateExpiry: from.ignoresExpiry,
    AdvertiseTrustStoreCaNames: from.advertisesCaNames ? 'on' : 'off',
  };
}

/** Lists the attributes that differ from their defaults. */
function shapeMutualTls(from: elb.MutualAuthenticationAttributes = {}): {
  readonly mutualTls?: MutualTls;
} {
  const { Mode: mode, TrustStoreArn: trustStore = '' } = from;
  if (mode === 'passthrough') return { mutualTls: { mode } };
  if (mode !== 'verify') return {};
  const ignoresExpiry = from.IgnoreClientCertificateExpiry ?? false;
  const advertisesCaNames = from.AdvertiseTrustStoreCaNames === 'on';
  return { mutualTls: { mode, trustStore, ignoresExpiry, advertisesCaNames } };
}

function shapeListener(from: elb.Listener): Listener | undefined {
  const { ListenerArn: arn, LoadBalancerArn: loadBalancerArn, Port: port } = from;
  if (!arn || !loadBalancerArn || !port) return undefined;
  return {
    ...{ arn, loadBalancerArn, port, protocol: from.Protocol ?? '' },
    ...(from.SslPolicy && { sslPolicy: from.SslPolicy }),
    certificates: (from.Certificates ?? []).flatMap(({ CertificateArn }) => CertificateArn ?? []),
    ...shapeMutualTls(from.MutualAuthentication),
    defaultActions: shapeActions(from.DefaultActions),
  };
}

function refer(listenerArn: string): { readonly subject: string } {
  return { subject: `listener ${listenerArn}` };
}
