import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MappedTarget } from '../../../localstack/embedded/data-plane/target-table.ts';
import type { KubeObject } from '../../../src/core/objects/kube-object.ts';
import type { GivenSpec } from '../../surroundings/my-ingresses.ts';
import type { BenchPlace, Ground, RealParts } from '../bench-place.ts';
import { type Seen, WatchStream } from '../watch-stream.ts';

/** The port of every pod; that of its Service is another one. */
const POD_PORT = 8080;
const SERVICE_PORT = 80;
/** Until hundreds of objects are Ready, on a busy machine. */
export const LONGEST_MS = 900_000;

/** Of Services that are there before what is measured begins. */
export const SERVICE = 'web';

type Slice = KubeObject & {
  readonly endpoints?: readonly { readonly addresses: readonly string[] }[];
};

/** A namespace with Services whose pods are addresses alone; all answer through one server of this process. */
export class TrafficGround {
  readonly ground: Ground;
  readonly parts: RealParts;
  readonly #server: Server;

  private constructor(ground: Ground, parts: RealParts, server: Server) {
    this.ground = ground;
    this.parts = parts;
    this.#server = server;
  }

  static async create(place: BenchPlace): Promise<TrafficGround> {
    const parts = await place.real();
    const ground = await place.freshGround();
    const server = createServer((_, response) => response.end('ok\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TrafficGround(ground, parts, server);
  }

  /** Answers for the pods no longer. */
  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Of the seeded VPC. */
  static address(index: number): string {
    return `10.87.${128 + Math.floor(index / 200)}.${1 + (index % 200)}`;
  }

  /** The pods at these addresses answer from now on, and no others. */
  mapPods(addresses: readonly string[]): void {
    const { port } = this.#server.address() as AddressInfo;
    const address = `127.0.0.1:${port}`;
    const rows = addresses.map((ip): MappedTarget => ({ ip, port: POD_PORT, address }));
    this.parts.aws.setTargets(rows);
  }

  /** A Service, with one EndpointSlice for each list of addresses. */
  async postService(name: string, slices: readonly (readonly string[])[]): Promise<void> {
    const ports = [{ name: 'http', port: SERVICE_PORT, targetPort: POD_PORT }];
    await this.#post('api/v1', 'services', { metadata: { name }, spec: { ports } });
    for (const [index, addresses] of slices.entries()) {
      await this.#post('apis/discovery.k8s.io/v1', 'endpointslices', {
        metadata: {
          name: `${name}-${index}`,
          labels: { 'kubernetes.io/service-name': name },
        },
        addressType: 'IPv4',
        endpoints: listEndpoints(addresses),
        ports: [{ name: 'http', port: POD_PORT, protocol: 'TCP' }],
      });
    }
  }

  /** Services of one pod each, and objects that have all of them as backends; returns when all are Ready. */
  async postObjects(
    services: readonly string[],
    count: number,
    given: GivenSpec = {},
  ): Promise<void> {
    const { aws } = this.parts;
    const addresses = services.map((_, index) => TrafficGround.address(index));
    this.mapPods(addresses);
    for (const [index, name] of services.entries()) {
      await this.postService(name, [addresses.slice(index, index + 1)]);
    }
    const subnets = aws.standIn.network.articleSubnets;
    const spec = createTrafficSpec({ subnets, services, rules: services.length });
    for (let index = 0; index < count; index++) {
      await this.ground.objects.create(`many-${index}`, { ...spec, ...given });
    }
    await this.ground.ready.whenReady(count, LONGEST_MS);
  }

  /** What one slice of a Service has from now on, all of it ready. */
  async setEndpoints(slice: string, addresses: readonly string[]): Promise<void> {
    const path = `${this.#path('apis/discovery.k8s.io/v1', 'endpointslices')}/${slice}`;
    await this.parts.api.ask({
      method: 'PATCH',
      path,
      body: { endpoints: listEndpoints(addresses) },
    });
  }

  watchSlices(onEvent: (seen: Seen<Slice>) => void): Promise<WatchStream<Slice>> {
    const path = this.#path('apis/discovery.k8s.io/v1', 'endpointslices');
    return WatchStream.open<Slice>(this.parts.cluster, { path, onEvent });
  }

  #path(group: string, plural: string): string {
    return `/${group}/namespaces/${this.ground.namespace}/${plural}`;
  }

  async #post(group: string, plural: string, body: object): Promise<void> {
    await this.parts.api.ask({ method: 'POST', path: this.#path(group, plural), body });
  }
}

function listEndpoints(addresses: readonly string[]): readonly object[] {
  const conditions = { ready: true, serving: true, terminating: false };
  return addresses.map((address) => ({ addresses: [address], conditions }));
}

export interface Traffic {
  readonly subnets: readonly string[];
  /** Names of Services; each is a backend of its name. */
  readonly services?: readonly string[];
  readonly rules?: number;
  readonly ports?: readonly number[];
}

/** Rules by path, on the ports and for the backends in turns; what none matches gets the first backend. */
export function createTrafficSpec({
  subnets,
  services = [SERVICE],
  rules = 1,
  ports = [SERVICE_PORT],
}: Traffic): GivenSpec {
  const pick = <T>(of: readonly T[], index: number): T => of[index % of.length] as T;
  return {
    subnets,
    backends: services.map((name) => ({ name, service: { name, port: SERVICE_PORT } })),
    listeners: ports.map((port) => ({ port, protocol: 'HTTP' })),
    rules: Array.from({ length: rules }, (_, index) => ({
      name: `rule-${index}`,
      paths: [`/path-${index}`],
      listeners: [pick(ports, index)],
      forward: [{ backend: pick(services, index) }],
    })),
    defaultAction: { forward: [{ backend: pick(services, 0) }] },
  };
}
