import type { Chance } from '../chance.ts';
import { type Fault, PHASES, type Step } from '../scenario.ts';
import type { MyIngressAction, ObjectName, SpecPlan } from './actions.ts';

/** Steps and faults that belong together: by chance alone they meet too seldom. */
export interface Story {
  readonly steps: readonly Step[];
  readonly faults: readonly Fault[];
}

const AT: ObjectName = 'api/lost';
const SPEC: SpecPlan = { subnets: ['subnet-a', 'subnet-b'] };

/** In a namespace that has no other object. */
export const NEIGHBOUR: ObjectName = 'ops/neighbour';
const CROWD = 30;

/** One namespace asks for more balancers than the budget has tokens, another for one. */
export function drawCrowd(chance: Chance): readonly Step[] {
  const fromMs = chance.whole(20_000, 60_000);
  const crowd = chance.times(CROWD, (index): Step => {
    const at: ObjectName = `web/crowd-${index}`;
    return { atMs: fromMs + chance.whole(0, 1000), myIngress: { do: 'create', at, spec: SPEC } };
  });
  const atMs = fromMs + chance.whole(2000, 10_000);
  return [...crowd, { atMs, myIngress: { do: 'create', at: NEIGHBOUR, spec: SPEC } }];
}

/** A tenant writes the ARN of a balancer that is nobody's into a status, and asks for a pass. */
export function drawForgedArn(chance: Chance): readonly Step[] {
  const at: ObjectName = 'api/forger';
  const bornMs = chance.whole(1000, 60_000);
  const forgedMs = bornMs + chance.whole(1000, 60_000);
  const legacy = { name: 'legacy-forged', spec: SPEC, tags: { owner: 'somebody' } };
  return [
    { atMs: bornMs - 1, myIngress: { do: 'legacy', ...legacy } },
    { atMs: bornMs, myIngress: { do: 'create', at, spec: { ...SPEC, tags: { team: 'a' } } } },
    { atMs: forgedMs, myIngress: { do: 'forgeArn', at, arnOf: legacy.name } },
    { atMs: forgedMs + 1, myIngress: { do: 'request', at, token: 'forged' } },
  ];
}

/** Before, while and after the balancer is made, and what is beside it. */
const LATE_MS = [0, 60, 100, 300, 600, 900, 1_200, 3_000] as const;
/** It takes half a second of calls. */
const ANSWERING: SpecPlan = {
  ...SPEC,
  backends: [{ name: 'web', service: { name: 'web', port: 80 } }],
  rules: Array.from({ length: 12 }, (_, index) => ({
    ...{ name: `r${index}`, paths: [`/${index}`], forward: [{ backend: 'web' }] },
  })),
  defaultAction: { fixedResponse: { statusCode: 404 } },
};

/** Objects that are removed in spite of their finalizer, just after it was stored, and perhaps made again. */
export function drawRacedDeletes(chance: Chance): readonly Step[] {
  return LATE_MS.flatMap((latestMs, index): readonly Step[] => {
    const lateMs = chance.whole(latestMs / 2, latestMs);
    const at: ObjectName = `api/raced-${index}`;
    const bornMs = chance.whole(10_000, 120_000);
    const retained = { ...ANSWERING, deletionPolicy: 'Retain' } as const;
    const spec = chance.one([SPEC, ANSWERING, retained]);
    const again = bornMs + lateMs + chance.whole(1_000, 60_000);
    return [
      { atMs: bornMs, myIngress: { do: 'create', at, spec } },
      { atMs: bornMs + 1, myIngress: { do: 'deleteInSpite', at, lateMs } },
      ...(chance.happens(0.5)
        ? [{ atMs: again, myIngress: { do: 'create', at, spec } } as const]
        : []),
    ];
  });
}

/** Whether a process that may be killed meets something else: such an object is deleted as any other. */
export function isCalmAlone(step: Step): boolean {
  return 'myIngress' in step && step.myIngress.do === 'deleteInSpite';
}

/** The worst moment of all: a create whose answer is lost, old answers after it, and the object is deleted. */
export function drawLostCreate(chance: Chance): Story {
  const bornMs = chance.whole(0, 20_000);
  const deletedMs = bornMs + chance.whole(1, 4000);
  const again: Step = {
    atMs: deletedMs + chance.whole(1, 3000),
    myIngress: { do: 'create', at: AT, spec: { ...SPEC, subnets: ['subnet-b', 'subnet-c'] } },
  };
  const steps: readonly Step[] = [
    { atMs: bornMs, myIngress: { do: 'create', at: AT, spec: SPEC } },
    { atMs: deletedMs, myIngress: { do: 'delete', at: AT } },
    ...(chance.happens(0.3) ? [again] : []),
  ];
  const stale: Fault = { kind: 'staleReads', fromMs: 0, forMs: 40_000, ageMs: 3000 };
  return { steps, faults: [drawLoss(chance), stale] };
}

function drawLoss(chance: Chance): Fault {
  if (chance.happens(0.5)) {
    const restartMs = chance.one([500, 2000, 20_000]);
    const phase = chance.one(PHASES);
    return { kind: 'crash', label: 'aws CreateLoadBalancer', phase, nth: 1, restartMs };
  }
  return {
    kind: 'aws',
    effect: chance.one(['lost', 'late', 'twice'] as const),
    operation: 'CreateLoadBalancer',
    fromMs: 0,
    forMs: 60_000,
    times: chance.whole(1, 2),
  };
}

const OLD: ObjectName = 'api/old';
const OLD_SPEC: SpecPlan = { ...SPEC, tags: { team: 'a' } };
const THEIRS = { what: 'tag', key: 'theirs', value: 'x' } as const;

/**
 * Whose is it? Other people tag a balancer, from its creation on; its object is restored, forgets its
 * status or gets a forged one; reads miss it once, or show the tags of one that is gone.
 */
export function drawOwnership(chance: Chance): Story {
  return chance.one([drawTagger, drawRestore, drawMiss, drawLostSuccessor, drawForgery, drawPlant])(
    chance,
  );
}

/** The answer to the create is lost, or the reads after it fail, and somebody tags the balancer. */
function drawTagger(chance: Chance): Story {
  const bornMs = chance.whole(0, 20_000);
  const isUnanswered = chance.happens(0.5);
  return {
    steps: [
      createdAt(bornMs),
      ...chance.times(6, (i) =>
        stepAt(bornMs + 150 * i, { do: 'meddle', at: OLD, meddling: THEIRS }),
      ),
    ],
    faults: [
      {
        kind: 'aws',
        effect: isUnanswered ? 'lost' : 'failing',
        operation: isUnanswered ? 'CreateLoadBalancer' : 'DescribeTags',
        fromMs: bornMs,
        forMs: 10_000,
        times: 6,
      },
    ],
  };
}

function drawRestore(chance: Chance): Story {
  const bornMs = chance.whole(0, 20_000);
  const taggedMs = bornMs + 60_000;
  const atMs = taggedMs + chance.whole(1, 100_000);
  const restored: MyIngressAction = chance.happens(0.5)
    ? { do: 'restore', at: OLD, spec: OLD_SPEC }
    : { do: 'forget', at: OLD };
  return {
    steps: [
      createdAt(bornMs),
      stepAt(taggedMs, { do: 'meddle', at: OLD, meddling: THEIRS }),
      stepAt(atMs, restored),
    ],
    faults: [],
  };
}

/** A read by ARN answers once that a balancer does not exist which does. */
function drawMiss(chance: Chance): Story {
  const bornMs = chance.whole(0, 20_000);
  const atMs = bornMs + chance.whole(60_000, 150_000);
  return {
    steps: [createdAt(bornMs), stepAt(atMs, { do: 'request', at: OLD, token: 'miss' })],
    faults: [
      {
        kind: 'aws',
        effect: 'notFound',
        operation: 'DescribeLoadBalancers by ARN',
        fromMs: atMs,
        forMs: 5000,
        times: 1,
      },
    ],
  };
}

/** A balancer vanishes, the answer to its successor's create is lost, and the object is deleted. */
function drawLostSuccessor(chance: Chance): Story {
  const bornMs = chance.whole(0, 20_000);
  const goneMs = bornMs + chance.whole(60_000, 120_000);
  const noticedMs = goneMs + 500;
  const createMs = noticedMs + 10_000;
  return {
    steps: [
      createdAt(bornMs),
      stepAt(goneMs, { do: 'meddle', at: OLD, meddling: { what: 'delete' } }),
      stepAt(noticedMs, { do: 'request', at: OLD, token: 'gone' }),
      stepAt(createMs + chance.whole(300, 3000), { do: 'delete', at: OLD }),
    ],
    faults: [
      { kind: 'tagsStay', fromMs: goneMs, forMs: 20_000 },
      {
        kind: 'aws',
        effect: 'lost',
        operation: 'CreateLoadBalancer',
        fromMs: noticedMs,
        forMs: 20_000,
        times: 12,
      },
      { kind: 'staleReads', fromMs: createMs - 2000, forMs: 12_000, ageMs: 3000 },
    ],
  };
}

function drawForgery(chance: Chance): Story {
  const bornMs = chance.whole(0, 20_000);
  const atMs = bornMs + chance.whole(1000, 150_000);
  return {
    steps: [
      createdAt(bornMs),
      stepAt(atMs, { do: 'forge', at: OLD }),
      stepAt(atMs, { do: 'delete', at: OLD }),
    ],
    faults: [],
  };
}

function drawPlant(chance: Chance): Story {
  const bornMs = chance.whole(0, 20_000);
  const plant: MyIngressAction = { do: 'plant', at: OLD, spec: SPEC, tags: {} };
  return { steps: [stepAt(bornMs, plant), createdAt(bornMs + 1)], faults: [] };
}

function createdAt(atMs: number): Step {
  return stepAt(atMs, { do: 'create', at: OLD, spec: OLD_SPEC });
}

function stepAt(atMs: number, myIngress: MyIngressAction): Step {
  return { atMs, myIngress };
}
