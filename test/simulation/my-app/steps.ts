import type { PodTemplate } from '../../../src/pods/pod-template.ts';
import type { Chance } from '../chance.ts';
import type { Step } from '../scenario.ts';
import type { MyAppAction, MyAppName, MyAppPlan } from './actions.ts';

const NAMES: readonly MyAppName[] = ['web/banner', 'api/banner'];
const IMAGES = ['registry.example/shell:1', 'registry.example/shell:2'] as const;
const BANNERS = ['hello', 'costs $(rm -rf /) $5', ''] as const;

/** What happens to MyApps and their pods in one scenario. */
export function drawMyAppSteps(chance: Chance, lengthMs: number): readonly Step[] {
  const names = NAMES.slice(
    0,
    chance.weighted([
      [6, 0],
      [3, 1],
      [1, 2],
    ]),
  );
  return names.flatMap((at) => drawLife(chance, at, lengthMs));
}

function drawLife(chance: Chance, at: MyAppName, lengthMs: number): readonly Step[] {
  const bornMs = chance.whole(0, 20_000);
  const later = (): number => chance.whole(bornMs + 50, lengthMs);
  const step = (atMs: number, myApp: MyAppAction): Step => ({ atMs, myApp });
  const create = step(bornMs, { do: 'create', at, spec: drawPlan(chance) });
  const squatted = chance.happens(0.1) ? [step(Math.max(0, bornMs - 1), { do: 'squat', at })] : [];
  const left =
    squatted.length > 0 && chance.happens(0.7) ? [step(later(), { do: 'leave', at })] : [];
  const changes = chance.times(chance.whole(0, 5), () => step(later(), drawChange(chance, at)));
  const end = chance.happens(0.25) ? [step(later(), { do: 'delete', at })] : [];
  return [...squatted, create, ...left, ...changes, ...end];
}

/** By the number of pods: what is drawn in a seed stays as it is. */
const TEMPLATES = [null, drawn('fast'), null, drawn('slow'), null] as const;

function drawn(mode: string): PodTemplate {
  const proxy = { name: 'proxy', image: 'registry.example/proxy:1' };
  const env = [{ name: 'MODE', value: mode }];
  return { spec: { containers: [{ name: 'banner', env }, ...(mode === 'slow' ? [proxy] : [])] } };
}

function drawPlan(chance: Chance): MyAppPlan {
  const image = chance.one(IMAGES);
  const banner = chance.happens(0.7) && { banner: chance.one(BANNERS) };
  if (!chance.happens(0.6)) return { image, ...banner, podTemplate: TEMPLATES[0] };
  const replicas = chance.whole(0, 4);
  return { image, ...banner, replicas, podTemplate: TEMPLATES[replicas] ?? null };
}

function drawChange(chance: Chance, at: MyAppName): MyAppAction {
  const what = chance.one(['deleted', 'failed'] as const);
  return chance.weighted<() => MyAppAction>([
    [5, () => ({ do: 'edit', at, change: drawPlan(chance) })],
    [4, () => ({ do: 'pod', at, index: chance.whole(0, 2), what })],
    [1, () => ({ do: 'pause', at })],
    [2, () => ({ do: 'goOn', at })],
  ])();
}
