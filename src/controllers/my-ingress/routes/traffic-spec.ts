import type { MyIngressSpec } from '../../../apis/my-ingress.ts';

/** The part of a MyIngress's spec that is about traffic; every field may be left out. */
export type TrafficSpec = Pick<
  MyIngressSpec,
  'backends' | 'listeners' | 'rules' | 'defaultAction' | 'inbound'
>;

/** With the routes that others attach: in memory alone, never in a stored object. */
export interface JoinedSpec extends TrafficSpec {
  readonly attached?: AttachedRoutes;
}

/** Routes of other objects, as far as they are accepted. */
export interface AttachedRoutes {
  readonly backends: readonly AttachedBackend[];
  /** In the order of evaluation. */
  readonly rules: readonly AttachedRule[];
}

export interface AttachedBackend {
  readonly source: string;
  /** Of its Service. */
  readonly namespace: string;
  readonly backend: BackendSpec;
}

export interface AttachedRule {
  readonly source: string;
  readonly rule: RuleSpec;
}

export type BackendSpec = NonNullable<MyIngressSpec['backends']>[number];
export type ListenerSpec = NonNullable<MyIngressSpec['listeners']>[number];
export type MutualTlsSpec = NonNullable<ListenerSpec['mutualTLS']>;
export type ActionSpec = NonNullable<MyIngressSpec['defaultAction']>;
export type RuleSpec = NonNullable<MyIngressSpec['rules']>[number];
