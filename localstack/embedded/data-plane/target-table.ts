/** Where a target really is. */
export interface MappedTarget {
  /** Of the target as it is registered: an address, or the id of an instance. */
  readonly ip: string;
  readonly port: number;
  /** On the loopback: `127.0.0.1:40123`. */
  readonly address: string;
}

/** The loopback sockets behind targets. A target that is not mapped takes no connection until it is. */
export class TargetTable {
  #addresses: ReadonlyMap<string, string> = new Map();
  readonly #waiting = new Set<() => void>();

  /** Replaces the whole table. Throws a RangeError for a malformed row. */
  replace(rows: readonly unknown[]): void {
    const targets = rows.map(readRow);
    this.#addresses = new Map(targets.map(({ ip, port, address }) => [`${ip}:${port}`, address]));
    for (const retry of this.#waiting) retry();
  }

  addressOf(id: string, port: number): string | undefined {
    return this.#addresses.get(`${id}:${port}`);
  }

  /** Calls `use` with the address, now or once there is one. Returns what ends the waiting. */
  whenMapped(id: string, port: number, use: (address: string) => void): () => void {
    const retry = (): void => {
      const address = this.addressOf(id, port);
      if (address === undefined) return void this.#waiting.add(retry);
      this.#waiting.delete(retry);
      use(address);
    };
    retry();
    return () => void this.#waiting.delete(retry);
  }
}

function readRow(row: unknown): MappedTarget {
  const { ip, port, address } = (row ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof ip !== 'string' || typeof port !== 'number') {
    throw new RangeError('a target must have an ip and a port');
  }
  if (typeof address === 'string' && /^127(\.\d{1,3}){3}:\d{1,5}$/.test(address)) {
    return { ip, port, address };
  }
  throw new RangeError(`the address of ${ip}:${port} must be 127.x.y.z:PORT`);
}
