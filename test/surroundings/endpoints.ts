import { POD_BLOCK } from '../../localstack/pod-block.ts';
import type { KubeApi } from './kube-api.ts';

/** Makes the Services of one namespace and says what stands behind them, where no controller does. */
export class Endpoints {
  readonly #api: KubeApi;
  readonly #namespace: string;

  constructor(api: KubeApi, namespace: string) {
    this.#api = api;
    this.#namespace = namespace;
  }

  /** A Service with the port 80, called http, and these endpoints. */
  async create(name: string, addresses: readonly string[]): Promise<void> {
    const ports = [{ name: 'http', port: 80 }];
    const service = {
      ...{ apiVersion: 'v1', kind: 'Service' },
      metadata: { name },
      spec: { ports },
    };
    const slice = {
      ...{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', addressType: 'IPv4', ports },
      metadata: { name, labels: { 'kubernetes.io/service-name': name } },
      endpoints: addresses.map(readyAt),
    };
    const { origin, slices } = this.#paths();
    await this.#api.ask({ method: 'POST', path: `${origin}/services`, body: service });
    await this.#api.ask({ method: 'POST', path: slices, body: slice });
  }

  async set(name: string, addresses: readonly string[]): Promise<void> {
    const body = { endpoints: addresses.map(readyAt) };
    await this.#api.ask({ method: 'PATCH', path: `${this.#paths().slices}/${name}`, body });
  }

  #paths(): { readonly origin: string; readonly slices: string } {
    const slices = `/apis/discovery.k8s.io/v1/namespaces/${this.#namespace}/endpointslices`;
    return { origin: `/api/v1/namespaces/${this.#namespace}`, slices };
  }
}

/** An address that a pod can have. */
export function podAddress(index: number): string {
  const [first, second, third] = POD_BLOCK.split('.');
  return `${first}.${second}.${third}.${index}`;
}

function readyAt(address: string): object {
  return { addresses: [address], conditions: { ready: true } };
}
