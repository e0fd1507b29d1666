import { type MyIngressReason, myIngressReasons } from '../../apis/my-ingress-reasons.ts';
import type { Target } from '../../aws/elbv2/traffic.ts';
import type { NamedPort, TrimmedEndpointSlice, TrimmedService } from './transforms.ts';

/** The Service of a target group, by a port of it. */
export interface BackendService {
  readonly service: { readonly name: string; readonly port: string | number };
  readonly targetType: 'ip' | 'instance';
}

/** A Service and what stands behind it, as the caches have them. */
export interface Endpoints {
  readonly service: TrimmedService | undefined;
  readonly slices: readonly TrimmedEndpointSlice[];
  /** Addresses of pods that only their readiness gate keeps from being Ready. */
  readonly held: ReadonlySet<string>;
}

/** By `nameTarget`. */
export type TargetMap = ReadonlyMap<string, Target>;

export interface DesiredTargets {
  readonly targets: TargetMap;
  /** Addresses of pods that exist and serve, on whatever port. */
  readonly live: ReadonlySet<string>;
  /** The ready ones of them whose slice does not have the port, or not yet. */
  readonly late: ReadonlySet<string>;
  /** Nothing is known of the pods: nothing goes on the word of a cache that has no slice of the Service. */
  readonly isUnknown?: true;
  /** Why there are no targets. */
  readonly problem?: DesireProblem;
}

export interface DesireProblem {
  readonly reason: MyIngressReason;
  readonly message: string;
}

/** The same address may be a target with several ports. */
export function nameTarget({ id, port }: Target): string {
  return `${id}:${port}`;
}

/**
 * The targets that a group should have. A pod that is being deleted is none, unless nothing else is
 * ready: then those that still serve are, as kube-proxy does it
 * (https://kubernetes.io/docs/tutorials/services/pods-and-endpoint-termination-flow/). A pod that waits
 * at its readiness gate is one: its gate opens because it is a healthy target.
 */
export function desireTargets(backend: BackendService, endpoints: Endpoints): DesiredTargets {
  const { held } = endpoints;
  const live = listLive(endpoints.slices, held);
  const unknown = lacksSlices(endpoints) && { isUnknown: true as const };
  const port = resolvePort(backend, endpoints.service);
  if ('reason' in port) {
    return { targets: new Map(), live, late: new Set(), ...unknown, problem: port };
  }
  const known = { live, late: listLate(endpoints.slices, port.name), ...unknown };
  const slices = endpoints.slices.flatMap((slice) => listPorts(slice, port.name));
  const ready = collectTargets(slices, ({ slice }) => slice.ready);
  const serving = ready.size > 0 ? ready : collectTargets(slices, ({ slice }) => slice.leaving);
  const waiting = collectTargets(slices, ({ slice }) => listHeld(slice, held));
  const targets = new Map([...serving, ...waiting]);
  if (targets.size > 0) return { targets, ...known };
  return { targets, ...known, problem: explainNone(backend.service.name, endpoints.slices) };
}

/**
 * A Service that selects pods has a slice also while there is none of them: without one the list has come
 * back empty, or the slice is made in a moment.
 * https://github.com/kubernetes/kubernetes/blob/master/staging/src/k8s.io/endpointslice/reconciler.go
 */
function lacksSlices({ service, slices }: Endpoints): boolean {
  if (service === undefined || service.isExternalName || slices.length > 0) return false;
  return Object.keys(service.selector).length > 0;
}

/** True where the Service has pods, and the backend's port. */
export function hasPort(backend: BackendService, service: TrimmedService | undefined): boolean {
  return 'port' in resolvePort(backend, service);
}

/** The Service's port of this name or number, or why there is none. */
function resolvePort(
  { service: { name, port }, targetType }: BackendService,
  service: TrimmedService | undefined,
): NamedPort | DesireProblem {
  if (targetType === 'instance') return problem('TargetTypeUnsupported', 'targetType is instance');
  if (service === undefined) return problem('ServiceNotFound', `Service ${name} does not exist`);
  if (service.isExternalName) {
    return problem('ExternalNameService', `Service ${name} is of type ExternalName`);
  }
  const found = service.ports.find(
    (one) => (typeof port === 'number' ? one.port : one.name) === port,
  );
  return found ?? problem('ServicePortNotFound', `Service ${name} has no TCP port ${port}`);
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

function listHeld({ unready }: TrimmedEndpointSlice, held: ReadonlySet<string>): readonly string[] {
  return unready.map(({ address }) => address).filter((address) => held.has(address));
}

function listLive(
  slices: readonly TrimmedEndpointSlice[],
  held: ReadonlySet<string>,
): ReadonlySet<string> {
  return new Set([...slices.flatMap(({ ready, leaving }) => [...ready, ...leaving]), ...held]);
}

function listLate(slices: readonly TrimmedEndpointSlice[], port: string): ReadonlySet<string> {
  const late = slices.filter(({ ports }) => ports.every(({ name }) => name !== port));
  return new Set(late.flatMap(({ ready }) => ready));
}

function explainNone(name: string, slices: readonly TrimmedEndpointSlice[]): DesireProblem {
  const ofIpv4 = slices.filter(({ isIpv4 }) => isIpv4);
  if (ofIpv4.some(({ ready, leaving }) => ready.length + leaving.length > 0)) {
    return problem('TargetPortNotFound', `no ready pod of Service ${name} has its target port`);
  }
  const unready = countOthers(ofIpv4);
  if (unready === 0 && countOthers(slices) > 0) {
    return problem('UnusableEndpoints', `Service ${name} has no endpoint with an IPv4 address`);
  }
  const none = unready === 0 ? 'no endpoints' : `${unready} endpoints and none of them is ready`;
  return problem('NoReadyEndpoints', `Service ${name} has ${none}`);
}

function countOthers(slices: readonly TrimmedEndpointSlice[]): number {
  return slices.reduce((sum, { others }) => sum + others, 0);
}

function problem(reason: MyIngressReason, observed: string): DesireProblem {
  return { reason, message: `${observed}; ${myIngressReasons[reason].next}` };
}
