/** In subnets a, b and c of the world's network. */
const NETWORKS = ['10.0.0', '10.0.1', '10.0.2'] as const;
const FIRST_HOST = 20;

/**
 * Addresses of pods. The one that was freed last is given first, as to a pod of another application that
 * starts on the same node.
 */
export class Addresses {
  readonly #free: string[] = [];
  #given = 0;

  take(): string {
    const freed = this.#free.pop();
    if (freed !== undefined) return freed;
    const network = NETWORKS[this.#given % NETWORKS.length] ?? '';
    const host = FIRST_HOST + Math.floor(this.#given / NETWORKS.length);
    this.#given += 1;
    return `${network}.${host}`;
  }

  free(address: string): void {
    this.#free.push(address);
  }
}

/** The other address of a dual-stack pod, in a subnet's block of IPv6 and as the API server would write it. */
export function getIpv6Of(address: string, block: string): string {
  const [, , network = 0, host = 0] = address.split('.').map(Number);
  const prefix = block.replace('::/64', '');
  const text = `${prefix}::${(network + 1).toString(16)}:${host.toString(16)}`;
  return new URL(`http://[${text}]`).hostname.slice(1, -1);
}
