import type { KubeObject, ObjectMeta } from '../../core/objects/kube-object.ts';
import { boundLabels } from '../../core/objects/trim-metadata.ts';

/** The unnamed port of a Service with one port has the name "". */
export interface NamedPort {
  readonly name: string;
  readonly port: number;
}

/** A Service as it is held in memory: all Services of the cluster are. */
export interface TrimmedService extends KubeObject {
  readonly isExternalName: boolean;
  /** Labels of its pods; empty where it selects none. */
  readonly selector: Readonly<Record<string, string>>;
  /** TCP alone. */
  readonly ports: readonly NamedPort[];
}

export interface UnreadyEndpoint {
  readonly address: string;
  /** Its name. */
  readonly pod: string;
}

/** An EndpointSlice as it is held in memory: all of the cluster are. */
export interface TrimmedEndpointSlice extends KubeObject {
  /** The Service's name; empty for a slice of none. */
  readonly service: string;
  readonly isIpv4: boolean;
  /** TCP alone, by the names of the Service's ports. */
  readonly ports: readonly NamedPort[];
  /** IPv4 addresses that new connections may be sent to. */
  readonly ready: readonly string[];
  /** Those of pods that are being deleted and still serve. */
  readonly leaving: readonly string[];
  /** Those of pods that are not Ready. */
  readonly unready: readonly UnreadyEndpoint[];
  /** Number of all endpoints but the ready and the leaving ones. */
  readonly others: number;
}

/** https://kubernetes.io/docs/reference/kubernetes-api/service-resources/service-v1/ */
interface Service extends KubeObject {
  readonly spec?: {
    readonly type?: string;
    readonly ports?: readonly Port[];
    readonly selector?: Readonly<Record<string, string>>;
  };
}

/** https://kubernetes.io/docs/reference/kubernetes-api/service-resources/endpoint-slice-v1/ */
interface EndpointSlice extends KubeObject {
  readonly addressType?: string;
  readonly ports?: readonly Port[] | null;
  readonly endpoints?: readonly Endpoint[] | null;
}

interface Port {
  readonly name?: string | null;
  readonly port?: number | null;
  readonly protocol?: string | null;
}

interface Endpoint {
  readonly addresses?: readonly string[];
  readonly targetRef?: { readonly kind?: string; readonly name?: string };
  readonly conditions?: {
    readonly ready?: boolean | null;
    readonly serving?: boolean | null;
    readonly terminating?: boolean | null;
  };
}

/** https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/#ownership */
const SERVICE_LABEL = 'kubernetes.io/service-name';
/** The API server takes any number in a Service and 20,000 in a slice. */
const MOST_PORTS = 256;

/** The part of a Service that is kept in memory. */
export function trimService(object: KubeObject): KubeObject {
  const { apiVersion, kind, spec = {} } = object as Service;
  const trimmed: TrimmedService = {
    ...{ apiVersion, kind, metadata: trimMetadata(object.metadata) },
    isExternalName: spec.type === 'ExternalName',
    selector: boundLabels(spec.selector ?? {}),
    ports: trimPorts(spec.ports),
  };
  return trimmed;
}

/** The part of an EndpointSlice that is kept in memory. */
export function trimEndpointSlice(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, addressType, ports, endpoints } = object as EndpointSlice;
  const isIpv4 = addressType === 'IPv4';
  const all = endpoints ?? [];
  const ready = isIpv4 ? listAddresses(all.filter(isReady)) : [];
  const leaving = isIpv4 ? listAddresses(all.filter(isLeaving)) : [];
  const unready = isIpv4 ? all.flatMap(readUnready) : [];
  const trimmed: TrimmedEndpointSlice = {
    ...{ apiVersion, kind, metadata: trimMetadata(metadata) },
    service: metadata.labels?.[SERVICE_LABEL] ?? '',
    ports: trimPorts(ports),
    ...{ isIpv4, ready, leaving, unready },
    others: all.length - ready.length - leaving.length,
  };
  return trimmed;
}

function trimMetadata({
  name,
  namespace = '',
  uid = '',
  resourceVersion = '',
}: ObjectMeta): ObjectMeta {
  return { name, namespace, uid, resourceVersion };
}

function trimPorts(ports: readonly Port[] | null = []): readonly NamedPort[] {
  return (ports ?? [])
    .slice(0, MOST_PORTS)
    .filter(({ protocol }) => (protocol ?? 'TCP') === 'TCP')
    .flatMap(({ name, port }) => (port ? [{ name: name ?? '', port }] : []));
}

/** All addresses of an endpoint are the same pod: https://github.com/kubernetes/kubernetes/issues/106267 */
function listAddresses(endpoints: readonly Endpoint[]): readonly string[] {
  return endpoints.flatMap(({ addresses = [] }) => addresses.slice(0, 1));
}

/**
 * `ready` left out means true. A Service with publishNotReadyAddresses has `ready` set also on what
 * terminates, so that is asked as well.
 * https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/#conditions
 */
function isReady({ conditions = {} }: Endpoint): boolean {
  return (conditions.ready ?? true) && !conditions.terminating;
}

function readUnready(endpoint: Endpoint): readonly UnreadyEndpoint[] {
  const { conditions = {}, targetRef = {} } = endpoint;
  const { kind, name: pod = '' } = targetRef;
  if (isReady(endpoint) || conditions.terminating || kind !== 'Pod') return [];
  return listAddresses([endpoint]).map((address) => ({ address, pod }));
}

function isLeaving({ conditions = {} }: Endpoint): boolean {
  return conditions.terminating === true && conditions.serving === true;
}
