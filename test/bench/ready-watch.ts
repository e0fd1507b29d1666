import type { MyIngress } from '../../src/apis/my-ingress.ts';
import type { ControlPlaneCoordinates } from '../control-plane/cluster-access.ts';
import { isReady } from '../surroundings/my-ingresses.ts';
import { type Seen, WatchStream } from './watch-stream.ts';

interface Waiter {
  readonly count: number;
  readonly resolve: (atMs: number) => void;
}

/** One watch over the MyIngresses of a namespace: sees when so many of them are Ready. */
export class ReadyWatch {
  readonly #ready = new Set<string>();
  readonly #waiters = new Set<Waiter>();
  #stream: WatchStream<MyIngress> | undefined;

  private constructor() {}

  static async open(cluster: ControlPlaneCoordinates, namespace: string): Promise<ReadyWatch> {
    const watch = new ReadyWatch();
    const path = `/apis/demo.rtfm.co.ua/v1/namespaces/${namespace}/myingresses`;
    const onEvent = (seen: Seen<MyIngress>): void => watch.#take(seen);
    watch.#stream = await WatchStream.open<MyIngress>(cluster, { path, onEvent });
    return watch;
  }

  /** Resolves with the time (performance.now()) at which `count` objects were Ready together. */
  async whenReady(count: number, timeoutMs = 120_000): Promise<number> {
    if (this.#ready.size >= count) return performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const waiter = { count, resolve };
    this.#waiters.add(waiter);
    const give = (): void =>
      reject(new Error(`${this.#ready.size} of ${count} objects are Ready after ${timeoutMs} ms`));
    const timer = setTimeout(give, timeoutMs);
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiters.delete(waiter);
    });
  }

  close(): void {
    this.#stream?.close();
  }

  #take({ type, object, atMs }: Seen<MyIngress>): void {
    const { name } = object.metadata;
    if (type !== 'DELETED' && isReady(object)) this.#ready.add(name);
    else this.#ready.delete(name);
    for (const { count, resolve } of this.#waiters) {
      if (this.#ready.size >= count) resolve(atMs);
    }
  }
}
