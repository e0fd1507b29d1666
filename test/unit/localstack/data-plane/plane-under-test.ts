import { onTestFinished } from 'vitest';
import type { AwsSettings } from '../../../../localstack/embedded/aws-world.ts';
import { DataPlane } from '../../../../localstack/embedded/data-plane/data-plane.ts';
import {
  type MappedTarget,
  TargetTable,
} from '../../../../localstack/embedded/data-plane/target-table.ts';
import type { HttpTarget } from '../../../fakes/http-target.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { until } from '../../../surroundings/until.ts';
import { type Answer, call } from '../seeded-model.ts';
import {
  createListener,
  forwardTo,
  type TrafficUnderTest,
  trafficModel,
} from '../traffic/traffic-model.ts';
import { type Answered, type Asked, askListener } from './balanced-pods.ts';

/** Targets of vpc-main's subnet-a, port 8080. */
const FIRST_ADDRESS = 10;

/**
 * A data plane above a bare model, with a clock that moves only when told: balancer `shop`, whose
 * listener on 80 forwards to group `web`.
 */
export class PlaneUnderTest {
  readonly model: TrafficUnderTest;
  /** By how much timers fire late from now on, as where the process has no processor. */
  lateMs = 0;
  readonly #timers = new ManualClock();
  readonly #table = new TargetTable();
  readonly #plane: DataPlane;
  readonly #targets: HttpTarget[] = [];
  readonly #rows: MappedTarget[] = [];

  constructor(settings: Partial<AwsSettings> = {}) {
    this.model = trafficModel(settings);
    const { aws, clock, shop, web } = this.model;
    createListener(aws, shop, { DefaultActions: forwardTo(web) });
    const { world } = aws;
    const timers = this.#timers;
    this.#plane = new DataPlane({
      ...{ world, targets: this.#table },
      clock: {
        now: () => clock.now(),
        monotonicMs: () => timers.monotonicMs(),
        setTimer: (delayMs, fire) => timers.setTimer(delayMs + this.lateMs, fire),
        random: () => timers.random(),
      },
    });
    onTestFinished(() => this.stop());
  }

  /** One operation, told to the data plane. */
  async call(operation: string, input: object): Promise<Answer> {
    const answer = call(this.model.aws, operation, input);
    this.#plane.noteChange();
    await this.advance(0);
    return answer;
  }

  /** Registers a target in `web`; what is given stands behind its ports. Returns its address. */
  async addTarget(
    target?: HttpTarget,
    ...more: [port: number, also: HttpTarget][]
  ): Promise<string> {
    const Id = `10.0.0.${FIRST_ADDRESS + this.#rows.length}`;
    const behind = target === undefined ? [] : [[8080, target] as const, ...more];
    for (const [port, { address }] of behind) this.#rows.push({ ip: Id, port, address });
    this.#targets.push(...behind.map(([, one]) => one));
    this.#table.replace(this.#rows);
    await this.call('RegisterTargets', { TargetGroupArn: this.model.web, Targets: [{ Id }] });
    return Id;
  }

  /** Puts this behind the first target, port 8080, alone. */
  mapFirst(target: HttpTarget): void {
    this.#targets.push(target);
    const ip = `10.0.0.${FIRST_ADDRESS}`;
    this.#table.replace([{ ip, port: 8080, address: target.address }]);
  }

  /** Time passes; what it lets begin on sockets takes real time. */
  async advance(ms: number): Promise<void> {
    this.model.clock.advance(ms);
    await this.#timers.advance(ms);
  }

  health(): readonly Answer[] {
    const answer = call(this.model.aws, 'DescribeTargetHealth', { TargetGroupArn: this.model.web });
    return answer['TargetHealthDescriptions'].map((one: Answer) => one['TargetHealth']);
  }

  /** Waits until every target is in this state; no time passes but what reports need. */
  async untilAll(state: string): Promise<void> {
    await until(`all ${state}`, async () => {
      await this.advance(1);
      return this.health().every(({ State }) => State === state);
    });
  }

  pin(health: {
    readonly state: 'healthy' | 'unhealthy' | 'initial';
    readonly reason?: string;
  }): void {
    this.model.aws.control.setTargetHealth('web', { health });
  }

  async ask(asked: Asked = {}): Promise<Answered> {
    const [listener] = await this.#plane.listAddresses();
    if (listener === undefined) throw new Error('there is no listener');
    return askListener(listener, asked);
  }

  async address(): Promise<string> {
    return (await this.#plane.listAddresses())[0]?.address ?? '';
  }

  get pendingTimers(): number {
    return this.#timers.pendingTimers;
  }

  async stop(): Promise<void> {
    await this.#plane.stop();
    for (const target of this.#targets.splice(0)) await target.stop();
  }
}
