import { join } from 'node:path';
import { expect } from 'vitest';
import { type ImageOperator, readMemoryLimitMB, startImageOperator } from './image-operator.ts';
import { type Surroundings, startSurroundings } from './surroundings.ts';
import { quietFor, until } from './until.ts';

/** `timeoutSeconds` and `failureThreshold` of the Deployment's probes: one late answer on a busy machine is no failure. */
const PROBE_TIMEOUT_MS = 5_000;
const PROBE_FAILURES = 3;

/** By default five minutes: gigabytes of history where objects of a megabyte are written as fast as a machine can. */
const COMPACTION = '--etcd-compaction-interval=1m';

/** The operator as the image runs it, under the Deployment's memory limit, with its place. */
export class AttackedOperator {
  readonly surroundings: Surroundings;
  readonly #image: string;
  readonly #limitMB: number;
  #running: ImageOperator | undefined;

  private constructor(image: string, surroundings: Surroundings, limitMB: number) {
    this.#image = image;
    this.surroundings = surroundings;
    this.#limitMB = limitMB;
  }

  /** `image` is the directory that the image holds as /app. */
  static async start(image: string): Promise<AttackedOperator> {
    const [surroundings, limitMB] = await Promise.all([
      startSurroundings({ provisioningMs: 0, apiServerArgs: [COMPACTION] }),
      readMemoryLimitMB(),
    ]);
    const attacked = new AttackedOperator(image, surroundings, limitMB);
    await attacked.#begin();
    return attacked;
  }

  get running(): ImageOperator {
    if (this.#running === undefined) throw new Error('the operator is not running');
    return this.#running;
  }

  async restart(): Promise<void> {
    await this.running.stop();
    await this.#begin();
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
    await this.surroundings.stop();
  }

  /** What the kubelet sees in the next seconds. */
  async isProbedFor(seconds: number): Promise<void> {
    let missed = 0;
    for (let second = 0; second < seconds; second++) {
      const startedMs = performance.now();
      const { status } = await this.#probe('/healthz');
      expect(status).toBe(200);
      const timeouts = Math.floor((performance.now() - startedMs) / PROBE_TIMEOUT_MS);
      missed = timeouts === 0 ? 0 : missed + timeouts;
      expect(missed, 'probes in a row without an answer in time').toBeLessThan(PROBE_FAILURES);
      await quietFor(1000);
    }
  }

  async holdsOut(): Promise<void> {
    const peakMB = this.running.peakMB();
    const [peak, limit] = [peakMB, this.#limitMB].map(Math.round);
    process.stdout.write(`attacked: at most ${peak} MB resident, the limit is ${limit} MB\n`);
    expect(peakMB).toBeLessThan(this.#limitMB);
    // A watch that the busy API server has closed is back in a moment.
    await until('ready', async () => (await this.#probe('/readyz')).status === 200);
  }

  async #begin(): Promise<void> {
    const entry = join(this.#image, 'main.mjs');
    this.#running = await startImageOperator(entry, this.surroundings.operatorEnvironment);
    await this.#running.operator.waitForLine(({ msg }) => msg === 'working', 300_000);
  }

  #probe(path: string): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.running.healthPort}${path}`);
  }
}
