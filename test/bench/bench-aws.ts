import { setTimeout as sleep } from 'node:timers/promises';
import type { MappedTarget } from '../../localstack/embedded/data-plane/target-table.ts';
import type { Call } from '../../localstack/embedded/faults/call-log.ts';
import { type EmbeddedAwsServer, startEmbeddedAws } from '../../localstack/embedded/http/server.ts';
import { seedNetwork } from '../../localstack/seed.ts';
import { type AwsStandIn, CREDENTIALS, environmentFor } from '../surroundings/aws-stand-in.ts';

const ARRIVAL_TIMEOUT_MS = 20_000;
const LOOK_EVERY_MS = 4;

/**
 * The stand-in for AWS inside this process, on this process's clock: arrivals there and answers
 * here are stamped by one watch.
 */
export class BenchAws {
  readonly standIn: AwsStandIn;
  readonly #server: EmbeddedAwsServer;

  private constructor(server: EmbeddedAwsServer, standIn: AwsStandIn) {
    this.#server = server;
    this.standIn = standIn;
  }

  static async start(): Promise<BenchAws> {
    const server = await startEmbeddedAws({
      settings: { provisioningMs: 0, budget: 'off', quota: 5000 },
    });
    const { url, region } = server;
    const network = await seedNetwork({ endpoint: url, region, credentials: CREDENTIALS });
    const stop = (): Promise<void> => server.stop();
    return new BenchAws(server, { network, environment: environmentFor(url, region), stop });
  }

  /** An empty account with its network, and no call on record. */
  clear(): void {
    this.#server.control.reset({ keepNetwork: true });
  }

  clearCalls(): void {
    this.#server.control.clearCalls();
  }

  /** Every call is answered so much later from now on; 0: at once. */
  delayAnswers(delayMs: number): void {
    const { control } = this.#server;
    control.clearFaults();
    if (delayMs === 0) return;
    control.addFault({ operation: '*', forMs: 3_600_000, effect: { kind: 'delay', delayMs } });
  }

  /** Since the last clear; `at` in epoch ms with fractions. */
  calls(): readonly Call[] {
    return this.#server.control.calls();
  }

  /** Where targets really are from now on, all of them. */
  setTargets(targets: readonly MappedTarget[]): void {
    this.#server.targets.replace(targets);
  }

  /** When the create for the object of this name arrived, in ms of performance.now(). */
  arrivalOf(name: string): Promise<number> {
    return this.arrivalOfCall(`CreateLoadBalancer for ${name}`, (call) => isCreateFor(call, name));
  }

  /** When the first such call since the last clear arrived, in ms of performance.now(). */
  async arrivalOfCall(what: string, isIt: (call: Call) => boolean): Promise<number> {
    const startedMs = performance.now();
    while (performance.now() - startedMs < ARRIVAL_TIMEOUT_MS) {
      const call = this.calls().find(isIt);
      // The stand-in's clock is this process's, counted from another beginning.
      if (call !== undefined) return call.at - performance.timeOrigin;
      await sleep(LOOK_EVERY_MS);
    }
    throw new Error(`no ${what} within ${ARRIVAL_TIMEOUT_MS} ms`);
  }
}

export function isRead({ operation }: Call): boolean {
  return operation.startsWith('Describe');
}

function isCreateFor({ operation, input }: Call, name: string): boolean {
  if (operation !== 'CreateLoadBalancer') return false;
  const tags = (input['Tags'] ?? []) as readonly { readonly Key: string; readonly Value: string }[];
  return tags.some(({ Key, Value }) => Key === 'albridge.io/name' && Value === name);
}
