import { isDeepStrictEqual } from 'node:util';
import { ENDPOINT_SLICES, SERVICES } from '../api-model/kinds.ts';
import type { Json, StoredObject } from '../api-model/stored-object.ts';
import { People, partsOf } from '../people.ts';
import type { Stage } from '../world/stage.ts';
import type { ServiceKey, ServicePort } from './actions.ts';
import { getIpv6Of } from './addresses.ts';
import { type Backend, nameOfPod } from './pod-set.ts';

/** The port that the containers listen on. */
export const TARGET_PORT = 8080;

/** The label by which a slice names its Service. */
export const SERVICE_NAME = 'kubernetes.io/service-name';

/** A slice has addresses of one family; a Service without the field has IPv4. */
const FAMILIES = ['IPv4', 'IPv6'] as const;
type Family = (typeof FAMILIES)[number];

const MOST_IN_SLICE = 3;
const LEAST_MS = 5;
const SPREAD_MS = 400;

/**
 * Keeps EndpointSlices as the controller manager does: some time after a change, one request for each slice.
 * https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/
 */
export class SliceController {
  readonly #stage: Stage;
  readonly #people: People;
  readonly #podsOf: (at: ServiceKey) => readonly Backend[];
  readonly #due = new Set<ServiceKey>();
  /** Which slice of its Service a pod is in; it stays there. */
  readonly #placed = new Map<ServiceKey, Map<number, number>>();

  constructor(stage: Stage, podsOf: (at: ServiceKey) => readonly Backend[]) {
    this.#stage = stage;
    this.#podsOf = podsOf;
    this.#people = new People(stage, 'endpointslice-controller');
  }

  /** The Service or one of its pods has changed. */
  changed(at: ServiceKey): void {
    if (this.#due.has(at)) return;
    this.#due.add(at);
    const { clock } = this.#stage;
    clock.setTimer(LEAST_MS + SPREAD_MS * clock.random(), () => {
      this.#due.delete(at);
      this.#reconcile(at);
    });
  }

  #reconcile(at: ServiceKey): void {
    const service = this.#stage.model.table.get(SERVICES, at);
    const slices = service === undefined ? [] : this.#place(at);
    const existing = this.#slicesOf(at);
    const families = FAMILIES.filter((family) => readFamilies(service).includes(family));
    const wanted = [...slices].flatMap(([index, pods]) =>
      families.map((family) => ({ name: nameSlice(at, family, index), family, pods })),
    );
    for (const { name, family, pods } of wanted) {
      const endpoints = pods.map((pod) => ({ ...pod, address: this.#addressOf(pod, family) }));
      const { readinessGates: isGated = false } = this.#stage.settings;
      const content = {
        addressType: family,
        ...describeSlice(at, service, { endpoints, isGated }),
      };
      const found = existing.find((slice) => slice.metadata.name === partsOf(name).name);
      if (found === undefined) this.#people.create(ENDPOINT_SLICES, name, content);
      else if (!hasContent(found, content)) this.#people.patch(ENDPOINT_SLICES, name, content);
    }
    const kept = new Set(wanted.map(({ name }) => partsOf(name).name));
    for (const { metadata } of existing.filter((one) => !kept.has(one.metadata.name))) {
      this.#people.delete(ENDPOINT_SLICES, `${partsOf(at).namespace}/${metadata.name}`);
    }
  }

  #addressOf({ address }: Backend, family: Family): string {
    return family === 'IPv4' ? address : getIpv6Of(address, readIpv6Block(this.#stage));
  }

  /** By index of the slice. A Service without pods has one empty slice. */
  #place(at: ServiceKey): ReadonlyMap<number, readonly Backend[]> {
    const pods = this.#podsOf(at);
    const known = this.#placed.get(at) ?? new Map<number, number>();
    const placed = new Map<number, number>();
    const sizeOf = (slice: number): number =>
      [...placed.values()].filter((at) => at === slice).length;
    for (const { id } of pods) {
      const slice = known.get(id);
      if (slice !== undefined) placed.set(id, slice);
    }
    for (const { id } of pods.filter((pod) => !placed.has(pod.id))) {
      let slice = 0;
      while (sizeOf(slice) >= MOST_IN_SLICE) slice += 1;
      placed.set(id, slice);
    }
    this.#placed.set(at, placed);
    if (pods.length === 0) return new Map([[0, []]]);
    return Map.groupBy(pods, ({ id }) => placed.get(id) ?? 0);
  }

  #slicesOf(at: ServiceKey): readonly StoredObject[] {
    const { namespace, name } = partsOf(at);
    return this.#stage.model.table
      .list(ENDPOINT_SLICES)
      .filter(({ metadata }) => metadata.namespace === namespace)
      .filter(({ metadata }) => metadata.labels?.[SERVICE_NAME] === name);
  }
}

/** Of the subnet in which all pods have their addresses of IPv6. */
export function readIpv6Block({ aws }: Stage): string {
  return aws.world.network.subnets.get('subnet-a')?.ipv6Cidr ?? '';
}

function readFamilies(service: StoredObject | undefined): readonly string[] {
  const { ipFamilies = ['IPv4'] } = (service?.['spec'] ?? {}) as {
    readonly ipFamilies?: readonly string[];
  };
  return ipFamilies;
}

function nameSlice(at: ServiceKey, family: Family, index: number): ServiceKey {
  return family === 'IPv4' ? `${at}-${index}` : `${at}-ipv6-${index}`;
}

function describeSlice(
  at: ServiceKey,
  service: StoredObject | undefined,
  {
    endpoints: pods,
    isGated,
  }: { readonly endpoints: readonly Backend[]; readonly isGated: boolean },
): Json {
  const { ports = [] } = (service?.['spec'] ?? {}) as { readonly ports?: readonly ServicePort[] };
  return {
    metadata: { labels: { [SERVICE_NAME]: partsOf(at).name } },
    endpoints: pods.map(({ address, isReady, isTerminating, ...pod }) => ({
      addresses: [address],
      ...(isGated && { targetRef: { kind: 'Pod', name: nameOfPod(at, pod) } }),
      conditions: {
        ready: isReady && !isTerminating,
        serving: isReady,
        terminating: isTerminating,
      },
    })),
    ports: ports.map(({ name }) => ({ name, port: TARGET_PORT, protocol: 'TCP' })),
  };
}

function hasContent(slice: StoredObject, { endpoints, ports }: Json): boolean {
  return (
    isDeepStrictEqual(slice['endpoints'], endpoints) && isDeepStrictEqual(slice['ports'], ports)
  );
}
