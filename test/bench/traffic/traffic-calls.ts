import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../../../localstack/embedded/faults/call-log.ts';
import { conditionOf } from '../../surroundings/my-ingresses.ts';
import { isRead } from '../bench-aws.ts';
import type { BenchPlace } from '../bench-place.ts';
import { type Figure, repeat, type Sample } from '../figure.ts';
import { createTrafficSpec, SERVICE, TrafficGround } from './traffic-ground.ts';

/** Until then a read may be older than what was made. */
const STALENESS_MS = 11_000;
const SERVICES = Array.from({ length: 10 }, (_, index) => `large-${index}`);

export const trafficCalls: Figure = {
  what: 'AWS calls for an object with traffic: one listener, one backend, one rule, a security group',
  quantities: {
    first: { what: 'create until Ready, the first in its VPC', unit: 'calls', bound: 11 },
    create: { what: 'create until Ready', unit: 'calls', bound: 10 },
    large: { what: 'the same, 2 listeners, 20 rules, 10 backends', unit: 'calls', bound: 52 },
    editWrites: { what: 'edit of one rule of 50, writes', unit: 'calls', bound: 1 },
    editReads: { what: 'edit of one rule of 50, reads', unit: 'calls', bound: 2 },
    delete: { what: 'delete until gone, no interface lingers', unit: 'calls', bound: 9 },
  },
  measure: async (place, options) => {
    const ground = await TrafficGround.create(place);
    const addresses = [SERVICE, ...SERVICES].map((_, index) => TrafficGround.address(index));
    for (const [index, name] of [SERVICE, ...SERVICES].entries()) {
      await ground.postService(name, [addresses.slice(index, index + 1)]);
    }
    ground.mapPods(addresses);
    const samples = await repeat(options, (run) =>
      measureOnce(place, new Counter(ground, run, options.say)),
    );
    ground.close();
    return samples;
  },
};

async function measureOnce(place: BenchPlace, counter: Counter): Promise<Sample> {
  const operator = await place.startOperator(counter.ground.ground);
  const { subnets } = counter;
  const one = createTrafficSpec({ subnets });
  const first = await counter.countCreate('first', one);
  await counter.countDelete('first');
  const create = await counter.countCreate('one', one);
  const removed = await counter.countDelete('one');
  const large = createTrafficSpec({ subnets, services: SERVICES, rules: 20, ports: [80, 8080] });
  const ofLarge = await counter.countCreate('large', large);
  await counter.countDelete('large');
  const edited = await counter.countEdit('fifty');
  await counter.countDelete('fifty');
  await operator.stop();
  const editReads = edited.filter(isRead).length;
  return {
    ...{ first: first.length, create: create.length, large: ofLarge.length },
    ...{ editReads, editWrites: edited.length - editReads, delete: removed.length },
  };
}

type Calls = readonly Call[];
type Spec = ReturnType<typeof createTrafficSpec>;

/** Counts while there is one object at a time: every call is about it. */
class Counter {
  readonly ground: TrafficGround;
  readonly #run: number;
  readonly #say: (line: string) => void;

  constructor(ground: TrafficGround, run: number, say: (line: string) => void) {
    this.ground = ground;
    this.#run = run;
    this.#say = say;
  }

  get subnets(): readonly string[] {
    return this.ground.parts.aws.standIn.network.articleSubnets;
  }

  async countCreate(head: string, spec: Spec): Promise<Calls> {
    const { objects } = this.ground.ground;
    return this.#count(`create ${head}`, async () => {
      await objects.create(this.#name(head), spec);
      await objects.whenReady(this.#name(head));
    });
  }

  /** Of the path of one rule, when nothing is asked any more about what was made. */
  async countEdit(head: string): Promise<Calls> {
    const { objects } = this.ground.ground;
    const spec = createTrafficSpec({ subnets: this.subnets, rules: 50 });
    await objects.create(this.#name(head), spec);
    const isHealthy = (object: Parameters<typeof conditionOf>[0]): boolean =>
      conditionOf(object, 'TargetsHealthy')?.status === 'True';
    await objects.when(this.#name(head), isHealthy);
    await sleep(STALENESS_MS);
    const rules = spec.rules?.map((rule, index) =>
      index === 25 ? { ...rule, paths: ['/x'] } : rule,
    );
    return this.#count(`edit ${head}`, async () => {
      await objects.edit(this.#name(head), { rules });
      await objects.whenReady(this.#name(head));
    });
  }

  countDelete(head: string): Promise<Calls> {
    const { objects } = this.ground.ground;
    return this.#count(`delete ${head}`, async () => {
      await objects.startDeleting(this.#name(head));
      await objects.isGone(this.#name(head));
    });
  }

  async #count(what: string, act: () => Promise<void>): Promise<Calls> {
    const { aws } = this.ground.parts;
    aws.clearCalls();
    await act();
    const calls = aws.calls();
    this.#say(`${what}: ${describeCalls(calls)}`);
    return calls;
  }

  #name(head: string): string {
    return `${head}-${this.#run}`;
  }
}

/** In their order; a row of the same operation once, with its length. */
function describeCalls(calls: Calls): string {
  const rows: { readonly operation: string; count: number }[] = [];
  for (const { operation, outcome } of calls) {
    const name = outcome === 'ok' ? operation : `${operation} (${outcome})`;
    const last = rows.at(-1);
    if (last?.operation === name) last.count++;
    else rows.push({ operation: name, count: 1 });
  }
  return rows
    .map(({ operation, count }) => (count > 1 ? `${count} x ${operation}` : operation))
    .join(', ');
}
