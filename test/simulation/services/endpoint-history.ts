import { ENDPOINT_SLICES, NODES, PODS, SERVICES } from '../api-model/kinds.ts';
import type { Commit, ObjectTable } from '../api-model/object-table.ts';
import { keyOfStored, type StoredObject } from '../api-model/stored-object.ts';
import { isGated, isUp } from '../world/pod-facts.ts';
import type { ServiceKey, ServicePort } from './actions.ts';
import { SERVICE_NAME } from './slice-controller.ts';

/** A Service of a namespace and one of its ports, as a backend names them. */
export interface ServiceRef {
  readonly namespace: string;
  readonly name: string;
  readonly port: string | number;
  /** Targets are nodes, with the node port of the Service. */
  readonly isOfInstances?: boolean;
  /** Targets are the addresses of IPv6; else those of IPv4. */
  readonly isIpv6?: boolean;
}

/** Targets as `address:port`. */
export interface Targets {
  readonly ready: ReadonlySet<string>;
  /** The ready ones; where there are none, those that are terminating and still serve; those that only their gate holds. */
  readonly desired: ReadonlySet<string>;
  /** Those of pods that serve, terminating ones too. */
  readonly live: ReadonlySet<string>;
}

interface Moment {
  readonly atMs: number;
  /** undefined: there is no such Service. */
  readonly ports: readonly StoredPort[] | undefined;
  /** Of IPv4, by name of the port. */
  readonly targets: ReadonlyMap<string, Targets>;
  /** The same of IPv6. */
  readonly ipv6: ReadonlyMap<string, Targets>;
  /** The same of instances. */
  readonly instances: ReadonlyMap<string, Targets>;
  readonly nodes: readonly Node[];
  /** How the slices are to the Service: `late` ones still have the ports that it had before. */
  readonly slices: 'right' | 'late' | 'absent';
}

/** Slices follow a changed Service within moments: what holds no longer than this is no state of it. */
const FOLLOWED_MS = 5000;

interface Slice extends StoredObject {
  readonly addressType?: 'IPv4' | 'IPv6';
  readonly endpoints?: readonly {
    readonly addresses: readonly string[];
    readonly targetRef?: { readonly name: string };
    readonly conditions: Readonly<Record<'ready' | 'serving' | 'terminating', boolean>>;
  }[];
  readonly ports?: readonly { readonly name: string; readonly port: number }[];
}

interface StoredPort extends ServicePort {
  readonly nodePort?: number;
}

interface Node extends StoredObject {
  readonly spec?: { readonly providerID?: string; readonly taints?: readonly unknown[] };
  readonly status?: { readonly conditions?: readonly { readonly status: string }[] };
}

export const NO_TARGETS: Targets = { ready: new Set(), desired: new Set(), live: new Set() };

/** The targets of every Service by the API server's own state, as it is and as it was. */
export class EndpointHistory {
  readonly #table: ObjectTable;
  readonly #nowMs: () => number;
  readonly #moments = new Map<ServiceKey, Moment[]>();

  constructor(table: ObjectTable, nowMs: () => number) {
    this.#table = table;
    this.#nowMs = nowMs;
  }

  onCommit({ kind, object }: Commit): void {
    if (kind === NODES) for (const at of this.#moments.keys()) this.#remember(at);
    if (kind === SERVICES) this.#remember(keyOfStored(object) as ServiceKey);
    if (kind === PODS && isGated(object)) this.#rememberOf(object, 'app');
    if (kind === ENDPOINT_SLICES) this.#rememberOf(object, SERVICE_NAME);
  }

  now(ref: ServiceRef): Targets {
    return targetsAt(this.#of(ref).at(-1), ref);
  }

  /** False for instances of a cluster without nodes: on that word nothing is taken out. */
  isTold(ref: ServiceRef): boolean {
    return ref.isOfInstances !== true || this.#of(ref).at(-1)?.nodes.length !== 0;
  }

  /** The targets at every time since then, the latest last: whatever a process was shown. */
  since(ref: ServiceRef, fromMs: number): readonly Targets[] {
    const known = this.#list(ref, fromMs, () => true);
    return ref.isOfInstances ? [...this.#listMixed(ref, fromMs), ...known] : known;
  }

  /** The watch of the nodes and that of the Services lag each for itself. */
  #listMixed(ref: ServiceRef, fromMs: number): readonly Targets[] {
    const moments = this.#momentsSince(ref, fromMs);
    const last = moments.at(-1);
    if (last === undefined) return [];
    return moments.flatMap((moment) => [
      collectInstances(last.nodes, findPort(moment, ref)?.nodePort),
      collectInstances(moment.nodes, findPort(last, ref)?.nodePort),
    ]);
  }

  /** Whether it has had no target for so long without a pause, until some time after then. */
  hasGap(ref: ServiceRef, fromMs: number, forMs: number): boolean {
    const moments = this.#momentsSince(ref, fromMs - forMs);
    const filled = moments.filter((moment) => targetsAt(moment, ref).desired.size > 0);
    const begins = filled.map((one) => one.atMs + this.#lastedMs(one, this.#of(ref)));
    const ends = [...filled.map(({ atMs }) => atMs), this.#nowMs()];
    return ends.some((endMs, index) => endMs - (begins[index - 1] ?? fromMs - forMs) >= forMs);
  }

  /**
   * The same without the moments on whose word nothing is taken out: slices that follow a changed
   * Service in a moment, and a Service that has none.
   */
  lastingSince(ref: ServiceRef, fromMs: number): readonly Targets[] {
    const moments = this.#of(ref);
    return this.#list(ref, fromMs, (moment) => {
      if (ref.isOfInstances) return moment.nodes.length > 0;
      if (moment.slices === 'late') return this.#lastedMs(moment, moments) >= FOLLOWED_MS;
      return moment.slices === 'right';
    });
  }

  #list(ref: ServiceRef, fromMs: number, counts: (moment: Moment) => boolean): readonly Targets[] {
    const isNew = this.#of(ref).every(({ atMs }) => atMs > fromMs);
    const known = this.#momentsSince(ref, fromMs)
      .filter(counts)
      .map((moment) => targetsAt(moment, ref));
    return isNew ? [NO_TARGETS, ...known] : known;
  }

  /** That of then included. */
  #momentsSince(ref: ServiceRef, fromMs: number): readonly Moment[] {
    const moments = this.#of(ref);
    const first = moments.findLastIndex(({ atMs }) => atMs <= fromMs);
    return moments.slice(Math.max(0, first));
  }

  #lastedMs(moment: Moment, moments: readonly Moment[]): number {
    const next = moments[moments.indexOf(moment) + 1];
    return (next?.atMs ?? this.#nowMs()) - moment.atMs;
  }

  #of({ namespace, name }: ServiceRef): readonly Moment[] {
    return this.#moments.get(`${namespace}/${name}`) ?? [];
  }

  /** The label has the name of its Service. */
  #rememberOf({ metadata }: StoredObject, label: string): void {
    this.#remember(`${metadata.namespace ?? ''}/${metadata.labels?.[label] ?? ''}`);
  }

  #remember(at: ServiceKey): void {
    const moments = this.#moments.get(at) ?? [];
    this.#moments.set(at, moments);
    const service = this.#table.get(SERVICES, at);
    const { ports } = (service?.['spec'] ?? {}) as { readonly ports?: readonly StoredPort[] };
    const names = (ports ?? []).map(({ name }) => name);
    const slices = this.#slicesOf(at);
    const nodes = this.#table.list(NODES) as readonly Node[];
    const instances = new Map(
      (ports ?? []).map(({ name, nodePort }) => [name, collectInstances(nodes, nodePort)]),
    );
    const held = this.#listHeld(at);
    const collect = (family: Slice['addressType']): Moment['targets'] => {
      const own = slices.filter(({ addressType }) => addressType === family);
      return new Map(names.map((name) => [name, collectTargets(own, name, held)]));
    };
    const isLate = slices.some((slice) =>
      (slice.ports ?? []).some(({ name }) => !names.includes(name)),
    );
    const isAbsent = ports !== undefined && slices.length === 0;
    const state = isAbsent ? 'absent' : ports !== undefined && isLate ? 'late' : 'right';
    const atMs = this.#nowMs();
    const addresses = { targets: collect('IPv4'), ipv6: collect('IPv6') };
    moments.push({ atMs, ports, ...addresses, instances, nodes, slices: state });
  }

  /** Names of the pods that their readiness gate alone may keep from being Ready. */
  #listHeld(at: ServiceKey): ReadonlySet<string> {
    const pods = this.#table.list(PODS).filter(({ metadata }) => {
      return `${metadata.namespace}/${metadata.labels?.['app']}` === at;
    });
    return new Set(pods.filter(isUp).map(({ metadata }) => metadata.name));
  }

  #slicesOf(at: ServiceKey): readonly Slice[] {
    return (this.#table.list(ENDPOINT_SLICES) as readonly Slice[]).filter(
      ({ metadata }) => `${metadata.namespace}/${metadata.labels?.[SERVICE_NAME]}` === at,
    );
  }
}

function collectTargets(
  slices: readonly Slice[],
  portName: string,
  held: ReadonlySet<string>,
): Targets {
  const served = slices.flatMap(({ endpoints = [], ports = [] }) => {
    const port = ports.find(({ name }) => name === portName)?.port;
    if (port === undefined) return [];
    return endpoints.map(({ addresses, conditions, targetRef }) => {
      const isHeld = held.has(targetRef?.name ?? '');
      return { target: `${addresses[0]}:${port}`, isHeld, ...conditions };
    });
  });
  const collect = (counts: (one: (typeof served)[number]) => boolean): ReadonlySet<string> =>
    new Set(served.filter(counts).map(({ target }) => target));
  const ready = collect((one) => one.ready && !one.terminating);
  const leaving = collect((one) => one.serving && one.terminating);
  const waiting = collect((one) => one.isHeld && !one.ready && !one.terminating);
  const serving = ready.size > 0 ? ready : leaving;
  return { ready, desired: new Set([...serving, ...waiting]), live: collect((one) => one.serving) };
}

/** Ready nodes that nothing removes; where there are none, those that are not heard. */
function collectInstances(nodes: readonly Node[], nodePort: number | undefined): Targets {
  const staying = nodes.filter(({ spec }) => (spec?.taints ?? []).length === 0);
  const collect = (readiness: string): ReadonlySet<string> => {
    const found = staying.filter(({ status }) => status?.conditions?.[0]?.status === readiness);
    return new Set(found.map(({ spec }) => `${spec?.providerID?.split('/').at(-1)}:${nodePort}`));
  };
  const ready = nodePort === undefined ? new Set<string>() : collect('True');
  const desired = ready.size > 0 ? ready : collect('Unknown');
  return { ready, desired, live: desired };
}

function targetsAt(moment: Moment | undefined, ref: ServiceRef): Targets {
  return listByPort(moment, ref)?.get(findPort(moment, ref)?.name ?? '') ?? NO_TARGETS;
}

function findPort(moment: Moment | undefined, { port }: ServiceRef): StoredPort | undefined {
  return moment?.ports?.find((one) => one.name === port || one.port === port);
}

function listByPort(
  moment: Moment | undefined,
  { isOfInstances, isIpv6 }: ServiceRef,
): Moment['targets'] | undefined {
  if (isOfInstances) return moment?.instances;
  return isIpv6 ? moment?.ipv6 : moment?.targets;
}
