import type { Chance } from '../chance.ts';
import type { Step } from '../scenario.ts';
import type { AppName, AppPlan, ChildMeddling, ServicePlan, WebAppAction } from './actions.ts';

const APPS: readonly AppName[] = ['web/front', 'api/front'];
const IMAGES = ['registry.example/app:1', 'registry.example/app:2'] as const;

/** What the users of WebApp and their neighbours do in one scenario. */
export function drawWebAppSteps(chance: Chance, lengthMs: number): readonly Step[] {
  const apps = APPS.slice(
    0,
    chance.weighted([
      [5, 0],
      [3, 1],
      [1, 2],
    ]),
  );
  return apps.flatMap((at) => drawLife(chance, at, lengthMs));
}

function drawLife(chance: Chance, at: AppName, lengthMs: number): readonly Step[] {
  const bornMs = chance.whole(0, 20_000);
  const later = (least = bornMs + 50): number => chance.whole(least, lengthMs);
  const isSquatted = chance.happens(0.2);
  const kind = chance.one(['Deployment', 'Service'] as const);
  const squatted: readonly Step[] = isSquatted
    ? [
        { atMs: Math.max(0, bornMs - 1), webApp: { do: 'squat', at, kind } },
        ...(chance.happens(0.6)
          ? [{ atMs: later(), webApp: { do: 'leave', at, kind } } as const]
          : []),
      ]
    : [];
  const changes = chance.times(chance.whole(0, 4), (): Step => {
    return { atMs: later(), webApp: drawChange(chance, at) };
  });
  const endMs = later();
  const ends: readonly Step[] = chance.happens(0.4)
    ? [
        { atMs: endMs, webApp: { do: 'delete', at } },
        ...(chance.happens(0.5)
          ? [
              {
                atMs: endMs + chance.whole(1, 3000),
                webApp: { do: 'create', at, spec: drawPlan(chance) },
              } as const,
            ]
          : []),
      ]
    : [];
  const create: Step = { atMs: bornMs, webApp: { do: 'create', at, spec: drawPlan(chance) } };
  return [...squatted, create, ...changes, ...ends];
}

/** The second image runs with a template: what is drawn in a seed stays as it is. */
const TEMPLATES = {
  [IMAGES[0]]: null,
  [IMAGES[1]]: {
    metadata: { labels: { tier: 'web' } },
    spec: {
      containers: [
        { name: 'app', env: [{ name: 'MODE', value: 'fast' }] },
        { name: 'proxy', image: 'registry.example/proxy:1' },
      ],
    },
  },
} as const;

/** By the number of pods, as the templates are by the image. */
const SERVICES: readonly (ServicePlan | null)[] = [
  { port: null, type: 'LoadBalancer', annotations: { scheme: 'internal', pool: 'a' } },
  { port: 8081, type: null, annotations: null },
  { port: null, type: 'NodePort', annotations: null },
  { port: 81, type: null, annotations: { pool: 'b' } },
];

function drawPlan(chance: Chance): AppPlan {
  const image = chance.one(IMAGES);
  const replicas = chance.happens(0.5) ? chance.whole(0, 3) : undefined;
  return {
    image,
    podTemplate: TEMPLATES[image],
    service: (replicas === undefined ? null : SERVICES[replicas]) ?? null,
    ...(replicas !== undefined && { replicas }),
    ...(chance.happens(0.5) && { port: chance.one([80, 8080]) }),
  };
}

function drawChange(chance: Chance, at: AppName): WebAppAction {
  return chance.weighted<() => WebAppAction>([
    [5, () => ({ do: 'edit', at, change: drawPlan(chance) })],
    [1, () => ({ do: 'pause', at })],
    [2, () => ({ do: 'goOn', at })],
    [6, () => ({ do: 'meddle', at, meddling: drawMeddling(chance) })],
    [1, () => ({ do: 'autoscale', at, replicas: chance.whole(2, 5) })],
  ])();
}

function drawMeddling(chance: Chance): ChildMeddling {
  return chance.weighted<() => ChildMeddling>([
    [2, () => ({ what: 'image', image: 'registry.example/evil:1' })],
    [2, () => ({ what: 'scale', replicas: chance.whole(0, 5) })],
    [2, () => ({ what: 'restart', token: `${chance.whole(1, 99)}` })],
    [1, () => ({ what: 'unlabel' })],
    [1, () => ({ what: 'deleteDeployment' })],
    [1, () => ({ what: 'deleteService' })],
  ])();
}
