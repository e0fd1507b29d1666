import { type Fields, isFields, toFields } from '../../src/core/objects/fields.ts';
import { PLAIN } from './plain-settings.ts';
import type { Fault, Scenario } from './scenario.ts';
import { ACTIONS, FAULTS } from './scenario-parts.ts';
import { WANTED } from './wanted.ts';
import { nameStrike } from './world/fault-board.ts';

/** Reads what was printed after `shrunk:`, perhaps edited; throws one sentence where it is no scenario. */
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
  if (!Array.isArray(faults)) return 'faults';
  return findWrong('steps', steps, wrongInStep) ?? findWrong('faults', faults, wrongInFault);
}

/** The first part that `wrongIn` objects to, by the path that it answers with. */
function findWrong(
  name: string,
  parts: readonly unknown[],
  wrongIn: (part: Fields) => string | undefined,
): string | undefined {
  for (const [at, part] of parts.entries()) {
    const wrong = isFields(part) ? wrongIn(part) : '';
    if (wrong !== undefined) return `${name}[${at}]${wrong}`;
  }
  return undefined;
}

function wrongInStep(step: Fields): string | undefined {
  if (typeof step['atMs'] !== 'number') return '.atMs';
  const [kind, ...others] = Object.keys(ACTIONS).filter((one) => Object.hasOwn(step, one));
  if (kind === undefined || others.length > 0) return '';
  const action = toFields(step[kind]);
  const example = findExample(toFields(ACTIONS[kind as keyof typeof ACTIONS]), action['do']);
  if (example === undefined) return `.${kind}.do`;
  const wrong = findUnlike(action, example);
  return wrong && `.${kind}.${wrong}`;
}

function wrongInFault(fault: Fields): string | undefined {
  const example = findExample(FAULTS, fault['kind']);
  if (example === undefined) return '.kind';
  const wrong = findUnlike(fault, example);
  if (wrong !== undefined) return `.${wrong}`;
  if (WANTED.includes(nameStrike(fault as unknown as Fault))) return undefined;
  return 'effect' in fault ? '.effect' : '.phase';
}

function findExample(examples: Fields, name: unknown): Fields | undefined {
  const isKnown = typeof name === 'string' && Object.hasOwn(examples, name);
  return isKnown ? toFields(examples[name]) : undefined;
}

/** The first field that is missing, of another type than in `example`, or no `namespace/name`. */
function findUnlike(part: Fields, example: Fields): string | undefined {
  const isLike = ([field, is]: [string, unknown]): boolean =>
    field === 'at' ? isKey(part[field]) : isOfType(part[field], is);
  return Object.entries(example).find((entry) => !isLike(entry))?.[0];
}

function isKey(value: unknown): boolean {
  return typeof value === 'string' && /^[^/]+\/[^/]+$/.test(value);
}

function isOfType(value: unknown, example: unknown): boolean {
  if (example === null) return value !== undefined;
  return value !== null && typeof value === typeof example;
}
