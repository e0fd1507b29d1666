import { describe, expect, it } from 'vitest';
import type { ObservedGraph } from '../../../src/controllers/my-ingress/graph/graph.ts';
import type { Plan } from '../../../src/controllers/my-ingress/graph/plan.ts';
import type { Step } from '../../../src/controllers/my-ingress/graph/steps.ts';
import { Chance } from '../../simulation/chance.ts';
import { Claims } from '../../simulation/traffic/claims.ts';
import { CERTIFICATES, TRUST_STORE, TrafficDraft } from '../../simulation/traffic/draw-spec.ts';
import { takePicture } from '../../simulation/traffic/resources.ts';
import { RoutingWatch } from '../../simulation/traffic/routing-watch.ts';
import type { TrafficSpec } from '../../simulation/traffic/spec-answers.ts';
import {
  type FaultOptions,
  listRoutingFaults,
  listTrafficFaults,
  type StructureParts,
} from '../../simulation/traffic/structure.ts';
import { EmbeddedTraffic } from '../controllers/my-ingress/graph/embedded-traffic.ts';
import { type Aws, IDENTITY, TrafficWorld } from '../controllers/my-ingress/graph/traffic-world.ts';
import { createBalancer, type ManualClock, seededModel } from '../localstack/seeded-model.ts';

const KEY = `${IDENTITY.namespace}/${IDENTITY.name}`;
const SEEDS = Array.from({ length: 25 }, (_, seed) => seed);

describe('the watch over where requests go', () => {
  it('has no objection to any edit that is carried out by its plan, and misses nothing at its end', () => {
    for (const seed of SEEDS) {
      const bench = new Bench({ isRight: true });
      const faults = bench.playEdits(seed, (plan) => plan.steps);
      expect({ seed, objections: bench.objections, faults }).toEqual({
        ...{ seed, objections: [], faults: [] },
      });
    }
  });

  const wrong: Readonly<Record<string, (plan: Plan) => readonly Step[]>> = {
    'a removal that does not wait for what replaces it to arrive': ({ steps, postponed }) => [
      ...steps,
      ...postponed.map(({ step }) => step),
    ],
    'a removal before what replaces it': ({ steps, postponed }) => [
      ...postponed.map(({ step }) => step),
      ...steps,
    ],
  };

  it.each(Object.entries(wrong))('objects to %s', (_name, order) => {
    const objections = SEEDS.flatMap((seed) => {
      const bench = new Bench({ isRight: false });
      bench.playEdits(seed, order);
      return bench.objections;
    });
    expect(objections.length).toBeGreaterThan(0);
  });

  it('objects to rules that are created in the wrong order', () => {
    const bench = new Bench({ isRight: true });
    const rules = [
      { name: 'cart', paths: ['/cart'], forward: [{ backend: 'web' }] },
      { name: 'all', paths: ['/*'], forward: [{ backend: 'api' }] },
    ];
    bench.play([forwardTo('web'), { ...forwardTo('web'), rules }], ({ steps }) => {
      const created = steps.filter(({ operation }) => operation === 'CreateRule');
      return steps.map((step) =>
        step.operation === 'CreateRule' ? (created.pop() ?? step) : step,
      );
    });
    expect(new Set(bench.objections)).toEqual(
      new Set([
        'web/shop: shop.example.com:80/cart is answered by forward api by all, desired forward web',
      ]),
    );
  });

  it('objects to a default action that changes before the rule that takes over from it', () => {
    const bench = new Bench({ isRight: true });
    const rules = [{ name: 'cart', paths: ['/cart'], forward: [{ backend: 'web' }] }];
    bench.play([forwardTo('web'), { ...forwardTo('api'), rules }], ({ steps }) =>
      steps.toSorted((a, b) => rankOf(a) - rankOf(b)),
    );
    expect(new Set(bench.objections)).toEqual(
      new Set([
        'web/shop: shop.example.com:80/cart is answered by forward api by default, desired forward web',
      ]),
    );
  });
});

it('a rule that was made twice is a fault only once all is settled: it stays for a while', () => {
  const bench = new Bench({ isRight: true });
  const rules = [{ name: 'cart', paths: ['/cart'], forward: [{ backend: 'web' }] }];
  bench.play([{ ...forwardTo('api'), rules }], ({ steps }) => steps);
  const { picture } = bench.look();
  const [rule] = [...picture.values()].filter(({ kind }) => kind === 'rule');
  const record = { ...rule?.record, priority: '999' };
  const twice = { picture: new Map([...picture, ['again', { ...rule, record } as never]]) };
  expect(bench.listFaults({ ...twice, isSettled: false })).toEqual([]);
  expect(bench.listFaults(twice)).toEqual(['rule/80/spec/cart/0 is there twice']);
});

function forwardTo(backend: string): TrafficSpec {
  const backends = ['web', 'api'].map((name) => ({ name, service: { name, port: 80 } }));
  return { backends, defaultAction: { forward: [{ backend }] } };
}

function rankOf({ operation }: Step): number {
  return operation === 'ModifyListener' ? 0 : 1;
}

/** One object's plans against the stand-in, with a watch that looks after each step. */
class Bench implements Aws {
  readonly objections: string[] = [];
  readonly #world: TrafficWorld;
  readonly #clock: ManualClock;
  readonly #epochMs: number;
  readonly #traffic: EmbeddedTraffic;
  readonly #arn: string;
  readonly #watch: RoutingWatch;
  readonly #claims: Claims;
  readonly #model = seededModel({ provisioningMs: 0 });
  readonly #isRight: boolean;
  #spec: TrafficSpec = {};

  constructor({ isRight }: { readonly isRight: boolean }) {
    this.#isRight = isRight;
    const { aws, clock } = this.#model;
    aws.control.setCertificates(CERTIFICATES);
    aws.control.setTrustStores([TRUST_STORE]);
    this.#clock = clock;
    this.#epochMs = clock.nowMs;
    this.#arn = createBalancer(aws, 'shop', { IpAddressType: 'dualstack' })['LoadBalancerArn'];
    this.#traffic = new EmbeddedTraffic(aws, this.#arn);
    this.#world = new TrafficWorld(this);
    const nowMs = (): number => this.#world.nowMs;
    this.#claims = new Claims(IDENTITY.cluster, nowMs, () => 0);
    this.#watch = new RoutingWatch({
      ...{ world: aws.world, claims: this.#claims, nowMs },
      isAsDesired: (key, spec) => listRoutingFaults(key, spec, this.look()).length === 0,
      isAlone: () => true,
      report: (_invariant, detail) => void this.objections.push(detail),
    });
  }

  get defaultGroup(): string {
    return this.#traffic.defaultGroup;
  }

  observed(): ObservedGraph {
    return this.#traffic.observed();
  }

  apply(step: Step): void {
    this.#clock.nowMs = this.#epochMs + this.#world.nowMs;
    this.#traffic.apply(step);
    this.#watch.changed(KEY, { spec: this.#spec, arn: this.#arn });
  }

  play(specs: readonly TrafficSpec[], order: (plan: Plan) => readonly Step[]): void {
    for (const spec of specs) {
      this.#edit(spec);
      this.#converge(order);
    }
  }

  /** Edits one after the other, some before the last is carried out; returns what is wrong in the end. */
  playEdits(seed: number, order: (plan: Plan) => readonly Step[]): readonly string[] {
    const chance = new Chance(seed);
    const draft = new TrafficDraft(chance);
    this.#edit(draft.drawFirst());
    this.#converge(order);
    for (let edits = 0; edits < 4; edits += 1) {
      draft.drawEdit();
      this.#edit(draft.spec);
      if (chance.happens(0.3)) this.#execute(order(this.#world.plan()).slice(0, 2));
      else this.#converge(order);
    }
    this.#converge(order);
    return this.listFaults({});
  }

  listFaults(options: Partial<StructureParts> & FaultOptions): readonly string[] {
    const rest = { subnets: [], scheme: 'internet-facing', deletionPolicy: 'Delete' } as const;
    const spec = { ...this.#spec, ...rest, ipAddressType: 'dualstack', tags: { team: 'web' } };
    return listTrafficFaults(KEY, spec as never, { ...this.look(), ...options });
  }

  look(): StructureParts {
    return { claims: this.#claims, picture: takePicture(this.#model.aws.world) };
  }

  /** The bench's AWS knows no groups as sources. */
  #edit({ inbound, ...rest }: TrafficSpec): void {
    const spec: TrafficSpec = inbound?.securityGroupIDs
      ? rest
      : { ...rest, ...(inbound && { inbound }) };
    this.#spec = spec;
    this.#world.spec = spec;
    this.#world.nowMs += 60_000;
    this.#watch.edited(KEY, spec);
  }

  #converge(order: (plan: Plan) => readonly Step[]): void {
    try {
      this.#world.converge((plan) => this.#execute(order(plan)));
    } catch (error) {
      if (this.#isRight) throw error;
    }
  }

  #execute(steps: readonly Step[]): void {
    try {
      for (const step of steps) this.#world.execute({ steps: [step], postponed: [], problems: [] });
    } catch (error) {
      // A wrong order is refused now and then.
      if (this.#isRight) throw error;
    }
  }
}
