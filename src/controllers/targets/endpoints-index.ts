import { getKey, type Key, splitKey } from '../../core/objects/kube-object.ts';
import { listStates, type ObjectCache } from '../../core/ports/cache.ts';
import type { Endpoints } from './desired-targets.ts';
import type { GatedPod } from './gates/gated-pod.ts';
import type { TrimmedEndpointSlice, TrimmedService, UnreadyEndpoint } from './transforms.ts';

export interface EndpointCaches {
  readonly services: Pick<ObjectCache<TrimmedService>, 'get' | 'subscribe'>;
  readonly slices: Pick<ObjectCache<TrimmedEndpointSlice>, 'subscribe'>;
  /** Those that may have the readiness gate; undefined: gates are off. */
  readonly pods?: Pick<ObjectCache<GatedPod>, 'get'> | undefined;
}

/** Finds the EndpointSlices of a Service without scanning all of them. */
export class EndpointsIndex {
  readonly #caches: EndpointCaches;
  readonly #slices = new Map<Key, Map<Key, TrimmedEndpointSlice>>();

  constructor(caches: EndpointCaches) {
    this.#caches = caches;
  }

  /** Calls `onChange` with each Service that has changed, or whose slices have; what is held comes first. */
  follow(onChange: (service: Key) => void): () => void {
    const stopSlices = this.#caches.slices.subscribe((change) => {
      for (const before of listStates(change).slice(0, -1)) this.#remove(before);
      if (change.kind === 'deleted') this.#remove(change.object);
      else this.#add(change.object);
      for (const service of new Set(listStates(change).map(getServiceKey))) onChange(service);
    });
    const stopServices = this.#caches.services.subscribe(({ object }) => onChange(getKey(object)));
    return () => {
      stopSlices();
      stopServices();
    };
  }

  get(service: Key): Omit<Endpoints, 'nodes'> {
    const slices = [...(this.#slices.get(service)?.values() ?? [])];
    const { namespace } = splitKey(service);
    const unready = slices.flatMap((slice) => [...slice.unready, ...(slice.early ?? [])]);
    const held = unready.filter((endpoint) => this.#isHeld(namespace, endpoint));
    return { service: this.#caches.services.get(service), slices, held: new Set(held) };
  }

  #isHeld(namespace: string, { address, pod: name }: UnreadyEndpoint): boolean {
    const pod = this.#caches.pods?.get(`${namespace}/${name}`);
    return pod?.isUp === true && pod.ips.includes(address);
  }

  #add(slice: TrimmedEndpointSlice): void {
    if (slice.service === '') return;
    const service = getServiceKey(slice);
    const slices = this.#slices.get(service) ?? new Map<Key, TrimmedEndpointSlice>();
    this.#slices.set(service, slices.set(getKey(slice), slice));
  }

  #remove(slice: TrimmedEndpointSlice): void {
    const service = getServiceKey(slice);
    const slices = this.#slices.get(service);
    slices?.delete(getKey(slice));
    if (slices?.size === 0) this.#slices.delete(service);
  }
}

function getServiceKey({ metadata, service }: TrimmedEndpointSlice): Key {
  return `${metadata.namespace ?? ''}/${service}`;
}
