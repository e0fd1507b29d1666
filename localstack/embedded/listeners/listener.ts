import type { TrafficRecord } from '../traffic/record-store.ts';

/** One listener of an Application Load Balancer. Its default actions are those of its default rule. */
export interface Listener extends TrafficRecord {
  readonly balancerArn: string;
  readonly port: number;
  readonly protocol: ListenerProtocol;
  /** Of HTTPS alone. */
  readonly tls?: ListenerTls;
  /** Beside the default one; each once. */
  readonly extraCertificateArns: readonly string[];
  readonly attributes: ReadonlyMap<string, string>;
}

export type ListenerProtocol = 'HTTP' | 'HTTPS';

export interface ListenerTls {
  readonly policy: string;
  readonly certificateArn: string;
  readonly mutualAuthentication: MutualAuthentication;
}

export type MutualAuthentication =
  | { readonly mode: 'off' | 'passthrough' }
  | {
      readonly mode: 'verify';
      readonly trustStoreArn: string;
      readonly ignoresExpiry: boolean;
      readonly advertises: 'on' | 'off';
    };
