import { type MyIngressReason, myIngressReasons } from '../../apis/my-ingress-reasons.ts';
import type { Target } from '../../aws/elbv2/traffic.ts';
import { omitUndefined } from '../../core/objects/fields.ts';
import { describeLeftOut, type Nodes } from './instances/instances.ts';
import type {
  AddressFamily,
  ServicePort,
  TrimmedEndpointSlice,
  TrimmedService,
  UnreadyEndpoint,
} from './transforms.ts';

/** The Service of a target group, by a port of it. */
export interface BackendService {
  readonly service: {
    readonly name: string;
    readonly port: string | number;
    /** Left out: that of the object. */
    readonly namespace?: string;
  };
  readonly targetType: 'ip' | 'instance';
  /** Of the addresses; instances are of IPv4. */
  readonly ipAddressType: AddressFamily;
}

/** A Service and what stands behind it, as the caches have them. */
export interface Endpoints {
  readonly service: TrimmedService | undefined;
  readonly slices: readonly TrimmedEndpointSlice[];
  /** Those of the slices whose pods only their readiness gate keeps from being Ready. */
  readonly held: Held;
  /** For targetType instance alone. */
  readonly nodes: Nodes;
}

/** Not by address: pods on the network of their node have it in common. */
type Held = ReadonlySet<UnreadyEndpoint>;

/** By `nameTarget`. */
export type TargetMap = ReadonlyMap<string, Target>;

export interface DesiredTargets {
  readonly targets: TargetMap;
  /** By the name of a pod that waits at its readiness gate: the names of its targets. */
  readonly waiting?: ReadonlyMap<string, readonly string[]>;
  /** Names of further pods that wait at their gate: no slice has them with the target port and an address of the family. */
  readonly stranded?: ReadonlySet<string>;
  /** Addresses of pods that exist and serve, on whatever port. */
  readonly live: ReadonlySet<string>;
  /** Those of them that are Ready, and not being deleted. */
  readonly ready?: ReadonlySet<string>;
  /** Labels of the pods of the Service; undefined while it is missing. */
  readonly selector?: TrimmedService['selector'];
  /** Of pods that are there and not Ready, those at their readiness gate among them. */
  readonly unready?: ReadonlySet<string>;
  /** The ready ones of them whose slice does not have the port, or not yet. */
  readonly late: ReadonlySet<string>;
  /** Nothing is known of the pods: nothing goes on the word of a cache that has no slice of the Service. */
  readonly isUnknown?: true;
  /** Without a port of the Service: how many slices still show its pods. */
  readonly slices?: number;
  /** Why there are no targets. */
  readonly problem?: DesireProblem;
  /** Worth saying although there are some. */
  readonly note?: string;
  /** Not all of them are meant to be healthy: a node without a pod of the Service is not. */
  readonly isPartial?: true;
}

export interface DesireProblem {
  readonly reason: MyIngressReason;
  readonly message: string;
  /** There is known to be no pod, as after a scale to 0. */
  readonly hasNoPods?: true;
}

/** The same address or instance may be a target with several ports. */
export function nameTarget({ id, port }: Target): string {
  return id.includes(':') ? `[${id}]:${port}` : `${id}:${port}`;
}

export function desireTargets(backend: BackendService, endpoints: Endpoints): DesiredTargets {
  return backend.targetType === 'instance'
    ? desireInstances(backend, endpoints)
    : desireAddresses(backend, endpoints);
}

/**
 * The targets that a group should have. A pod that is being deleted is none, unless nothing else is
 * ready: then those that still serve are, as kube-proxy does it
 * (https://kubernetes.io/docs/tutorials/services/pods-and-endpoint-termination-flow/). A pod that waits
 * at its readiness gate is one: its gate opens because it is a healthy target.
 */
function desireAddresses(backend: BackendService, endpoints: Endpoints): DesiredTargets {
  const { held } = endpoints;
  const own = endpoints.slices.filter(({ family }) => family === backend.ipAddressType);
  const live = listLive(own, held);
  const unknown = lacksSlices(backend, endpoints) && { isUnknown: true as const };
  const port = resolvePort(backend, endpoints.service);
  if ('reason' in port) {
    const none = { targets: new Map(), late: new Set<string>(), slices: own.length };
    return { ...none, live, ...unknown, problem: port };
  }
  const unready = new Set(own.flatMap((slice) => slice.unready.map(({ address }) => address)));
  const slices = own.flatMap((slice) => listPorts(slice, port.name));
  const waiting = nameHeld(slices, held);
  const names = [...held].map(({ pod }) => pod);
  const stranded = new Set(names.filter((name) => !waiting.has(name)));
  const ready = new Set(own.flatMap((slice) => slice.ready));
  const { selector } = endpoints.service ?? {};
  const pods = { live, ready, unready, stranded, ...omitUndefined({ selector }) };
  const known = { ...pods, late: listLate(own, port.name), ...unknown };
  const usable = collectTargets(slices, ({ slice }) => slice.ready);
  const serving = usable.size > 0 ? usable : collectTargets(slices, ({ slice }) => slice.leaving);
  const heldTargets = collectTargets(slices, ({ slice }) => listHeld(slice, held));
  const targets = new Map([...serving, ...heldTargets]);
  if (targets.size > 0) return { targets, waiting, ...known };
  return { targets, ...known, problem: explainNone(backend, own, endpoints) };
}

/**
 * Every usable node with the node port of the Service, whether a pod runs there or not: kube-proxy forwards, and
 * with externalTrafficPolicy Local a node without a pod fails the health check, as meant.
 * https://kubernetes.io/docs/reference/networking/virtual-ips/#external-traffic-policy
 */
function desireInstances(backend: BackendService, { service, nodes }: Endpoints): DesiredTargets {
  const late = new Set<string>();
  if (nodes.kind !== 'known') return { ...desireNone(nodes), late };
  const { usable, live, counts } = nodes;
  const isUnknown = live.size === 0 && { isUnknown: true as const };
  const known = { live, late, ...isUnknown };
  const port = resolveNodePort(backend, service);
  if (typeof port !== 'number') return { targets: new Map(), ...known, problem: port };
  const targets = new Map(
    usable.map((id) => {
      const target = { id, port };
      return [nameTarget(target), target] as const;
    }),
  );
  if (targets.size === 0) return { targets, ...known, problem: explainNoNodes(counts) };
  const { foreign } = counts;
  return {
    ...{ targets, ...known },
    ...(foreign > 0 && { note: `nodes that are not EC2 instances are left out: ${foreign}` }),
    ...(service?.isLocal && { isPartial: true }),
  };
}

/** Nothing is known of the nodes: targets stay as they are. */
function desireNone(nodes: Exclude<Nodes, { kind: 'known' }>): Omit<DesiredTargets, 'late'> {
  const none = { targets: new Map(), live: new Set<string>(), isUnknown: true } as const;
  if (nodes.kind === 'unsupported') {
    return { ...none, problem: createProblem('BackendUnsupported', 'nodes are not read here') };
  }
  if (!nodes.isLate) return none;
  return { ...none, problem: createProblem('NodesUnknown', 'the nodes could not be read yet') };
}

function resolveNodePort(
  backend: BackendService,
  service: TrimmedService | undefined,
): number | DesireProblem {
  const port = resolvePort(backend, service);
  if ('reason' in port) return port;
  const { name } = backend.service;
  return port.nodePort ?? createProblem('NodePortNotFound', `Service ${name} has no node port`);
}

function explainNoNodes(counts: Parameters<typeof describeLeftOut>[0]): DesireProblem {
  const leftOut = describeLeftOut(counts);
  const none = leftOut === '' ? 'the cluster has no nodes' : `no node can be a target: ${leftOut}`;
  return createProblem('NoReadyNodes', none);
}

export function isSame(
  { targets: one }: Pick<DesiredTargets, 'targets'>,
  { targets: other }: Pick<DesiredTargets, 'targets'>,
): boolean {
  return one.size === other.size && [...one.keys()].every((name) => other.has(name));
}

/**
 * A Service that selects pods has a slice of each of its address families also while there is none of them: without
 * one the list has come back empty, or the slice is made in a moment.
 * https://github.com/kubernetes/kubernetes/blob/master/staging/src/k8s.io/endpointslice/reconciler.go
 */
function lacksSlices(
  { ipAddressType }: Pick<BackendService, 'ipAddressType'>,
  { service, slices }: Endpoints,
): boolean {
  if (service === undefined || service.isExternalName) return false;
  if (Object.keys(service.selector).length === 0) return false;
  const isOwn = service.families.includes(ipAddressType);
  return slices.every(({ family }) => isOwn && family !== ipAddressType);
}

/** True where pods of the Service are targets: it has the backend's port, and AWS sees them and not their nodes. */
export function hasPodTargets(
  backend: Pick<BackendService, 'service' | 'targetType'>,
  service: TrimmedService | undefined,
): boolean {
  return backend.targetType === 'ip' && 'port' in resolvePort(backend, service);
}

/** The Service's port of this name or number, or why there is none. */
function resolvePort(
  { service: { name, port } }: Pick<BackendService, 'service'>,
  service: TrimmedService | undefined,
): ServicePort | DesireProblem {
  if (service === undefined)
    return createProblem('ServiceNotFound', `Service ${name} does not exist`);
  if (service.isExternalName) {
    return createProblem('ExternalNameService', `Service ${name} is of type ExternalName`);
  }
  const found = service.ports.find(
    (one) => (typeof port === 'number' ? one.port : one.name) === port,
  );
  return found ?? createProblem('ServicePortNotFound', `Service ${name} has no TCP port ${port}`);
}

interface PortOfSlice {
  readonly slice: TrimmedEndpointSlice;
  readonly port: number;
}

/** Where the containers' ports differ by pod, each slice has its own number for the same name. */
function listPorts(slice: TrimmedEndpointSlice, name: string): readonly PortOfSlice[] {
  return slice.ports.filter((one) => one.name === name).map(({ port }) => ({ slice, port }));
}

/** An endpoint may stand in two slices for a moment: it is one target. */
function collectTargets(
  slices: readonly PortOfSlice[],
  addresses: (of: PortOfSlice) => readonly string[],
): TargetMap {
  const targets = new Map<string, Target>();
  for (const of of slices) {
    for (const id of addresses(of)) {
      const target = { id, port: of.port };
      targets.set(nameTarget(target), target);
    }
  }
  return targets;
}

function listHeld({ unready }: TrimmedEndpointSlice, held: Held): readonly string[] {
  return unready.filter((endpoint) => held.has(endpoint)).map(({ address }) => address);
}

function nameHeld(
  slices: readonly PortOfSlice[],
  held: Held,
): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, readonly string[]>();
  for (const { slice, port } of slices) {
    const { unready, early = [] } = slice;
    for (const endpoint of [...unready, ...early].filter((one) => held.has(one))) {
      const { address: id, pod } = endpoint;
      names.set(pod, [...(names.get(pod) ?? []), nameTarget({ id, port })]);
    }
  }
  return names;
}

function listLive(slices: readonly TrimmedEndpointSlice[], held: Held): ReadonlySet<string> {
  const serving = slices.flatMap(({ ready, leaving }) => [...ready, ...leaving]);
  return new Set([...serving, ...[...held].map(({ address }) => address)]);
}

function listLate(slices: readonly TrimmedEndpointSlice[], port: string): ReadonlySet<string> {
  const late = slices.filter(({ ports }) => ports.every(({ name }) => name !== port));
  return new Set(late.flatMap(({ ready }) => ready));
}

/** `own`: the slices of the backend's address family. */
function explainNone(
  backend: BackendService,
  own: readonly TrimmedEndpointSlice[],
  endpoints: Endpoints,
): DesireProblem {
  const { name } = backend.service;
  if (own.some(({ ready, leaving }) => ready.length + leaving.length > 0)) {
    return createProblem(
      'TargetPortNotFound',
      `no ready pod of Service ${name} has its target port`,
    );
  }
  const unready = countOthers(own);
  const others = endpoints.slices.filter((slice) => !own.includes(slice));
  if (unready === 0 && others.some((slice) => countEndpoints(slice) > 0)) {
    const family = backend.ipAddressType === 'ipv4' ? 'IPv4' : 'IPv6';
    return createProblem(
      'UnusableEndpoints',
      `Service ${name} has no endpoint with an ${family} address`,
    );
  }
  const reason = 'NoReadyEndpoints';
  if (unready === 0) {
    const problem = createProblem(reason, `Service ${name} has no endpoints`);
    return lacksSlices(backend, endpoints) ? problem : { ...problem, hasNoPods: true };
  }
  return createProblem(
    reason,
    `Service ${name} has ${unready} endpoints and none of them is ready`,
  );
}

function countOthers(slices: readonly TrimmedEndpointSlice[]): number {
  return slices.reduce((sum, { others }) => sum + others, 0);
}

function countEndpoints({ ready, leaving, others }: TrimmedEndpointSlice): number {
  return ready.length + leaving.length + others;
}

function createProblem(reason: MyIngressReason, observed: string): DesireProblem {
  return { reason, message: `${observed}; ${myIngressReasons[reason].next}` };
}
