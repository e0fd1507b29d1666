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
  /** False where the slices still have the ports that the Service had before. */
  readonly isFollowed: boolean;
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

  /** The targets at every time since then, the latest last. */
  since(ref: ServiceRef, fromMs: number): readonly Targets[] {
    const moments = this.#of(ref);
    const first = moments.findLastIndex(({ atMs }) => atMs <= fromMs);
    const known = moments
      .slice(Math.max(0, first))
      .filter((moment) => moment.isFollowed || this.#lastedMs(moment, moments) >= FOLLOWED_MS)
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
    const isFollowed =
      ports === undefined ||
      slices.every((slice) => (slice.ports ?? []).every(({ name }) => names.includes(name)));
    moments.push({ atMs: this.#nowMs(), ports, targets, isFollowed });
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
