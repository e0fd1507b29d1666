import type { KubeObject } from '../../../../src/core/objects/kube-object.ts';

/** Services and EndpointSlices as the API server gives them. */

export interface ServiceDraft extends KubeObject {
  readonly spec: {
    readonly type?: string;
    readonly ipFamilies?: readonly string[];
    readonly ports?: readonly object[];
    readonly selector?: Readonly<Record<string, string>>;
    readonly externalTrafficPolicy?: string;
  };
}

export interface SliceDraft extends KubeObject {
  readonly addressType: string;
  readonly ports: readonly object[] | null;
  readonly endpoints: readonly object[] | null;
}

/** ready | unready | leaving (is being deleted and serves) | gone (is being deleted and does not). */
export type PodState = 'ready' | 'unready' | 'leaving' | 'gone';

/** As the endpoint slice controller of Kubernetes 1.36 sets them. */
const CONDITIONS: Readonly<Record<PodState, object>> = {
  ready: { ready: true, serving: true, terminating: false },
  unready: { ready: false, serving: false, terminating: false },
  leaving: { ready: false, serving: true, terminating: true },
  gone: { ready: false, serving: false, terminating: true },
};

export function endpointOf(address: string, state: PodState = 'ready'): object {
  return {
    addresses: [address],
    conditions: CONDITIONS[state],
    nodeName: 'node-0',
    zone: 'us-east-1a',
    targetRef: { kind: 'Pod', namespace: 'web', name: `pod-${address}` },
  };
}

export const HTTP_PORT = { name: 'http', port: 80, protocol: 'TCP', targetPort: 8080 };

export function draftService(
  name: string,
  spec: ServiceDraft['spec'] = { ports: [HTTP_PORT], selector: { app: name } },
): ServiceDraft {
  return { apiVersion: 'v1', kind: 'Service', metadata: { namespace: 'web', name }, spec };
}

export function draftSlice(
  service: string,
  endpoints: readonly object[] | null,
  more: Partial<SliceDraft> & { readonly suffix?: string } = {},
): SliceDraft {
  const { suffix = 'a', ...fields } = more;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      namespace: 'web',
      name: `${service}-${suffix}`,
      labels: { 'kubernetes.io/service-name': service },
    },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    endpoints,
    ...fields,
  };
}
