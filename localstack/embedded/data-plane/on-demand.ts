import { systemClock } from '../../../src/system-clock.ts';
import type { EmbeddedAws } from '../embedded-aws.ts';
import type { DataPlane, ListenerAddress } from './data-plane.ts';
import { TargetTable } from './target-table.ts';

/** The data plane of one stand-in, which is loaded with its first listener and costs nothing before. */
export class OnDemandDataPlane {
  readonly targets = new TargetTable();
  readonly #aws: () => EmbeddedAws;
  #loading: Promise<DataPlane> | undefined;
  #plane: DataPlane | undefined;

  constructor(aws: () => EmbeddedAws) {
    this.#aws = aws;
  }

  /** To be called after each change of the control plane. */
  noteChange(): void {
    if (this.#plane !== undefined) return this.#plane.noteChange();
    if (this.#aws().world.traffic.listeners.all().length > 0) this.#loading ??= this.#load();
  }

  async listAddresses(): Promise<readonly ListenerAddress[]> {
    return (await this.#loading)?.listAddresses() ?? [];
  }

  async stop(): Promise<void> {
    await (await this.#loading)?.stop();
  }

  async #load(): Promise<DataPlane> {
    const { DataPlane } = await import('./data-plane.ts');
    const { world, now } = this.#aws();
    this.#plane = new DataPlane({ world, clock: { ...systemClock, now }, targets: this.targets });
    return this.#plane;
  }
}
