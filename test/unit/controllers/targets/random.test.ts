import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FaultRule } from '../../../../localstack/embedded/faults/fault-script.ts';
import type { AwsApi } from '../../../../src/aws/client/aws-api.ts';
import { desireTargets } from '../../../../src/controllers/targets/desired-targets.ts';
import {
  type TrimmedEndpointSlice,
  type TrimmedService,
  trimEndpointSlice,
  trimService,
} from '../../../../src/controllers/targets/transforms.ts';
import { draftService, draftSlice, endpointOf, type PodState } from './endpoints.ts';
import { addressOf, SHOP, servedBy, TargetsBench } from './targets-bench.ts';

const RUNS = 60;

interface Step {
  readonly act: (world: RandomWorld) => unknown;
}

type Desired = ReturnType<typeof desireTargets>;

/** A call may wait and be repeated for so long: it was right when it was decided on. */
const LONGEST_WAIT_MS = 3_500;

/** One group and its pods, and a witness of every call that takes targets out of it. */
class RandomWorld {
  readonly bench = new TargetsBench();
  readonly arn = this.bench.group('web');
  readonly faults: string[] = [];
  /** The witness believes AWS to have what albridge was told that it has. */
  isMeddledWith = false;
  isPublished = true;
  readonly #waitMs: number;
  readonly #history: { readonly desired: Desired; readonly sinceMs: number }[] = [];

  /** `waitMs`: how long a call may wait before it is sent. */
  constructor(waitMs: number) {
    this.#waitMs = waitMs;
    this.bench.stop();
    this.start();
  }

  /** A new process; calls of the one before may still be carried out. */
  start(): void {
    const { api } = this.bench;
    const witnessed: AwsApi = {
      send: (operation, input, options) => {
        if (operation.endsWith('egisterTargets')) this.#witness(operation, input);
        return api.send(operation, input, options);
      },
    };
    this.bench.start(witnessed);
    this.publish();
  }

  publish(): void {
    this.isPublished = true;
    this.bench.targets.publish(SHOP, [servedBy(this.arn)]);
  }

  withdraw(): void {
    this.isPublished = false;
    this.bench.targets.withdraw(SHOP);
  }

  /** With this name of its port; without one there is no Service. */
  setService(port: string): void {
    const service = draftService('shop', { ports: [{ name: port, port: 80 }] });
    const { kube } = this.bench;
    const exists = kube.get(service) !== undefined;
    if (port !== '' && !exists) kube.create(service);
    else if (port !== '') kube.edit(service, (live) => ({ ...live, spec: service.spec }));
    else if (exists) kube.delete(service);
  }

  get desired(): Desired {
    const { server } = this.bench.kube;
    const [service] = server.list('Service').map((one) => trimService(one) as TrimmedService);
    const slices = server
      .list('EndpointSlice')
      .map((one) => trimEndpointSlice(one) as TrimmedEndpointSlice);
    return desireTargets(servedBy(this.arn), {
      service,
      slices,
      held: new Set(),
      nodes: { kind: 'unsupported' },
    });
  }

  /** Call after each change of Services and slices. */
  async settle(): Promise<void> {
    this.#history.push({ desired: this.desired, sinceMs: this.bench.clock.monotonicMs() });
    await this.bench.clock.settle();
  }

  #witness(operation: string, input: object): void {
    const { Targets = [] } = input as {
      readonly Targets?: readonly { Id: string; Port: number }[];
    };
    if (!this.isPublished) this.faults.push(`${operation} to a withdrawn group`);
    if (Targets.length === 0 || Targets.length > 200) this.faults.push(`${Targets.length} targets`);
    if (operation !== 'DeregisterTargets' || this.isMeddledWith) return;
    this.#witnessRemoval(new Set(Targets.map(({ Id, Port }) => `${Id}:${Port}`)));
  }

  #witnessRemoval(removed: ReadonlySet<string>): void {
    const sinceMs = this.bench.clock.monotonicMs() - this.#waitMs;
    const recent = this.#history.filter((_, i, all) => (all[i + 1]?.sinceMs ?? Infinity) > sinceMs);
    const faults = recent.map(({ desired }) => this.#findFault(removed, desired));
    const [fault] = faults;
    if (fault !== undefined && !faults.includes(undefined)) this.faults.push(fault);
  }

  #findFault(removed: ReadonlySet<string>, { targets, live }: Desired): string | undefined {
    const before = this.bench.registered(this.arn);
    const serving = before.filter((name) => live.has(name.split(':')[0] ?? ''));
    if (targets.size > 0 && serving.length > 0 && serving.every((name) => removed.has(name))) {
      const ready = [...targets.keys()].join();
      return `took out ${serving.join()}, the last that serve, although ${ready} is ready`;
    }
    const desired = before.filter((name) => removed.has(name) && targets.has(name));
    return desired.length > 0 ? `took out ${desired.join()}, which is desired` : undefined;
  }
}

/** A counterexample shows each step with what was drawn for it. */
function step<T>(
  name: string,
  drawn: fc.Arbitrary<T>,
  act: (world: RandomWorld, drawn: T) => unknown,
): fc.Arbitrary<Step> {
  return drawn.map((of) => ({
    act: (world) => act(world, of),
    toString: () => `${name} ${JSON.stringify(of)}`,
  }));
}

const states = fc.constantFrom<PodState>('ready', 'ready', 'unready', 'leaving', 'gone');
const address = fc.integer({ min: 0, max: 5 }).map(addressOf);

const slices = fc.record({
  pods: fc.dictionary(address, states, { maxKeys: 5 }),
  suffix: fc.constantFrom('a', 'b'),
  name: fc.constantFrom('http', 'http', 'web'),
});

const rules = fc.record({
  operation: fc.constantFrom('RegisterTargets', 'DeregisterTargets', 'DescribeTargetHealth', '*'),
  effect: fc.constantFrom<FaultRule['effect'][]>(
    { kind: 'lostResponse' },
    { kind: 'dropBeforeApply' },
    { kind: 'html500' },
    { kind: 'delay', delayMs: 700 },
    { kind: 'delay', delayMs: 3_000 },
    { kind: 'error', code: 'ThrottlingException', status: 400, message: 'Rate exceeded' },
    { kind: 'error', code: 'InvalidTarget', status: 400, message: `not '${addressOf(1)}'` },
    { kind: 'error', code: 'TargetGroupNotFound', status: 400, message: 'gone' },
    { kind: 'error', code: 'AccessDenied', status: 403, message: 'denied' },
  ),
  times: fc.constantFrom(1, 2, 4),
});

const slice = step('slice', slices, ({ bench }, { pods, suffix, name }) => {
  const endpoints = Object.entries(pods).map(([id, state]) => endpointOf(id, state));
  const ports = [{ name, port: suffix === 'a' ? 8080 : 9090, protocol: 'TCP' }];
  bench.putSlice(draftSlice('shop', endpoints, { suffix, ports }));
});

const rollout = step('rollout', fc.tuple(address, address), async (world, [from, to]) => {
  const show = async (pods: Readonly<Record<string, PodState>>): Promise<void> => {
    const endpoints = Object.entries(pods).map(([id, state]) => endpointOf(id, state));
    world.bench.putSlice(draftSlice('shop', endpoints));
    await world.settle();
    await world.bench.clock.advance(200);
  };
  await show({ [from]: 'leaving', [to]: 'unready' });
  await show({ [from]: 'leaving', [to]: 'ready' });
  await show({ [to]: 'ready' });
});

const service = step('service', fc.constantFrom('', 'http', 'http', 'web'), (world, port) =>
  world.setService(port),
);

const fault = step('fault', rules, ({ bench }, rule) => bench.aws.control.addFault(rule));

const stale = step('stale', fc.constantFrom(1, 3), ({ bench }, times) =>
  bench.fault('DescribeTargetHealth', { kind: 'staleReads', ageMs: 8_000 }, { times }),
);

const pass = step('pass', fc.constantFrom(0, 30, 100, 1_000, 5_000, 15_000), ({ bench }, ms) =>
  bench.clock.advance(ms),
);

const foreign = step('foreign', fc.constantFrom(100, 101), ({ bench, arn }, index) =>
  bench.registerOutOfBand(arn, addressOf(index)),
);

const taken = step('taken', address, (world, id) => {
  world.isMeddledWith = true;
  world.bench.deregisterOutOfBand(world.arn, id);
});

const restart = step('restart', fc.constant('crash'), (world) => {
  world.bench.stop();
  world.start();
});

const again = step('again', fc.constantFrom(0, 2_000), async (world, ms) => {
  world.withdraw();
  await world.bench.clock.advance(ms);
  world.publish();
});

const lease = step('lease', fc.constantFrom(300, 3_000), async ({ bench }, ms) => {
  bench.isLeader = false;
  await bench.clock.advance(ms);
  bench.isLeader = true;
});

const calm = [slice, slice, slice, pass, pass, pass, rollout, rollout, service];
const rough = [...calm, fault, fault, stale, foreign, taken, restart, again, lease];

async function live(drawn: readonly Step[], waitMs: number): Promise<void> {
  const world = new RandomWorld(waitMs);
  const { bench, arn } = world;
  world.setService('http');
  await world.settle();
  for (const { act } of drawn) {
    await act(world);
    await world.settle();
  }
  bench.aws.control.clearFaults();
  await bench.clock.advance(3_600_000);
  expect(bench.registered(arn)).toEqual([...world.desired.targets.keys()].toSorted());
  bench.sent();
  await bench.clock.advance(3_600_000);
  expect(bench.sent().filter((call) => call !== 'DescribeTargetHealth')).toEqual([]);
  expect(world.faults).toEqual([]);
  bench.stop();
  await bench.clock.finish(bench.targets.stopped);
  expect(bench.clock.pendingTimers).toBe(0);
}

const of = (choices: readonly fc.Arbitrary<Step>[]): fc.Arbitrary<Step[]> =>
  fc.array(fc.oneof(...choices), { maxLength: 30 });

describe('the group ends with what is desired, and is never without the last that serves,', () => {
  it('whatever becomes of its pods', async () => {
    await fc.assert(
      fc.asyncProperty(of(calm), (drawn) => live(drawn, 0)),
      { numRuns: RUNS },
    );
  });

  it('whatever becomes of calls and processes as well', async () => {
    await fc.assert(
      fc.asyncProperty(of(rough), (drawn) => live(drawn, LONGEST_WAIT_MS)),
      { numRuns: RUNS },
    );
  });
});
