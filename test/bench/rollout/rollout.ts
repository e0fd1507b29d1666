import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AwsSettings } from '../../../localstack/embedded/aws-world.ts';
import { installReadinessGates, WITH_READINESS_GATES } from '../../surroundings/readiness-gates.ts';
import { type Counts, RequestLoad } from '../../surroundings/request-load.ts';
import { StandInControl } from '../../surroundings/stand-in-control.ts';
import type { BenchPlace, RealParts } from '../bench-place.ts';
import type { Figure, Quantity, Sample } from '../figure.ts';
import { KindGround } from '../kind-ground.ts';
import { CASES } from './cases.ts';
import { ServedPods } from './served-pods.ts';
import { type Care, PATHS, PRE_STOP_SECONDS, REPLICAS, Shop } from './shop.ts';

/** Between AWS's answer and its data plane; the longest first, so that nothing of it is left for the next one. */
const LAGS_S = [15, 10, 5, 0] as const;
/** Of the cases that are no rolling update. */
const CASE_LAG_S = 15;
/** As late as a node may check a new target: the interval of the group. */
const FIRST_CHECK_MS = 10_000;
const REQUESTS_PER_SECOND = 200;
/** The controls run beside ours, on the same two cores. */
const CONTROL_PER_SECOND = 25;
/** Of ours in each change: what is sent in the shortest rolling update, of a first check and `preStop`. */
const LEAST_SENT = (PRE_STOP_SECONDS + FIRST_CHECK_MS / 1000) * REQUESTS_PER_SECOND;
/** Per cent that a control must lose, or the run proves nothing. */
const LEAST_LOST = 1;
const CALM = { isGated: true, hasPreStop: true } as const;

interface Variant extends Care {
  readonly what: string;
  readonly isPlanted?: boolean;
  /** Of a control: the shortest lag at which it must lose; 0 by default. */
  readonly losesFromLag?: number;
}

/** Ours first; the controls must lose. */
const VARIANTS: Readonly<Record<string, Variant>> = {
  lost: { what: 'gate and preStop', ...CALM },
  noGate: { what: 'control: without gate', isGated: false, hasPreStop: true },
  noPreStop: {
    what: 'control: without preStop',
    ...{ isGated: true, hasPreStop: false },
    // A pod is gone 0.2 s after it is deleted, which a data plane without lag follows.
    losesFromLag: 5,
  },
  deregisterFirst: {
    what: 'control: deregister first',
    ...{ ...CALM, isAllAtOnce: true, isPlanted: true },
  },
};

export const rollout: Figure = {
  what: `requests lost by a rolling update of ${REPLICAS} pods at ${REQUESTS_PER_SECOND}/s, by the lag of AWS's data plane (measured once, ten minutes)`,
  quantities: describeQuantities(),
  measure: async (place, { say }) => [await measureOnce(place, say)],
  charts: (medians) => ({
    rollout: {
      title: `Requests lost by a rolling update of ${REPLICAS} pods`,
      x: { label: "lag of AWS's data plane, s" },
      y: { label: '% of the requests that are sent meanwhile' },
      series: Object.entries(VARIANTS).map(([variant, { what }]) => ({
        name: what.replace('control: ', ''),
        points: LAGS_S.toReversed().map((lag) => [lag, readShare(medians, variant, lag)]),
      })),
    },
  }),
};

function describeQuantities(): Readonly<Record<string, Quantity>> {
  const ofLags = LAGS_S.flatMap((lag) => {
    return Object.entries(VARIANTS).flatMap(([name, variant]) => {
      const what = `${lag} s: ${variant.what}`;
      if (!isControl(name)) return describeOurs(nameQuantity(name, lag), what);
      const atLeast = lag >= (variant.losesFromLag ?? 0) ? { atLeast: LEAST_LOST } : {};
      return [[nameQuantity(name, lag), { what, unit: '%', ...atLeast }] as const];
    });
  });
  const ofCases = Object.entries(CASES).flatMap(([name, { what }]) =>
    describeOurs(name, `${CASE_LAG_S} s: ${what}`),
  );
  return {
    ...Object.fromEntries([...ofLags, ...ofCases]),
    sent: { what: 'sent, controls aside', unit: 'requests' },
    behindMs: { what: 'most by which the client was late', unit: 'ms' },
  };
}

/** No request lost says something only where many were sent. */
function describeOurs(name: string, what: string): readonly (readonly [string, Quantity])[] {
  const unit = 'requests';
  return [
    [name, { what, unit, bound: 0 }],
    [nameSent(name), { what: `${what}: sent`, unit, atLeast: LEAST_SENT }],
  ];
}

/** Per cent: what a control measures, and of ours what was lost of what was sent. */
function readShare(medians: Sample, variant: string, lagSeconds: number): number {
  const name = nameQuantity(variant, lagSeconds);
  const measured = medians[name] ?? 0;
  return isControl(variant) ? measured : (measured / (medians[nameSent(name)] ?? 0)) * 100;
}

function isControl(variant: string): boolean {
  return variant !== 'lost';
}

function nameQuantity(variant: string, lagSeconds: number): string {
  return `${variant}${lagSeconds}`;
}

function nameSent(name: string): string {
  return `${name}Sent`;
}

/** One run: applications next to each other, each with its load, through the same stand-in. */
class Ground {
  readonly #given: Given;
  sent = 0;
  behindMs = 0;

  private constructor(given: Given) {
    this.#given = given;
  }

  static async create(place: BenchPlace, say: Say): Promise<Ground> {
    const parts = await place.withNodes();
    await installReadinessGates(parts.cluster);
    return new Ground({ place, parts, pods: await ServedPods.create(parts), say });
  }

  stop(): void {
    this.#given.pods.stop();
  }

  async set(settings: Partial<AwsSettings>): Promise<void> {
    const url = this.#given.parts.aws.standIn.environment['AWS_ENDPOINT_URL'] ?? '';
    await new StandInControl(url).changeSettings({ ...settings });
  }

  async openShops(all: Readonly<Record<string, Variant>>): Promise<ReadonlyMap<string, Shop>> {
    const shops = new Map<string, Shop>();
    for (const [name, variant] of Object.entries(all)) {
      const ground = await KindGround.create(this.#given.parts);
      await ground.untilPodsAreTaken();
      await this.#given.pods.serve(ground.namespace);
      shops.set(name, new Shop(this.#given.parts, ground.namespace, variant));
    }
    for (const isPlanted of [false, true]) {
      const namespaces = [...shops].flatMap(([name, { objects }]) =>
        (all[name]?.isPlanted ?? false) === isPlanted ? [objects.namespace] : [],
      );
      if (namespaces.length > 0) await this.#startOperator(namespaces, isPlanted);
    }
    await Promise.all(Array.from(shops.values(), (shop) => shop.open()));
    return shops;
  }

  /** The requests that are lost while `work` goes on, and until its last change has reached the data plane. */
  async count(shop: Shop, { perSecond, lag, work }: Measured): Promise<Counts> {
    const load = { listener: await shop.findListener(), paths: PATHS, perSecond };
    const counts = await RequestLoad.during(load, () => work().then(() => sleep((lag + 2) * 1000)));
    if (counts.sent === 0) throw new Error('no request was sent');
    this.behindMs = Math.max(this.behindMs, counts.behindMs);
    return counts;
  }

  /** What one change of ours measured. */
  add(name: string, { sent, lost }: Counts): Sample {
    this.sent += sent;
    return { [name]: lost, [nameSent(name)]: sent };
  }

  tell(what: string, { sent, lost, statuses }: Counts): void {
    this.#given.say(`${what}: ${lost} of ${sent} lost ${JSON.stringify(statuses)}`);
  }

  async #startOperator(namespaces: readonly string[], isPlanted: boolean): Promise<void> {
    const names = namespaces.join(',');
    const settings = WITH_READINESS_GATES;
    if (!isPlanted) {
      await this.#given.place.startOperatorIn(this.#given.parts, names, settings);
      return;
    }
    const operator = this.#given.place.run({
      nodeFlags: [`--import=${join(import.meta.dirname, 'deregister-first.ts')}`],
      environment: {
        ...{ ...this.#given.parts.operatorEnvironment, ...settings },
        ...{ ALBRIDGE_NAMESPACES: names, ALBRIDGE_CLUSTER_ID: 'bench-planted' },
      },
    });
    await operator.waitForLine((line) => line.msg === 'working');
  }
}

interface Given {
  readonly place: BenchPlace;
  readonly parts: RealParts;
  readonly pods: ServedPods;
  readonly say: Say;
}

interface Measured {
  readonly perSecond: number;
  /** Seconds. */
  readonly lag: number;
  readonly work: () => Promise<void>;
}

type Say = (line: string) => void;

async function measureOnce(place: BenchPlace, say: Say): Promise<Sample> {
  const ground = await Ground.create(place, say);
  try {
    const lost = { ...(await measureUpdates(ground)), ...(await measureCases(ground)) };
    return { ...lost, sent: ground.sent, behindMs: ground.behindMs };
  } finally {
    await ground.set({ propagationMs: 0, firstCheckMs: 0 });
    ground.stop();
  }
}

async function measureUpdates(ground: Ground): Promise<Sample> {
  const shops = await ground.openShops(VARIANTS);
  await ground.set({ firstCheckMs: FIRST_CHECK_MS });
  const lost: Record<string, number> = {};
  for (const lag of LAGS_S) {
    await ground.set({ propagationMs: lag * 1000 });
    const measured = Array.from(shops, async ([name, shop]) => {
      const work = async (): Promise<void> => {
        await shop.release();
        await shop.isRolledOut();
      };
      const perSecond = isControl(name) ? CONTROL_PER_SECOND : REQUESTS_PER_SECOND;
      const counts = await ground.count(shop, { perSecond, lag, work });
      ground.tell(`${VARIANTS[name]?.what}, lag ${lag} s`, counts);
      const quantity = nameQuantity(name, lag);
      const share = (counts.lost / counts.sent) * 100;
      Object.assign(lost, isControl(name) ? { [quantity]: share } : ground.add(quantity, counts));
    });
    await Promise.all(measured);
  }
  return lost;
}

async function measureCases(ground: Ground): Promise<Sample> {
  await ground.set({ propagationMs: 0, firstCheckMs: 0 });
  const all = Object.entries(CASES).map(([name, { what }]) => [name, { what, ...CALM }] as const);
  const shops = await ground.openShops(Object.fromEntries(all));
  await ground.set({ propagationMs: CASE_LAG_S * 1000, firstCheckMs: FIRST_CHECK_MS });
  const lost: Record<string, number> = {};
  const measure = async ([name, shop]: readonly [string, Shop]): Promise<void> => {
    const { what, play } = CASES[name] ?? {};
    const work = async (): Promise<void> => play?.(shop, CASE_LAG_S);
    const given = { perSecond: REQUESTS_PER_SECOND, lag: CASE_LAG_S, work };
    const counts = await ground.count(shop, given);
    ground.tell(`${what}, lag ${CASE_LAG_S} s`, counts);
    Object.assign(lost, ground.add(name, counts));
  };
  const left = shops.entries();
  const measureOn = async (): Promise<void> => {
    for (const one of left) await measure(one);
  };
  await Promise.all([measureOn(), measureOn()]);
  return lost;
}
