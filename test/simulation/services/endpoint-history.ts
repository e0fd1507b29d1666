import { ENDPOINT_SLICES, SERVICES } from '../api-model/kinds.ts';
import type { Commit, ObjectTable } from '../api-model/object-table.ts';
import { keyOfStored, type StoredObject } from '../api-model/stored-object.ts';
import type { ServiceKey, ServicePort } from './actions.ts';
import { SERVICE_NAME } from './slice-controller.ts';

/** A Service of a namespace and one of its ports, as a backend names them. */
export interface ServiceRef {
  readonly namespace: string;
  readonly name: string;
  readonly port: string | number;
}

/** Targets as `address:port`. */
export interface Targets {
  readonly ready: ReadonlySet<string>;
  /** The ready ones; where there are none, those that are terminating and still serve. */
  readonly desired: ReadonlySet<string>;
}

interface Moment {
  readonly atMs: number;
  /** undefined: there is no such Service. */
  readonly ports: readonly ServicePort[] | undefined;
  /** By name of the port. */
  readonly targets: ReadonlyMap<string, Targets>;
  /** How the slices are to the Service: `late` ones still have the ports that it had before. */
  readonly slices: 'right' | 'late' | 'absent';
}

/** Slices follow a changed Service within moments: what holds no longer than this is no state of it. */
const FOLLOWED_MS = 5000;

interface Slice extends StoredObject {
  readonly endpoints?: readonly {
    readonly addresses: readonly string[];
    readonly conditions: Readonly<Record<'ready' | 'serving' | 'terminating', boolean>>;
  }[];
  readonly ports?: readonly { readonly name: string; readonly port: number }[];
}

export const NO_TARGETS: Targets = { ready: new Set(), desired: new Set() };

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
    if (kind === SERVICES) this.#remember(keyOfStored(object) as ServiceKey);
    if (kind !== ENDPOINT_SLICES) return;
    const { namespace, labels } = object.metadata;
    this.#remember(`${namespace ?? ''}/${labels?.[SERVICE_NAME] ?? ''}`);
  }

  now(ref: ServiceRef): Targets {
    return targetsAt(this.#of(ref).at(-1), ref);
  }

  /** The targets at every time since then, the latest last: whatever a process was shown. */
  since(ref: ServiceRef, fromMs: number): readonly Targets[] {
    return this.#list(ref, fromMs, () => true);
  }

  /**
   * The same without the moments on whose word nothing is taken out: slices that follow a changed
   * Service in a moment, and a Service that has none.
   */
  lastingSince(ref: ServiceRef, fromMs: number): readonly Targets[] {
    const moments = this.#of(ref);
    return this.#list(ref, fromMs, (moment) => {
      if (moment.slices === 'late') return this.#lastedMs(moment, moments) >= FOLLOWED_MS;
      return moment.slices === 'right';
    });
  }

  #list(ref: ServiceRef, fromMs: number, counts: (moment: Moment) => boolean): readonly Targets[] {
    const moments = this.#of(ref);
    const first = moments.findLastIndex(({ atMs }) => atMs <= fromMs);
    const known = moments
      .slice(Math.max(0, first))
      .filter(counts)
      .map((moment) => targetsAt(moment, ref));
    return first < 0 ? [NO_TARGETS, ...known] : known;
  }

  #lastedMs(moment: Moment, moments: readonly Moment[]): number {
    const next = moments[moments.indexOf(moment) + 1];
    return (next?.atMs ?? this.#nowMs()) - moment.atMs;
  }

  #of({ namespace, name }: ServiceRef): readonly Moment[] {
    return this.#moments.get(`${namespace}/${name}`) ?? [];
  }

  #remember(at: ServiceKey): void {
    const moments = this.#moments.get(at) ?? [];
    this.#moments.set(at, moments);
    const service = this.#table.get(SERVICES, at);
    const { ports } = (service?.['spec'] ?? {}) as { readonly ports?: readonly ServicePort[] };
    const names = (ports ?? []).map(({ name }) => name);
    const slices = this.#slicesOf(at);
    const targets = new Map(names.map((name) => [name, collectTargets(slices, name)]));
    const isLate = slices.some((slice) =>
      (slice.ports ?? []).some(({ name }) => !names.includes(name)),
    );
    const isAbsent = ports !== undefined && slices.length === 0;
    const state = isAbsent ? 'absent' : ports !== undefined && isLate ? 'late' : 'right';
    moments.push({ atMs: this.#nowMs(), ports, targets, slices: state });
  }

  #slicesOf(at: ServiceKey): readonly Slice[] {
    return (this.#table.list(ENDPOINT_SLICES) as readonly Slice[]).filter(
      ({ metadata }) => `${metadata.namespace}/${metadata.labels?.[SERVICE_NAME]}` === at,
    );
  }
}

function collectTargets(slices: readonly Slice[], portName: string): Targets {
  const served = slices.flatMap(({ endpoints = [], ports = [] }) => {
    const port = ports.find(({ name }) => name === portName)?.port;
    if (port === undefined) return [];
    return endpoints.map(({ addresses, conditions }) => {
      return { target: `${addresses[0]}:${port}`, ...conditions };
    });
  });
  const collect = (counts: (one: (typeof served)[number]) => boolean): ReadonlySet<string> =>
    new Set(served.filter(counts).map(({ target }) => target));
  const ready = collect((one) => one.ready && !one.terminating);
  const leaving = collect((one) => one.serving && one.terminating);
  return { ready, desired: ready.size > 0 ? ready : leaving };
}

function targetsAt(moment: Moment | undefined, { port }: ServiceRef): Targets {
  const found = moment?.ports?.find((one) => one.name === port || one.port === port);
  return moment?.targets.get(found?.name ?? '') ?? NO_TARGETS;
}
