import { type Fields, isFields } from '../../src/core/objects/fields.ts';
import { PLAIN } from './plain-settings.ts';
import type { Scenario } from './scenario.ts';

const KINDS = [
  ...([
    'myIngress',
    'traffic',
    'discovery',
    'service',
    'node',
    'webApp',
    'attach',
    'immortal',
    'myApp',
    'config',
    'source',
  ] as const),
];

/** What was printed after `shrunk:`, perhaps edited; throws one sentence where it is no scenario. */
export function parseScenario(text: string): Scenario {
  const scenario: unknown = JSON.parse(text);
  const wrong = isFields(scenario) ? wrongIn(scenario) : 'the file';
  if (wrong !== undefined)
    throw new Error(`${wrong} is not as a failure prints it after "shrunk:"`);
  return scenario as Scenario;
}

/** The part that makes it no scenario. */
function wrongIn({ seed, settings, steps, faults }: Fields): string | undefined {
  if (typeof seed !== 'number') return 'seed';
  if (!isFields(settings)) return 'settings';
  const wrong = Object.entries(PLAIN).find(([name, is]) => typeof settings[name] !== typeof is);
  if (wrong !== undefined) return `settings.${wrong[0]}`;
  if (!Array.isArray(steps)) return 'steps';
  if (!steps.every(isStep)) return `steps[${steps.findIndex((step) => !isStep(step))}]`;
  if (!Array.isArray(faults)) return 'faults';
  const fault = faults.findIndex((one) => !isFields(one) || typeof one['kind'] !== 'string');
  return fault < 0 ? undefined : `faults[${fault}]`;
}

function isStep(step: unknown): boolean {
  if (!isFields(step) || typeof step['atMs'] !== 'number') return false;
  const actions = KINDS.flatMap((kind) => step[kind] ?? []);
  return actions.length === 1 && isFields(actions[0]) && typeof actions[0]['do'] === 'string';
}
