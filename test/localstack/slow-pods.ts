import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MappedTarget } from '../../localstack/embedded/data-plane/target-table.ts';
import type { KubeApi } from '../surroundings/kube-api.ts';
import type { StandInControl } from '../surroundings/stand-in-control.ts';

interface Pod {
  readonly metadata: { readonly uid: string; readonly name: string };
  readonly status: { readonly podIP?: string; readonly phase?: string };
}

interface RunningPod {
  readonly server: Server;
  readonly row: MappedTarget;
  readonly startedMs: number;
}

const PORT = 8080;
const LOOK_MS = 50;

/** Pods that answer only some time after Kubernetes takes them for ready, until they are gone. */
export class SlowPods {
  readonly #api: KubeApi;
  readonly #standIn: StandInControl;
  readonly #startMs: number;
  readonly #pods = new Map<string, RunningPod>();
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #told = '';

  constructor(api: KubeApi, standIn: StandInControl, startMs: number) {
    this.#api = api;
    this.#standIn = standIn;
    this.#startMs = startMs;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    for (const uid of this.#pods.keys()) this.#end(uid);
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const { items } = await this.#api.ask<{ items: readonly Pod[] }>({
        method: 'GET',
        path: '/api/v1/pods?labelSelector=app',
      });
      for (const pod of items) await this.#begin(pod);
      const live = new Set(items.map(({ metadata }) => metadata.uid));
      for (const uid of this.#pods.keys()) if (!live.has(uid)) this.#end(uid);
      await this.#tell();
      await sleep(LOOK_MS);
    }
  }

  async #begin({ metadata, status }: Pod): Promise<void> {
    const { uid, name } = metadata;
    if (this.#pods.has(uid) || status.phase !== 'Running' || status.podIP === undefined) return;
    const server = createServer((_message, response) => response.end(name));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const row = { ip: status.podIP, port: PORT, address };
    this.#pods.set(uid, { server, row, startedMs: performance.now() });
  }

  async #tell(): Promise<void> {
    const readyMs = performance.now() - this.#startMs;
    const rows = [...this.#pods.values()]
      .filter(({ startedMs }) => startedMs <= readyMs)
      .map(({ row }) => row);
    const told = JSON.stringify(rows);
    if (told === this.#told) return;
    this.#told = told;
    await this.#standIn.setTargets(rows);
  }

  #end(uid: string): void {
    const { server } = this.#pods.get(uid) ?? {};
    server?.close();
    server?.closeAllConnections();
    this.#pods.delete(uid);
  }
}
