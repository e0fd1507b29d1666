import type { Chance } from '../chance.ts';
import type { Step } from '../scenario.ts';
import type { ImmortalAction, ImmortalName } from './actions.ts';

const NAMES: readonly ImmortalName[] = ['web/cache', 'api/cache'];
const IMAGES = ['registry.example/cache:1', 'registry.example/cache:2'] as const;

/** What happens to ImmortalContainers and their pods in one scenario. */
export function drawImmortalSteps(chance: Chance, lengthMs: number): readonly Step[] {
  const names = NAMES.slice(
    0,
    chance.weighted([
      [5, 0],
      [3, 1],
      [1, 2],
    ]),
  );
  return names.flatMap((at) => drawLife(chance, at, lengthMs));
}

function drawLife(chance: Chance, at: ImmortalName, lengthMs: number): readonly Step[] {
  const bornMs = chance.whole(0, 20_000);
  const later = (): number => chance.whole(bornMs + 50, lengthMs);
  const step = (atMs: number, immortal: ImmortalAction): Step => ({ atMs, immortal });
  const create = step(bornMs, { do: 'create', at, ...drawPlan(chance) });
  const squatted = chance.happens(0.1) ? [step(Math.max(0, bornMs - 1), { do: 'squat', at })] : [];
  const left =
    squatted.length > 0 && chance.happens(0.7) ? [step(later(), { do: 'leave', at })] : [];
  const changes = chance.times(chance.whole(0, 6), () => step(later(), drawChange(chance, at)));
  if (!chance.happens(0.3)) return [...squatted, create, ...left, ...changes];
  const endMs = later();
  const again = step(endMs + chance.whole(1, 3000), {
    do: 'create',
    at,
    ...drawPlan(chance),
  });
  const end = [step(endMs, { do: 'delete', at }), ...(chance.happens(0.6) ? [again] : [])];
  return [...squatted, create, ...left, ...changes, ...end];
}

/** The second image runs with a template: what is drawn in a seed stays as it is. */
const TEMPLATES = {
  [IMAGES[0]]: null,
  [IMAGES[1]]: {
    spec: {
      containers: [
        { name: 'acontainer', env: [{ name: 'MODE', value: 'fast' }] },
        { name: 'proxy', image: 'registry.example/proxy:1' },
      ],
    },
  },
} as const;

function drawPlan(chance: Chance): Pick<Change, 'image' | 'podTemplate'> {
  const image = chance.one(IMAGES);
  return { image, podTemplate: TEMPLATES[image] };
}

type Change = Extract<ImmortalAction, { do: 'create' | 'edit' }>;

function drawChange(chance: Chance, at: ImmortalName): ImmortalAction {
  return chance.weighted<() => ImmortalAction>([
    [5, () => ({ do: 'pod', at, what: 'deleted' })],
    [2, () => ({ do: 'pod', at, what: 'failed' })],
    [
      1,
      () => ({ do: 'pod', at, what: chance.one(['succeeded', 'evicted', 'unlabelled'] as const) }),
    ],
    [2, () => ({ do: 'edit', at, ...drawPlan(chance) })],
    [1, () => ({ do: 'pause', at })],
    [2, () => ({ do: 'goOn', at })],
  ])();
}
