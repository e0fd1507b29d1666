import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import type { MappedTarget } from '../../localstack/embedded/data-plane/target-table.ts';

/** Of Kubernetes, as far as it counts for node ports. */
export interface Service {
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly spec: {
    readonly selector?: Readonly<Record<string, string>>;
    readonly ports?: readonly ServicePort[];
  };
}

interface ServicePort {
  readonly port: number;
  readonly targetPort?: number | string;
  readonly nodePort?: number;
}

/** Loopback addresses of the pods that serve a port of a Service. */
type FindAddresses = (service: Service, targetPort: number | string) => readonly string[];

/** Plays kube-proxy: a connection to a node port of any instance goes to one pod of its Service after the other. */
export class NodePorts {
  readonly #instances: readonly string[];
  readonly #find: FindAddresses;
  readonly #servers = new Map<number, Server>();
  #services: readonly Service[] = [];
  #count = 0;

  constructor(instances: readonly string[], find: FindAddresses) {
    this.#instances = instances;
    this.#find = find;
  }

  /** What there is now; true where a port has come or gone. */
  async follow(services: readonly Service[]): Promise<boolean> {
    this.#services = services;
    const open = new Set(services.flatMap(listNodePorts));
    const left = [...this.#servers.keys()].filter((port) => !open.has(port));
    for (const port of left) this.#close(port);
    const added = [...open].filter((port) => !this.#servers.has(port));
    for (const port of added) this.#servers.set(port, await this.#open(port));
    return left.length + added.length > 0;
  }

  rows(): readonly MappedTarget[] {
    return [...this.#servers].flatMap(([port, server]) => {
      const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      return this.#instances.map((ip) => ({ ip, port, address }));
    });
  }

  close(): void {
    for (const port of this.#servers.keys()) this.#close(port);
  }

  #close(port: number): void {
    this.#servers.get(port)?.close();
    this.#servers.delete(port);
  }

  async #open(nodePort: number): Promise<Server> {
    const server = createServer((client) => {
      const address = this.#choose(nodePort);
      if (address === undefined) return client.destroy();
      const [host = '', port = ''] = address.split(':');
      const pod = connect(Number(port), host);
      client.on('error', () => pod.destroy()).on('close', () => pod.destroy());
      pod.on('error', () => client.destroy()).on('close', () => client.destroy());
      return client.pipe(pod).pipe(client);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  #choose(nodePort: number): string | undefined {
    for (const service of this.#services) {
      const port = service.spec.ports?.find((one) => one.nodePort === nodePort);
      if (port === undefined) continue;
      const addresses = this.#find(service, port.targetPort ?? port.port);
      this.#count += 1;
      return addresses[this.#count % Math.max(1, addresses.length)];
    }
    return undefined;
  }
}

function listNodePorts({ spec }: Service): readonly number[] {
  return (spec.ports ?? []).flatMap(({ nodePort }) => nodePort ?? []);
}
