import { normaliseAddress } from '../../aws/elbv2/traffic.ts';
import type { KubeObject, ObjectMeta } from '../../core/objects/kube-object.ts';
import { boundLabels } from '../../core/objects/trim-metadata.ts';

/** The unnamed port of a Service with one port has the name "". */
interface NamedPort {
  readonly name: string;
  readonly port: number;
}

export interface ServicePort extends NamedPort {
  /** Of every node; left out where the Service has none. */
  readonly nodePort?: number;
}

/** A Service as it is held in memory: all Services of the cluster are. */
export interface TrimmedService extends KubeObject {
  readonly isExternalName: boolean;
  /** Of each it has slices, also without pods; empty where the API server has chosen none. */
  readonly families: readonly AddressFamily[];
  /** Labels of its pods; empty where it selects none. */
  readonly selector: Readonly<Record<string, string>>;
  /** TCP alone. */
  readonly ports: readonly ServicePort[];
  /** A node without a pod of it answers nothing at its node ports: externalTrafficPolicy Local. */
  readonly isLocal: boolean;
}

export interface UnreadyEndpoint {
  readonly address: string;
  /** Its name. */
  readonly pod: string;
}

export type AddressFamily = 'ipv4' | 'ipv6';

/** An EndpointSlice as it is held in memory: all of the cluster are. */
export interface TrimmedEndpointSlice extends KubeObject {
  /** The Service's name; empty for a slice of none. */
  readonly service: string;
  /** undefined: of names, which are no targets. */
  readonly family: AddressFamily | undefined;
  /** TCP alone, by the names of the Service's ports. */
  readonly ports: readonly NamedPort[];
  /** Addresses that new connections may be sent to. */
  readonly ready: readonly string[];
  /** Those of pods that are being deleted and still serve. */
  readonly leaving: readonly string[];
  /** Those of pods that are not Ready. */
  readonly unready: readonly UnreadyEndpoint[];
  /** Ready ones of pods that are not Ready: their Service has publishNotReadyAddresses. */
  readonly early?: readonly UnreadyEndpoint[];
  /** Number of all endpoints but the ready and the leaving ones. */
  readonly others: number;
}

/** https://kubernetes.io/docs/reference/kubernetes-api/service-resources/service-v1/ */
interface Service extends KubeObject {
  readonly spec?: {
    readonly type?: string;
    readonly ipFamilies?: readonly string[];
    readonly ports?: readonly Port[];
    readonly externalTrafficPolicy?: string;
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
  /** Of a Service alone. */
  readonly nodePort?: number | null;
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
const FAMILIES: Readonly<Record<string, AddressFamily>> = { IPv4: 'ipv4', IPv6: 'ipv6' };
/** The API server takes any number in a Service and 20,000 in a slice. */
const MOST_PORTS = 256;

/** The part of a Service that is kept in memory. */
export function trimService(object: KubeObject): KubeObject {
  const { apiVersion, kind, spec = {} } = object as Service;
  const trimmed: TrimmedService = {
    ...{ apiVersion, kind, metadata: trimMetadata(object.metadata) },
    isExternalName: spec.type === 'ExternalName',
    families: (spec.ipFamilies ?? []).flatMap((family) => FAMILIES[family] ?? []),
    selector: boundLabels(spec.selector ?? {}),
    ports: trimPorts(spec.ports),
    isLocal: spec.externalTrafficPolicy === 'Local',
  };
  return trimmed;
}

/** The part of an EndpointSlice that is kept in memory. */
export function trimEndpointSlice(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, addressType, ports, endpoints } = object as EndpointSlice;
  const family = FAMILIES[addressType ?? ''];
  const all = endpoints ?? [];
  const usable = family === undefined ? [] : all;
  const ready = listAddresses(usable.filter(isReady));
  const leaving = listAddresses(usable.filter(isLeaving));
  const unready = usable.filter((one) => !isReady(one)).flatMap(readUnready);
  const early = usable.filter(isEarly).flatMap(readUnready);
  const trimmed: TrimmedEndpointSlice = {
    ...{ apiVersion, kind, metadata: trimMetadata(metadata) },
    service: metadata.labels?.[SERVICE_LABEL] ?? '',
    ports: trimPorts(ports),
    ...{ family, ready, leaving, unready },
    ...(early.length > 0 && { early }),
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

function trimPorts(ports: readonly Port[] | null = []): readonly ServicePort[] {
  return (ports ?? [])
    .slice(0, MOST_PORTS)
    .filter(({ protocol }) => (protocol ?? 'TCP') === 'TCP')
    .flatMap(({ name, port, nodePort }) =>
      port ? [{ name: name ?? '', port, ...(nodePort && { nodePort }) }] : [],
    );
}

/** All addresses of an endpoint are the same pod: https://github.com/kubernetes/kubernetes/issues/106267 */
function listAddresses(endpoints: readonly Endpoint[]): readonly string[] {
  return endpoints.flatMap(({ addresses = [] }) => addresses.slice(0, 1).map(normaliseAddress));
}

/**
 * `ready` left out means true. A Service with publishNotReadyAddresses has `ready` set also on what
 * terminates, so that is asked as well.
 * https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/#conditions
 */
function isReady({ conditions = {} }: Endpoint): boolean {
  return (conditions.ready ?? true) && !conditions.terminating;
}

function isEarly(endpoint: Endpoint): boolean {
  return isReady(endpoint) && endpoint.conditions?.serving === false;
}

function readUnready(endpoint: Endpoint): readonly UnreadyEndpoint[] {
  const { conditions = {}, targetRef = {} } = endpoint;
  const { kind, name: pod = '' } = targetRef;
  if (conditions.terminating || kind !== 'Pod') return [];
  return listAddresses([endpoint]).map((address) => ({ address, pod }));
}

function isLeaving({ conditions = {} }: Endpoint): boolean {
  return conditions.terminating === true && conditions.serving === true;
}
