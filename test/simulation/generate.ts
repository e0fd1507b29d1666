import { drawAttaching } from './attaching/steps.ts';
import { Chance } from './chance.ts';
import { drawConfigSteps, drawHostileSteps, drawStatefulSteps } from './config-monitor/steps.ts';
import { drawDirected } from './directed.ts';
import { drawDiscoveryStory } from './discovery/story.ts';
import { drawFaults } from './faults.ts';
import { drawImmortalSteps } from './immortal-container/steps.ts';
import { drawMyAppSteps } from './my-app/steps.ts';
import { drawMyIngressSteps } from './my-ingress/steps.ts';
import {
  drawCrowd,
  drawForgedArn,
  drawLostCreate,
  drawOwnership,
  drawRacedDeletes,
  type Story,
} from './my-ingress/stories.ts';
import type { Scenario, Settings, Step } from './scenario.ts';
import { drawSourceFaults, drawSourceSteps } from './sources/story.ts';
import { drawWorkloadSteps } from './sources/workload-steps.ts';
import { drawTrafficFaults } from './traffic/faults.ts';
import { drawRolloutStory } from './traffic/rollout-story.ts';
import { withScarcity } from './traffic/scarcity.ts';
import { drawTrafficSteps } from './traffic/steps.ts';
import { drawTrafficStory } from './traffic/stories.ts';
import { drawWebAppSteps } from './web-app/steps.ts';

/** The part of a scenario in which things are done and go wrong. */
export const EVENTFUL_MS = 240_000;

/** Every fourth seed is calm: the same kind of life without a fault. */
function isCalm(seed: number): boolean {
  return seed % 4 === 0;
}

/** Every fourth seed too is aimed at what has hurt most; half of all are as chance has them. */
function isDirected(seed: number): boolean {
  return seed % 4 === 3;
}

/** Three of sixteen are about traffic alone: one of the calm ones, one of the aimed, one of the others. */
function isAboutTraffic(seed: number): boolean {
  return [0, 13, 15].includes(seed % 16);
}

/** Two of 32, both of the aimed ones, are each a story of traffic. */
function isTrafficStory(seed: number): boolean {
  return [3, 11].includes(seed % 32);
}

/** One of 64, of the aimed ones too: applications behind readiness gates. */
function isRolloutStory(seed: number): boolean {
  return seed % 64 === 27;
}

/** Two of 32, of those that are as chance has them: WebApps that share a MyIngress. */
function isAboutAttaching(seed: number): boolean {
  return [10, 21].includes(seed % 32);
}

/** One of 32, of the aimed ones too: an object that leaves out what is found. */
function isDiscoveryStory(seed: number): boolean {
  return seed % 32 === 23;
}

/** Three of 32, one of them calm: ConfigMonitors of Secrets and of several sources. */
function isAboutSources(seed: number): boolean {
  return [17, 18, 24].includes(seed % 32);
}

/** The scenario of a seed; always the same. */
export function generate(seed: number): Scenario {
  if (isAboutSources(seed)) return drawSourceScenario(seed);
  if (isDiscoveryStory(seed)) return drawDiscoveryScenario(seed);
  if (isRolloutStory(seed)) return drawRolloutScenario(seed);
  if (isTrafficStory(seed)) return drawTrafficStoryOf(seed);
  if (isAboutTraffic(seed)) return drawTrafficScenario(seed);
  if (isAboutAttaching(seed)) return drawAttachScenario(seed);
  if (isDirected(seed)) {
    const chance = Chance.of(seed, 7919, 17);
    return drawDirected(chance, { seed, settings: drawSettings(chance), lengthMs: EVENTFUL_MS });
  }
  const scenario = drawScenario(seed);
  // Drawn apart, so that all else of a seed stays what it was before there were such stories.
  const chance = Chance.of(seed, 104_729, 71);
  return isCalm(seed) || !chance.happens(0.3)
    ? scenario
    : withStory(scenario, drawOwnership(chance));
}

function drawTrafficScenario(seed: number): Scenario {
  const chance = Chance.of(seed, 6_700_417, 23);
  const interfacesLingerMs = chance.one([0, 0, 20_000, 90_000]);
  const drawn = { ...drawSettings(chance), interfacesLingerMs, ...drawGates(seed) };
  const settings = isDirected(seed) ? { ...drawn, replicas: 2 as const, election: true } : drawn;
  const hasOutsiders = chance.happens(0.5);
  const steps = drawTrafficSteps(chance, { lengthMs: EVENTFUL_MS, hasOutsiders });
  const { replicas, election } = settings;
  const faults = isCalm(seed)
    ? []
    : drawTrafficFaults(chance, { lengthMs: EVENTFUL_MS, replicas, election });
  const scenario = { seed, settings, steps, faults };
  return isCalm(seed) ? scenario : drawBudget(seed, scenario);
}

/**
 * Drawn apart, so that all other worlds stay as they were. Where nothing keeps calls back the operator's own times
 * are judged.
 */
function drawGates(seed: number): Partial<Settings> {
  const chance = Chance.of(seed, 32_452_843, 61);
  return chance.happens(0.35) ? { readinessGates: true, ...drawFreedom(chance) } : {};
}

function drawFreedom(chance: Chance): Partial<Settings> {
  return chance.happens(0.5) ? { budget: 'off', accountBudget: 'off' } : {};
}

/** Drawn apart, as `drawGates`. */
function drawBudget(seed: number, scenario: Scenario): Scenario {
  const chance = Chance.of(seed, 86_028_121, 29);
  return chance.happens(0.06) ? withScarcity(scenario, chance) : scenario;
}

function drawRolloutScenario(seed: number): Scenario {
  const chance = Chance.of(seed, 32_452_843, 67);
  const drawn = { ...drawSettings(chance), ...drawFreedom(chance) };
  const settings = { ...drawn, readinessGates: true, interfacesLingerMs: 20_000 } as const;
  return { seed, settings, ...drawRolloutStory(chance) };
}

function drawAttachScenario(seed: number): Scenario {
  const chance = Chance.of(seed, 49_979_687, 43);
  const settings = drawSettings(chance);
  const { replicas, election } = settings;
  return {
    seed,
    settings,
    ...drawAttaching(chance, { lengthMs: EVENTFUL_MS, replicas, election }),
  };
}

function drawSourceScenario(seed: number): Scenario {
  const chance = Chance.of(seed, 179_424_673, 47);
  const drawn = drawSettings(chance);
  const hasTwo = chance.happens(0.4);
  const settings: Settings = {
    ...drawn,
    ...(hasTwo && { replicas: 2, election: true }),
    ...(chance.happens(0.9) && { secrets: true }),
  };
  const lengthMs = EVENTFUL_MS;
  const steps = [...drawSourceSteps(chance, lengthMs), ...drawWorkloads(seed)].toSorted(
    (a, b) => a.atMs - b.atMs,
  );
  const faults = isCalm(seed) ? [] : drawSourceFaults(chance, { lengthMs, settings, steps });
  return { seed, settings, steps, faults };
}

/** Drawn apart, as `drawGates`. */
function drawWorkloads(seed: number): readonly Step[] {
  const chance = Chance.of(seed, 122_949_823, 59);
  return chance.happens(0.6) ? drawWorkloadSteps(chance, EVENTFUL_MS) : [];
}

/** Clocks agree: which certificate is the newest valid one depends on the time. */
function drawDiscoveryScenario(seed: number): Scenario {
  const chance = Chance.of(seed, 15_487_469, 43);
  const settings = { ...drawSettings(chance), wallSkewMs: 0 };
  const isQuiet = chance.happens(0.3);
  const story = drawDiscoveryStory(chance, { lengthMs: EVENTFUL_MS, isCalm: isQuiet });
  return { seed, settings, ...story };
}

function drawTrafficStoryOf(seed: number): Scenario {
  const chance = Chance.of(seed, 2_750_159, 41);
  const nth = 2 * Math.floor(seed / 32) + (seed % 32 === 3 ? 0 : 1);
  return { seed, settings: drawSettings(chance), ...drawTrafficStory(chance, nth) };
}

function withStory(scenario: Scenario, { steps, faults }: Story): Scenario {
  return {
    ...scenario,
    steps: [...scenario.steps, ...steps].toSorted((a, b) => a.atMs - b.atMs),
    faults: [...faults, ...scenario.faults],
  };
}

function drawScenario(seed: number): Scenario {
  const chance = Chance.of(seed, 7919, 17);
  const settings = drawSettings(chance);
  const others = [
    ...drawMyIngressSteps(chance, EVENTFUL_MS),
    ...drawWebAppSteps(chance, EVENTFUL_MS),
    ...drawImmortalSteps(chance, EVENTFUL_MS),
    ...drawMyAppSteps(chance, EVENTFUL_MS),
  ];
  const config = drawConfigSteps(chance, EVENTFUL_MS);
  const steps = [
    ...others,
    ...config,
    ...drawStatefulSteps(Chance.of(seed, 15_485_863, 37)),
    ...drawHostileSteps(Chance.of(seed, 104_729, 31), config),
  ].toSorted((a, b) => a.atMs - b.atMs);
  if (isCalm(seed)) {
    const all = [...steps, ...drawCalmStory(seed)].toSorted((a, b) => a.atMs - b.atMs);
    return { seed, settings, steps: all, faults: [] };
  }
  const { replicas, election } = settings;
  const faults = drawFaults(chance, { lengthMs: EVENTFUL_MS, replicas, election });
  const scenario = { seed, settings, steps, faults };
  return chance.happens(0.2) ? withStory(scenario, drawLostCreate(chance)) : scenario;
}

/** From a stream of its own, so that the rest of the world stays as it is without the story. */
function drawCalmStory(seed: number): readonly Step[] {
  const chance = Chance.of(seed, 104_729, 53);
  if (seed % 16 === 4) return drawCrowd(chance);
  if (seed % 16 === 8) return drawForgedArn(chance);
  return seed % 16 === 12 ? drawRacedDeletes(chance) : [];
}

function drawSettings(chance: Chance): Settings {
  const replicas = chance.happens(0.25) ? 2 : 1;
  return {
    replicas,
    election: replicas === 2 || chance.happens(0.1),
    isClusterIdConfigured: chance.happens(0.5),
    budget: chance.happens(0.8) ? 'aws' : 'off',
    accountBudget: chance.happens(0.8) ? 'aws' : 'off',
    provisioningMs: chance.one([0, 2000, 2000, 30_000]),
    quota: 50,
    sweepMs: chance.one([60_000, 300_000]),
    concurrency: chance.one([1, 4, 16]),
    wallSkewMs: chance.one([0, 0, -86_400_000, 60_000, 86_400_000]),
  };
}
